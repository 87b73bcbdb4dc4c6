"""Counting the tokens of a request, by kind, with a template and an encoding.

Template text is split at special tokens; user text never is. The text between two special tokens is encoded as a whole,
even if template and user text meet in it, as the model's own tokenizer does. A token is counted for the piece in which
it begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from engine.encoding.encoding import Encoding
from engine.requests.images import ImageCount, count_by_any_rule, count_image, rule_for_model
from engine.requests.template import Surroundings, Template
from engine.requests.types import (
    KINDS,
    CountedRequest,
    Grade,
    Image,
    Kind,
    Part,
    Piece,
    Request,
    RequestError,
    Span,
    SpecialText,
    Tally,
    least_sure_grade,
)
from engine.split.special_text import special_token_regex, split_at_specials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_ID = -1

STAND_IN_RULE = "gpt-4o"
"""Image rule if neither the model nor the template determines one. Its counts are estimates."""

FOREIGN_LOW, FOREIGN_HIGH = (1, 2), (21, 10)
"""Minimum and maximum ratio, as fractions, of token counts in the encoding of a template's models to those in another
encoding. Measured on recent encodings: 0.54 to 2.07 for nine of ten texts (``pricing/data/counting.yaml``)."""

TOOLS_LOW, TOOLS_HIGH = (9, 20), (3, 2)
"""Minimum and maximum ratio, as fractions, of the token count of tools in an unpublished form to that of their JSON.
From the published forms of OpenAI, Llama, Qwen and Mistral, which also add up to 120 tokens of instructions
(``Template.tools_prompt``)."""

KEPT_FRAMINGS = 4096
"""Maximum number of template pieces whose atoms and token counts are cached. Most templates have a dozen for each
message."""


class _Atom(NamedTuple):
    """Unit that is not split further: text to encode or, with ``tokens``, a special token or a count by formula."""

    kind: Kind
    text: str
    message: int
    tokens: int | None
    is_special: bool
    by_template: bool


class RequestCounter:
    """Counts requests with one template and one encoding. Not thread-safe."""

    def __init__(
        self,
        template: Template,
        encoding: Encoding,
        *,
        image_rule: str | None = None,
        today: date | None = None,
    ) -> None:
        """``image_rule``: a key of ``images.RULES``; by default that of the model which a request names, else that of
        the template. ``today``: the date that a template shows to the model; by default the current date."""
        self._template, self._encoding, self._image_rule = template, encoding, image_rule
        self._is_foreign = not template.is_own(encoding.name, encoding.special_tokens_set)
        self._special = template.special | encoding.special_tokens_set
        self._around = Surroundings(encoding.count, encoding.name, today or date.today(), self._special)
        self._framed: dict[tuple[Kind, str, int], list[_Atom]] = {}
        self._framings: dict[str, int] = {}

    def tally(self, request: Request) -> Tally:
        """Return the number of tokens of each kind. Raises RequestError if the request cannot be rendered,
        TemplateError if a user template fails."""
        tokens: Counter[Kind] = Counter()
        encoded: Counter[Kind] = Counter()
        pieces = self._rendered(request)
        for is_encoded, atoms in self._runs(pieces):
            kind = atoms[0].kind
            if not is_encoded:
                for atom in atoms:
                    tokens[atom.kind] += atom.tokens or 0
            elif all(atom.kind == kind for atom in atoms):
                encoded[kind] += self._count(atoms)
            else:
                ends = self._encoding.token_ends("".join([atom.text for atom in atoms]))
                for atom, number in zip(atoms, _tokens_of_each(atoms, ends), strict=True):
                    encoded[atom.kind] += number
        return self._tally(tokens, encoded, pieces, request)

    def count(self, request: Request) -> CountedRequest:
        """Return the tally with the rendered text, its tokens and the spans of its pieces. Raises as ``tally`` does."""
        import numpy as np

        pieces = self._rendered(request)
        tokens: Counter[Kind] = Counter()
        encoded: Counter[Kind] = Counter()
        texts: list[str] = []
        spans: list[Span] = []
        ids: list[NDArray[np.int32]] = []
        ends: list[NDArray[np.int64]] = []
        span_tokens: list[int] = []
        offset = 0
        for is_encoded, atoms in self._runs(pieces):
            start = offset
            for atom in atoms:
                size = _size(atom.text)
                counted = None if atom.is_special else atom.tokens
                spans.append(Span(atom.kind, offset, offset + size, atom.message, atom.is_special, counted))
                offset += size
            text = "".join([atom.text for atom in atoms])
            texts.append(text)
            if is_encoded:
                run_ends = self._encoding.token_ends(text)
                ids.append(self._encoding.token_ids(text))
                ends.append(run_ends + start)
                numbers = _tokens_of_each(atoms, run_ends)
            else:
                ids.append(np.array([self._id_of(atom) for atom in atoms], np.int32))
                ends.append(np.array([span.byte_end for span in spans[-len(atoms) :]], np.int64))
                numbers = [atom.tokens or 0 for atom in atoms]
            span_tokens += numbers
            for atom, number in zip(atoms, numbers, strict=True):
                (encoded if is_encoded else tokens)[atom.kind] += number
        arrays = np.concatenate([np.empty(0, np.int32), *ids]), np.concatenate([np.empty(0, np.int64), *ends])
        for array in arrays:
            array.flags.writeable = False
        tally = self._tally(tokens, encoded, pieces, request)
        special_texts = tuple(self._special_texts(pieces))
        grades = self._message_grades(pieces, len(request.messages))
        return CountedRequest(
            "".join(texts), tuple(spans), *arrays, tuple(span_tokens), tally, special_texts, message_grades=grades
        )

    # --- pieces -------------------------------------------------------------------------------------------------------

    def _rendered(self, request: Request) -> list[Piece]:
        try:
            pieces = [_encodable(piece) for piece in self._template.render(request, self._around) if piece.text]
        except RecursionError:
            raise RequestError("the request is nested too deeply") from None
        if not any(message.images for message in request.messages):
            return pieces
        rule, is_known = image_rule_of(request.model, self._template.images, self._image_rule)
        return _with_images(pieces, request, rule, is_known=is_known)

    def _runs(self, pieces: Iterable[Piece]) -> Iterator[tuple[bool, list[_Atom]]]:
        """Yield runs of consecutive atoms: those encoded as one text (True), or any others (False)."""
        run: list[_Atom] = []
        were_encoded = True
        for piece in pieces:
            for atom in self._atoms(piece):
                is_encoded = atom.tokens is None
                if run and is_encoded is not were_encoded:
                    yield were_encoded, run
                    run = []
                run.append(atom)
                were_encoded = is_encoded
        if run:
            yield were_encoded, run

    def _atoms(self, piece: Piece) -> list[_Atom]:
        """Split a piece into atoms. Those of template text are cached, as it recurs."""
        if piece.tokens is not None or not piece.by_template:
            return [_Atom(piece.kind, piece.text, piece.message, piece.tokens, False, piece.by_template)]
        key = piece.kind, piece.text, piece.message
        atoms = self._framed.get(key)
        if atoms is None:
            atoms = []
            for text, special in split_at_specials(piece.text, self._special):
                if text:
                    atoms.append(_Atom(piece.kind, text, piece.message, None, False, True))
                if special:
                    atoms.append(_Atom(piece.kind, special, piece.message, 1, True, True))
            if len(self._framed) < KEPT_FRAMINGS:
                self._framed[key] = atoms
        return atoms

    def _count(self, atoms: Sequence[_Atom]) -> int:
        text = atoms[0].text if len(atoms) == 1 else "".join([atom.text for atom in atoms])
        if not all(atom.by_template for atom in atoms):
            return self._encoding.count(text)
        known = self._framings.get(text)
        if known is None:
            known = self._encoding.count(text)
            if len(self._framings) < KEPT_FRAMINGS:
                self._framings[text] = known
        return known

    # --- results ------------------------------------------------------------------------------------------------------

    def _tally(self, others: Counter[Kind], encoded: Counter[Kind], pieces: Sequence[Piece], request: Request) -> Tally:
        """``encoded``: token counts of texts; ``others``: those of special tokens and formulas."""
        template = self._template
        notes = [template.remark] if template.remark else []
        notes += dict.fromkeys(piece.note for piece in pieces if piece.note)
        unknown = sum(not (image.width and image.height) for message in request.messages for image in message.images)
        if unknown == 1:
            notes.append("The size of an image is unknown: it is counted as 1,024 by 1,024.")
        elif unknown:
            notes.append(f"The sizes of {unknown:,} images are unknown: each is counted as 1,024 by 1,024.")
        own = Tally(self._parts(others, encoded, pieces, request), tuple(notes), request.is_complete)
        if not self._is_foreign:
            return own
        notes.append(f"{self._encoding.name} is not the vocabulary of this template's models: an estimate.")
        parts = tuple(_in_foreign(part, encoded[part.kind]) for part in own.parts)
        return Tally(parts, tuple(notes), request.is_complete, own)

    def _parts(
        self, others: Counter[Kind], encoded: Counter[Kind], pieces: Sequence[Piece], request: Request
    ) -> tuple[Part, ...]:
        """Return the parts with their grades and ranges, in the encoding of the template's models."""
        template, grades = self._template, self._kind_grades()
        less: Counter[Kind] = Counter()
        more: Counter[Kind] = Counter()
        for piece in pieces:
            less[piece.kind] += piece.less
            more[piece.kind] += piece.more
            if piece.grade is not None:
                grades[piece.kind] = least_sure_grade((grades[piece.kind], piece.grade))
        if template.tools == "estimate" and request.tools:
            few, many = _spread(encoded["tools"], TOOLS_LOW, TOOLS_HIGH)
            less["tools"] += few
            more["tools"] += many + template.tools_prompt
        if any(template.framing) and request.messages:
            less["overhead"] += encoded["overhead"]
            most = template.framing[0] + template.framing[1] * len(request.messages)
            more["overhead"] += max(0, most - encoded["overhead"])
        return tuple(Part(kind, others[kind] + encoded[kind], grades[kind], less[kind], more[kind]) for kind in KINDS)

    def _kind_grades(self) -> dict[Kind, Grade]:
        """Return the grade of each kind, as far as the template alone decides it."""
        template = self._template
        return {"overhead": template.grade, "tools": template.tools, "images": "formula", "text": "exact"}

    def _message_grades(self, pieces: Sequence[Piece], n_messages: int) -> tuple[Grade, ...]:
        """Return the grade of the least trusted piece of each message: an estimate in a foreign encoding."""
        grades = self._kind_grades()
        found: list[set[Grade]] = [{self._template.grade} for _ in range(n_messages)]
        for piece in pieces:
            if 0 <= piece.message < n_messages:
                of_piece: tuple[Grade, ...] = (grades[piece.kind], piece.grade or "exact")
                if self._is_foreign and piece.tokens is None:
                    of_piece = ("estimate",)
                found[piece.message].update(of_piece)
        return tuple(least_sure_grade(of_message) for of_message in found)

    def _special_texts(self, pieces: Sequence[Piece]) -> Iterator[SpecialText]:
        if not self._special:
            return
        found: Counter[tuple[int, str]] = Counter()
        expression = special_token_regex(frozenset(self._special))
        for piece in pieces:
            if not piece.by_template and piece.tokens is None:
                found.update((piece.message, match.group()) for match in expression.finditer(piece.text))
        for (message, text), occurrences in found.items():
            yield SpecialText(message, text, occurrences)

    def _id_of(self, atom: _Atom) -> int:
        if not atom.is_special or atom.text not in self._encoding.special_tokens_set:
            return NO_ID
        return int(self._encoding.token_ids(atom.text, special_as_tokens=True)[0])


def _spread(tokens: int, low: tuple[int, int], high: tuple[int, int]) -> tuple[int, int]:
    """Return how far below and above ``tokens`` the range from ``low`` to ``high`` times it reaches, rounded outwards.
    Ratios are (numerator, denominator)."""
    return tokens - tokens * low[0] // low[1], -(-tokens * high[0] // high[1]) - tokens


def _in_foreign(part: Part, encoded: int) -> Part:
    """Return the part if ``encoded`` of its tokens are counted in an encoding that the template's models do not use."""
    if not encoded:
        return part
    less, more = _spread(encoded, FOREIGN_LOW, FOREIGN_HIGH)
    return Part(part.kind, part.tokens, "estimate", min(part.tokens, part.less + less), part.more + more)


def image_rule_of(model: str, of_template: str | None, chosen: str | None = None) -> tuple[str, bool]:
    """Return the rule for images, and whether it is known to be the model's.

    ``of_template``: the rule of the template, which counts as known if no model is named.
    """
    known = chosen or rule_for_model(model)
    if known is not None:
        return known, True
    return of_template or STAND_IN_RULE, of_template is not None and not model


def images_part(images: Iterable[Image], model: str, of_template: str | None) -> Part:
    """Return the part for the tokens of images with a model."""
    rule, is_known = image_rule_of(model, of_template)
    counts = [_image_count(image, rule, is_known) for image in images]
    grades: list[Grade] = ["formula", *(count.grade for count in counts)]
    less, more = sum(count.less for count in counts), sum(count.more for count in counts)
    return Part("images", sum(count.tokens for count in counts), least_sure_grade(grades), less, more)


def _image_count(image: Image, rule: str, is_known: bool) -> ImageCount:
    return count_image(image, rule) if is_known else count_by_any_rule(image, rule)


def _with_images(pieces: list[Piece], request: Request, rule: str, *, is_known: bool) -> list[Piece]:
    """Insert the images of each message after its last text piece, or after its last piece if it has no text."""
    behind: dict[int, int] = {}
    for index, piece in enumerate(pieces):
        if piece.kind == "text" or piece.message not in behind:
            behind[piece.message] = index
    found = list(pieces)
    for number in sorted(range(len(request.messages)), key=lambda at: behind.get(at, len(pieces)), reverse=True):
        index = behind.get(number, len(pieces)) + 1
        found[index:index] = [_image_piece(image, number, rule, is_known) for image in request.messages[number].images]
    return found


def _image_piece(image: Image, number: int, rule: str, is_known: bool) -> Piece:
    counted = _image_count(image, rule, is_known)
    size = f"{image.width} × {image.height}" if image.width and image.height else "size unknown"
    words = f"[image {size}, {image.detail}]"
    return Piece("images", words, False, counted.tokens, number, counted.grade, less=counted.less, more=counted.more)


def _tokens_of_each(atoms: Sequence[_Atom], ends: NDArray[np.int64]) -> list[int]:
    """Return how many tokens begin in each atom of a run. ``ends``: end offsets of the tokens, in UTF-8 bytes."""
    import numpy as np

    atom_ends = np.cumsum([_size(atom.text) for atom in atoms])
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)]
    indices = np.minimum(np.searchsorted(atom_ends, starts, side="right"), len(atoms) - 1)  # past the end: the last
    return [int(number) for number in np.bincount(indices, minlength=len(atoms))]


def _encodable(piece: Piece) -> Piece:
    """Return the piece without lone surrogates, which JSON may contain but UTF-8 cannot."""
    if piece.text.isascii():
        return piece
    text = piece.text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if text == piece.text:
        return piece
    return replace(piece, text=text)


def _size(text: str) -> int:
    """Return the number of UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode())

"""How the beginning of a file would be normalised and split for training: the work of a conflated lane. No Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gui.core.token_text import visible_text
from gui.editor.offsets import document_text, stored_to_document
from gui.services.pretoken_patch import pretoken_patch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.training_types import CorpusFile, TrainingSettings
    from engine.types import TokenPatch
    from gui.runtime.jobs import Ticket

PREVIEW_BYTES = 16_384
"""So much of a file is looked at: some three hundred lines."""
SECONDS = 2.0
"""A pattern that takes longer on so little text would never end on a folder."""
_ASKING = 128
"""After so many characters others get a turn of the interpreter: normalising each takes some microseconds."""


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A file to show, None where only the settings are to be looked at."""

    file: CorpusFile | None
    settings: TrainingSettings


@dataclass(frozen=True, slots=True, eq=False)
class SplitPreview:
    """A text as it would be trained on, with its pretokens.

    ``text``: normalised, with signs for spaces where it is trained with them, as an editor holds it. ``patch``: its
    pretokens as tokens (``pretoken_patch``), None where there is none. ``utf8_bytes`` are those of all pretokens, a
    sign counted as the space that it stands for.
    ``changes``: what normalisation replaced, made visible: before, after, how often; the commonest first.
    ``changed_starts``, ``changed_ends``: where, in UTF-16 units of ``text``. ``pattern_problem``, ``file_problem``: a
    sentence each, empty where all is well.
    """

    text: str = ""
    patch: TokenPatch | None = None
    pretokens: int = 0
    utf8_bytes: int = 0
    dropped_characters: int = 0
    changes: tuple[tuple[str, str, int], ...] = ()
    changed_starts: Sequence[int] = ()
    changed_ends: Sequence[int] = ()
    pattern_problem: str = ""
    file_problem: str = ""


def preview_split(request: PreviewRequest, _ticket: Ticket | None = None) -> SplitPreview:
    """Read, normalise and split the beginning of a file."""
    import engine
    from engine.pretokenize import pretokenizer
    from engine.span_pairs import pairs
    from engine.training_settings import signs_for
    from engine.training_splits import split_named

    expression = split_named(request.settings.pattern).expression
    problem = ""
    try:
        splitter = pretokenizer(expression)
    except engine.EngineError as error:
        problem = str(error)
    if request.file is None:
        return SplitPreview(pattern_problem=problem)
    try:
        stored = _beginning(request.file)
    except (engine.EngineError, OSError) as error:
        return SplitPreview(pattern_problem=problem, file_problem=str(error))
    normalised, changes, starts, ends = _normalised(stored, request.settings)
    signs = signs_for(request.settings)
    trained = normalised if signs is None else signs(normalised)
    in_front = len(trained) - len(normalised)  # a sign is as long as a space
    shown = {
        "text": document_text(trained),
        "changes": changes,
        "changed_starts": stored_to_document(starts + in_front, trained),
        "changed_ends": stored_to_document(ends + in_front, trained),
    }
    if problem:
        return SplitPreview(**shown, pattern_problem=problem)
    try:
        spans = splitter.char_spans(trained, SECONDS)
    except engine.EngineError as error:
        return SplitPreview(**shown, pattern_problem=str(error))
    utf8_bytes = sum(_utf8_bytes(trained[start:end]) for start, end in pairs(spans))
    utf8_bytes -= _utf8_bytes(trained) - _utf8_bytes(normalised)
    dropped = len(trained) - int((spans[:, 1] - spans[:, 0]).sum())
    patch = pretoken_patch(trained, spans)
    return SplitPreview(**shown, patch=patch, pretokens=len(spans), utf8_bytes=utf8_bytes, dropped_characters=dropped)


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _beginning(file: CorpusFile) -> str:
    """The first lines of a file as they would be trained on."""
    from engine.corpus_files import read_blocks

    block = next(iter(read_blocks(file, PREVIEW_BYTES)), b"")
    text = block.decode("utf-8", "replace")
    whole_lines = text.rfind("\n") + 1
    return text[:whole_lines] if whole_lines and len(block) < file.file_bytes else text


def _normalised(
    text: str, settings: TrainingSettings
) -> tuple[str, tuple[tuple[str, str, int], ...], NDArray[np.int64], NDArray[np.int64]]:
    """The text as the settings want it, what was replaced, and where, in UTF-16 units of the result.

    Seen grapheme by grapheme, so that a change is a thing that one can point at.
    """
    import numpy as np

    nowhere = np.empty(0, np.int64)
    from engine.normalize import clusters, normalizer
    from engine.still_wanted import while_wanted

    normalize = normalizer(settings.normalization, settings.lowercase, settings.strip_accents)
    whole = normalize(text)
    if whole == text:
        return text, (), nowhere, nowhere
    found: Counter[tuple[str, str]] = Counter()
    pieces, starts, ends, place = [], [], [], 0
    for before in while_wanted(clusters(text), _ASKING):
        after = normalize(before)
        units = len(after.encode("utf-16-le", "surrogatepass")) // 2
        if after != before:
            found[before, after] += 1
            starts.append(place)
            ends.append(place + units)
        pieces.append(after)
        place += units
    if "".join(pieces) != whole:  # the neighbours of a grapheme had a say: rare, and nothing to point at
        return whole, (), nowhere, nowhere
    changes = tuple((_seen(before), _seen(after), count) for (before, after), count in found.most_common())
    return whole, changes, np.array(starts, np.int64), np.array(ends, np.int64)


def _seen(grapheme: str) -> str:
    """A grapheme, with its code points where looking at it does not tell how it is written."""
    if len(grapheme) == 1:
        return visible_text(grapheme)
    return "+".join(visible_text(character) for character in grapheme)

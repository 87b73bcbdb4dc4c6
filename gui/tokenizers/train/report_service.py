"""Evaluation of a trained vocabulary, the price of its savings, and its export; run by lanes of the controller.

The evaluation uses text that was held out of training if the folder allowed it; a report says whether it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from engine.library.formats.table import WRITTEN
from gui.core.api_keys import keys_in_vocabulary
from gui.editor.offsets import document_text

if TYPE_CHECKING:
    from engine import Encoding
    from engine.corpus.types import CorpusFile, SkippedFile
    from engine.library.formats.opening import Saved
    from engine.training.evaluation import Evaluation, Overlap
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import Ticket
    from pricing.types import Model

SURE = ("exact", "assumed")
"""Labels of counts in the model's own tokens, which can be compared with other token counts."""


def is_comparable(model: Model, encodings: Collection[str]) -> bool:
    """Return True if a model is counted with one of these encodings and its input has a price."""
    sure = model.count.tokenizer in encodings and model.count.label in SURE
    return sure and model.price.input is not None


def input_usd(model: Model, tokens: int, calls: int, on: date) -> Decimal | None:
    """Return the input cost of calls with this many tokens each, in USD; None if the price is unknown."""
    from pricing import estimate
    from pricing.types import Scenario, TokenCount

    found = estimate(model, TokenCount(tokens, tokens, tokens, "exact"), Scenario(on=on))
    return None if found.input_usd is None else found.input_usd * calls


# --- export -----------------------------------------------------------------------------------------------------------

FORMATS = tuple((one.ending, one.title) for one in WRITTEN)
"""File name suffix and title of each export format."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An encoding by name, the file to write, and a text to verify the file with."""

    name: str
    path: Path
    sample: str = ""


def export_encoding(open_encoding: OpenEncoding, request: ExportRequest, _ticket: Ticket) -> Saved:
    """Export an encoding, on a worker thread; an existing file stays unchanged if that raises EngineError."""
    import engine

    return engine.save_encoding(open_encoding(request.name), request.path, request.sample)


def keys_of(open_encoding: OpenEncoding, name: str) -> tuple[str, ...]:
    """List the tokens of an encoding that contain API keys. Runs on a worker thread. Raises EngineError."""
    return keys_in_vocabulary(open_encoding(name))


def format_title(title: str) -> str:
    """Return the translated title of a format."""
    return QCoreApplication.translate("TokenizerFormats", title)


# --- report -----------------------------------------------------------------------------------------------------------

COMPARED = ("gpt2", "cl100k_base", "o200k_base")
"""The encodings to compare a trained one with."""
MAX_BYTES = 20_000_000
"""Maximum text to evaluate, in bytes: more would hardly change the figures."""
CHUNK_CHARACTERS = 200_000
SAMPLE_CHARACTERS = 6_000
LISTED = 100
"""Maximum number of tokens listed of each kind, longest first."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """An encoding by name, and the files to evaluate it on.

    ``held_out``: True if they were held out of training, None if unknown.
    """

    name: str
    files: tuple[CorpusFile, ...]
    held_out: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """An evaluation of the trained encoding and ``COMPARED``, in this order.

    ``overlaps``: with each of ``COMPARED``. ``longest``: the longest tokens of each encoding. ``sample``: a text, as an
    editor holds it; ``patches``: its tokens in each encoding. ``files``: number of files evaluated, which the
    evaluation may have seen in chunks.
    """

    request: ReportRequest
    files: int
    evaluation: Evaluation
    overlaps: tuple[Overlap, ...]
    longest: tuple[tuple[bytes, ...], ...]
    sample: str
    patches: tuple[TokenPatch, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the encodings, the trained one first."""
        return self.evaluation.encodings


def make_report(open_encoding: OpenEncoding, request: ReportRequest, ticket: Ticket) -> Report:
    """Evaluate an encoding and the published ones. Runs on a worker thread. Raises EngineError."""
    from engine.training.evaluation import evaluate, longest_tokens, overlap

    encodings = [open_encoding(name) for name in (request.name, *COMPARED)]
    files = _some_of(request.files)
    total = max(1, sum(file.file_bytes for file in files))
    evaluation = evaluate(encodings, _chunks(files), lambda seen: ticket.progress(min(1.0, seen / total)))
    mine, *others = encodings
    sample = document_text(_sample(request.files))
    return Report(
        request,
        len(files) - len(evaluation.skipped),
        evaluation,
        tuple(overlap(mine, other, LISTED) for other in others),
        tuple(tuple(token.token_bytes for token in longest_tokens(one, LISTED)) for one in encodings),
        sample,
        tuple(_tokens(encoding, sample) for encoding in encodings),
    )


def _some_of(files: Sequence[CorpusFile]) -> list[CorpusFile]:
    """Return files evenly spread over the list, about ``MAX_BYTES`` in total, at least one."""
    total = sum(file.file_bytes for file in files)
    stride = max(1, -(-total // MAX_BYTES))
    return list(files[::stride])


def _chunks(files: Sequence[CorpusFile]) -> Iterator[tuple[str, str] | SkippedFile]:
    """Yield the texts of files, long ones in chunks of whole lines: long strings would block the GUI thread."""
    from engine.training.evaluation import texts_of

    for found in texts_of(files):
        if not isinstance(found, tuple):
            yield found
            continue
        name, text = found
        start = 0
        while start < len(text):
            end = text.find("\n", start + CHUNK_CHARACTERS) + 1 or len(text)
            yield name, text[start:end]
            start = end


def _sample(files: Sequence[CorpusFile]) -> str:
    """Return the beginning of the first file; empty if it cannot be read."""
    from engine.training.evaluation import texts_of

    found = next(iter(texts_of(files[:1], SAMPLE_CHARACTERS)), None)
    if not isinstance(found, tuple):
        return ""
    text = found[1][:SAMPLE_CHARACTERS]
    whole_lines = text.rfind("\n") + 1
    return text[:whole_lines] if whole_lines and len(found[1]) > SAMPLE_CHARACTERS else text


def _tokens(encoding: Encoding, text: str) -> TokenPatch:
    import engine

    return engine.EditedText(encoding).reset(text)

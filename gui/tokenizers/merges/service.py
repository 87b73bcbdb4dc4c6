"""Merges of a text, traced off the GUI thread: split, merge trace, state after some merges, and why not one token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.editor.offsets import char_to_utf16, document_text, pretoken_patch, stored_to_document
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
from gui.tokenizers.merges.forest import MergeForest, forest_of_account

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.analysis.merge_types import CutText, MergeState, NotOneToken, PretokenTrace
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding

LONGEST = -1
"""As the index of a pretoken: the longest one, which has the most to show."""
FROM_END = 1 << 30
"""As a number of merges: all of them."""
NO_FOREST = MergeForest()


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """A text to trace.

    ``pretoken``: its index; an index past the end stands for the last. ``done``: number of merges done. ``stretch``:
    the span of the displayed text to explain, in UTF-16 units; None for all of it.
    """

    revision: int
    encoding: str
    text: str
    pretoken: int = 0
    done: int = FROM_END
    stretch: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ShownText:
    """A split text, and how an editor shows it.

    ``document``: content of the editor. ``patch``: its pretokens as tokens, each with its index as ID. ``places``:
    int32[n + 1], offset of each character of the split text in the document, in UTF-16 units.
    """

    cut: CutText
    document: str
    patch: TokenPatch
    places: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class MergeReply:
    """The answer to a request. ``pretoken``: the index used.

    ``spans``: of each merge, the byte offsets in the pretoken of the left token, of the right token, and of the end.
    ``whys``: explanations of the requested span; without one, of the whole text and of the pretoken if that is shorter.
    ``tokens``: bytes of the tokens that these mention. ``problem``: why there is no trace; empty if there is one or the
    text is empty.
    """

    request: MergeRequest
    text: ShownText
    pretoken: int
    account: PretokenTrace | None = None
    forest: MergeForest = NO_FOREST
    state: MergeState | None = None
    spans: Sequence[tuple[int, int, int]] = ()
    whys: tuple[NotOneToken, ...] = ()
    tokens: Mapping[int, bytes] = field(default_factory=dict)
    problem: str = ""


class MergeService(QObject):
    """Service that traces merges; only the newest request is answered.

    Signals: ``answered(MergeReply)``; ``failed(str)`` with a sentence.
    """

    answered = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, open_encoding: OpenEncoding, parent: QObject | None = None) -> None:
        """``open_encoding``: opens an encoding by name, on a worker thread."""
        super().__init__(parent)
        self._revision = 0
        self._lane = runner.conflated(self.tr("Tracing merges"), partial(_look, open_encoding, _Known()))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def ask(self, encoding: str, text: str, pretoken: int, done: int, stretch: tuple[int, int] | None = None) -> None:
        """Trace merges. Replaces the previous request."""
        self._revision += 1
        self._lane.submit(MergeRequest(self._revision, encoding, text, pretoken, done, stretch))

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request.revision == self._revision:
            self.answered.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request.revision == self._revision:
            self.failed.emit(failure.why)


class _Known:
    """Cached last results: the next request is usually about the same text. Used only by the lane's thread."""

    def __init__(self) -> None:
        self.text: tuple[Encoding, str, ShownText] | None = None
        self.account: _Account | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Account:
    encoding: Encoding
    pretoken: str
    account: PretokenTrace
    forest: MergeForest
    spans: Sequence[tuple[int, int, int]]


def _look(open_encoding: OpenEncoding, known: _Known, request: MergeRequest, _ticket: Ticket) -> MergeReply:
    """Answer a request, on a worker thread. Raises EngineError if the text cannot be split."""
    from engine.analysis.merge_steps import state_after, why_not_one
    from engine.errors import UnsupportedTextError

    encoding = open_encoding(request.encoding)
    if known.text is None or known.text[0] is not encoding or known.text[1] != request.text:
        try:
            known.text = encoding, request.text, _shown(encoding, request.text)
        except UnsupportedTextError as error:
            return MergeReply(request, _nothing_shown(), 0, problem=str(error))
    text = known.text[2]
    place = max(0, min(_longest(text.cut) if request.pretoken == LONGEST else request.pretoken, len(text.cut) - 1))
    if not text.cut.text:
        return MergeReply(request, text, place)
    try:
        whys = tuple(why_not_one(encoding, text.cut, *stretch) for stretch in _spans_of(text, place, request.stretch))
        tokens = {token_id: encoding.token_info(token_id).token_bytes for why in whys for token_id in _ids_in(why)}
        if not len(text.cut):
            return MergeReply(request, text, place, whys=whys, tokens=tokens)
        found = _account(encoding, text.cut.pretoken(place), known)
    except UnsupportedTextError as error:
        return MergeReply(request, text, place, problem=str(error))
    state = state_after(encoding, found.account, min(request.done, len(found.account.steps)))
    return MergeReply(request, text, place, found.account, found.forest, state, found.spans, whys, tokens)


def _longest(cut: CutText) -> int:
    """Return the index of the longest pretoken, the first of several; 0 if there is none."""
    return int((cut.char_spans[:, 1] - cut.char_spans[:, 0]).argmax()) if len(cut) else 0


def _shown(encoding: Encoding, text: str) -> ShownText:
    import numpy as np

    from engine.analysis.merge_steps import cut_text

    cut = cut_text(encoding, text)
    places = stored_to_document(char_to_utf16(np.arange(len(cut.text) + 1), cut.text), cut.text)
    return ShownText(cut, document_text(cut.text), pretoken_patch(cut.text, cut.char_spans), places)


def _nothing_shown() -> ShownText:
    import numpy as np

    from engine.analysis.merge_types import CutText

    cut = CutText("", False, np.empty((0, 2), dtype=np.int64))
    return ShownText(cut, "", pretoken_patch("", cut.char_spans), np.zeros(1, dtype=np.int32))


def _account(encoding: Encoding, pretoken: str, known: _Known) -> _Account:
    from engine.analysis.merge_steps import merge_spans, trace_of

    if known.account is None or known.account.encoding is not encoding or known.account.pretoken != pretoken:
        account = trace_of(encoding, pretoken)
        spans = merge_spans(account)
        known.account = _Account(encoding, pretoken, account, forest_of_account(account, spans), spans)
    return known.account


def _spans_of(text: ShownText, pretoken: int, stretch: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """Return the spans to explain, in characters of the split text."""
    if stretch is not None:
        start, end = (int(text.places.searchsorted(place, "left")) for place in stretch)
        if start < end <= len(text.cut.text):
            return ((start, end),)
    whole = (0, len(text.cut.text))
    if not len(text.cut):
        return (whole,)
    start, end = text.cut.char_spans[pretoken].tolist()
    return (whole,) if (start, end) == whole else (whole, (start, end))


def _ids_in(why: NotOneToken) -> Iterator[int]:
    """Yield the IDs of the tokens that an explanation may mention."""
    from engine.analysis.merge_types import InsideWhole, MergedOn, NoSuchToken, TakenFirst

    reason = why.reason
    if isinstance(reason, InsideWhole):
        yield reason.whole_id
    elif isinstance(reason, MergedOn):
        yield from (reason.merge.left_id, reason.merge.right_id, reason.merge.token_id)
    elif isinstance(reason, NoSuchToken):
        for pair in reason.missing:
            yield from (pair.left.token_id, pair.right.token_id)
    lost = reason.lost if isinstance(reason, NoSuchToken) else (reason.lost,) if isinstance(reason, TakenFirst) else ()
    for one in lost:
        yield from (one.token_id, one.taken_by.left_id, one.taken_by.right_id, one.taken_by.token_id)

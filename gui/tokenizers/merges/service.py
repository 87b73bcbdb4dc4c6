"""Merges of a text, traced off the GUI thread: split, merge trace, state after some merges, and why not one token.

A token has one tree of merges; a pretoken of several tokens has one tree for each, side by side: a forest. Trees can be
deeper than Python's stack, and have more nodes than can be viewed, so they are flattened without recursion and
truncated at a number of nodes.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Signal

from engine.analysis.merge_types import (
    InsideWhole,
    IsToken,
    LostToken,
    MergedOn,
    NeverMade,
    NoSuchToken,
    SplitApart,
    TakenFirst,
)
from gui.core.token_text import visible, visible_text
from gui.editor.offsets import char_to_utf16, document_text, pretoken_patch, stored_to_document
from gui.runtime.jobs import JobRunner, NewestRequest, Ticket

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.analysis.merge_types import CutText, MergeState, NotOneToken, PretokenTrace
    from engine.types import MergeStep, MergeTree, TokenPatch
    from gui.core.user_encodings import OpenEncoding


# --- forest of merges -------------------------------------------------------------------------------------------------

T = TypeVar("T")

MAX_NODES = 3_000
"""Maximum number of nodes: enough for 1,500 bytes that end in a single token."""


@dataclass(frozen=True, slots=True)
class ForestNode:
    """A token in a tree.

    ``byte_start``: byte offset in the forest. ``left``, ``right``, ``parent``: indexes of its parts and its parent in
    the list, -1 for none. ``step``: 1-based number of the merge that makes it, 0 if no merge does. ``is_cut``: True if
    its parts are omitted.
    """

    token_id: int
    token_bytes: bytes
    byte_start: int
    left: int = -1
    right: int = -1
    parent: int = -1
    step: int = 0
    is_cut: bool = False

    @property
    def is_leaf(self) -> bool:
        """True if no parts are shown below it."""
        return self.left < 0


@dataclass(frozen=True, slots=True)
class MergeForest:
    """Flattened trees. Parents come before their parts; the first ``roots`` nodes are the roots, from left to right.

    ``left_out``: number of further roots that were omitted.
    """

    nodes: tuple[ForestNode, ...] = ()
    roots: int = 0
    left_out: int = 0

    @property
    def is_cut(self) -> bool:
        """True if roots or parts are omitted."""
        return self.left_out > 0 or any(node.is_cut for node in self.nodes)

    def reading_order(self) -> Iterator[int]:
        """Yield the indexes of all nodes in preorder: a node before its parts, the left part before the right one."""
        waiting = list(range(self.roots))[::-1]
        while waiting:
            index = waiting.pop()
            yield index
            node = self.nodes[index]
            if not node.is_leaf:
                waiting += [node.right, node.left]


def forest_of(trees: Sequence[MergeTree], most_nodes: int = MAX_NODES) -> MergeForest:
    """Return the forest of these tokens, side by side.

    Merges are numbered in the order in which BPE performs them: among the merges whose parts exist, the lowest ID
    first, the leftmost of equal ones.
    """

    def parts_of(tree: MergeTree) -> tuple[MergeTree, MergeTree] | None:
        return None if tree.left is None or tree.right is None else (tree.left, tree.right)

    def node_of(tree: MergeTree, byte_start: int) -> ForestNode:
        return ForestNode(tree.token_id, tree.token_bytes, byte_start)

    return _numbered(_flattened(trees, parts_of, node_of, most_nodes))


def forest_of_trace(
    trace: PretokenTrace, spans: Sequence[tuple[int, int, int]], most_nodes: int = MAX_NODES
) -> MergeForest:
    """Return the forest of a pretoken: a tree for each of its tokens.

    ``spans``: of each merge, the byte offsets of its start, its inner boundary, and its end
    (``engine.analysis.merge_steps.merge_spans``).
    """
    content = trace.content
    made: dict[tuple[int, int], tuple[int, int, MergeStep]] = {}  # span: inner boundary, number of the merge, merge
    longest = [1] * len(content)
    for first, end in pairwise((0, *trace.first_ends)):
        longest[first] = end - first
    firsts: dict[int, int] = {}
    for number, (step, (start, middle, end)) in enumerate(zip(trace.steps, spans, strict=True), 1):
        made[start, end] = middle, number, step
        longest[start] = end - start
        if (start, middle) not in made:
            firsts[start] = step.left_id
        if (middle, end) not in made:
            firsts[middle] = step.right_id
    tops: list[tuple[int, int]] = []
    offset = 0
    while offset < len(content):
        end = len(content) if trace.is_looked_up else offset + longest[offset]
        tops.append((offset, end))
        offset = end
    top_ids = dict(zip(tops, trace.ids, strict=True))

    def parts_of(span: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
        if span not in made:
            return None
        middle = made[span][0]
        return (span[0], middle), (middle, span[1])

    def node_of(span: tuple[int, int], byte_start: int) -> ForestNode:
        token_bytes = content[slice(*span)]
        if span in made:
            _middle, number, step = made[span]
            return ForestNode(step.token_id, token_bytes, byte_start, step=number)
        token_id = top_ids[span] if span in top_ids else firsts[byte_start]
        return ForestNode(token_id, token_bytes, byte_start)

    return _flattened(tops, parts_of, node_of, most_nodes)


def _flattened(
    tops: Sequence[T],
    parts_of: Callable[[T], tuple[T, T] | None],
    node_of: Callable[[T, int], ForestNode],
    most_nodes: int,
) -> MergeForest:
    """Build the forest level by level, so that truncation omits the bottom. ``node_of``: takes a byte offset."""
    shown = tops[:most_nodes]
    nodes: list[ForestNode] = []
    waiting: deque[tuple[int, T]] = deque()
    byte_start = 0
    for top in shown:
        waiting.append((len(nodes), top))
        nodes.append(node_of(top, byte_start))
        byte_start += len(nodes[-1].token_bytes)
    while waiting:
        index, tree = waiting.popleft()
        parts = parts_of(tree)
        if parts is None:
            continue
        if len(nodes) + 2 > most_nodes:
            nodes[index] = replace(nodes[index], is_cut=True)
            continue
        byte_start = nodes[index].byte_start
        nodes[index] = replace(nodes[index], left=len(nodes), right=len(nodes) + 1)
        for part in parts:
            waiting.append((len(nodes), part))
            nodes.append(replace(node_of(part, byte_start), parent=index))
            byte_start += len(nodes[-1].token_bytes)
    return MergeForest(tuple(nodes), len(shown), len(tops) - len(shown))


def _open_parts(nodes: Sequence[ForestNode], node: ForestNode) -> int:
    """Return the number of parts of a node that are merged themselves."""
    return 0 if node.is_leaf else sum(not nodes[part].is_leaf for part in (node.left, node.right))


def _numbered(forest: MergeForest) -> MergeForest:
    """Return the forest with its merges numbered; unchanged if it is truncated and the numbers are unknown."""
    if forest.is_cut:
        return forest
    nodes = list(forest.nodes)
    waiting = [_open_parts(nodes, node) for node in nodes]
    ready = [(node.token_id, node.byte_start, index) for index, node in enumerate(nodes) if waiting[index] == 0]
    ready = [entry for entry in ready if not nodes[entry[2]].is_leaf]
    heapq.heapify(ready)
    step = 0
    while ready:
        _, _, index = heapq.heappop(ready)
        step += 1
        nodes[index] = replace(nodes[index], step=step)
        parent = nodes[index].parent
        if parent >= 0:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                heapq.heappush(ready, (nodes[parent].token_id, nodes[parent].byte_start, parent))
    return replace(forest, nodes=tuple(nodes))


NO_FOREST = MergeForest()


# --- the service ------------------------------------------------------------------------------------------------------

LONGEST = -1
"""As the index of a pretoken: the longest one, which has the most to show."""
FROM_END = 1 << 30
"""As a number of merges: all of them."""


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """A text to trace.

    ``pretoken``: its index; an index past the end stands for the last. ``done``: number of merges done. ``span``:
    the span of the displayed text to explain, in UTF-16 units; None for all of it.
    """

    encoding: str
    text: str
    pretoken: int = 0
    done: int = FROM_END
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ShownText:
    """A split text, and how an editor shows it.

    ``document``: content of the editor. ``patch``: its pretokens as tokens, each with its index as ID. ``offsets``:
    int32[n + 1], offset of each character of the split text in the document, in UTF-16 units.
    """

    cut: CutText
    document: str
    patch: TokenPatch
    offsets: NDArray[np.int32]


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
    trace: PretokenTrace | None = None
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
        lane = runner.conflated(self.tr("Tracing merges"), partial(_look, open_encoding, _Known()))
        self._lane = NewestRequest(lane)
        self._lane.answered.connect(self.answered)
        self._lane.failed.connect(self.failed)

    def ask(self, encoding: str, text: str, pretoken: int, done: int, span: tuple[int, int] | None = None) -> None:
        """Trace merges. Replaces the previous request."""
        self._lane.submit(MergeRequest(encoding, text, pretoken, done, span))


class _Known:
    """Cached last results: the next request is usually about the same text. Used only by the lane's thread."""

    def __init__(self) -> None:
        self.text: tuple[Encoding, str, ShownText] | None = None
        self.traced: _Traced | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Traced:
    encoding: Encoding
    pretoken: str
    trace: PretokenTrace
    forest: MergeForest
    spans: Sequence[tuple[int, int, int]]


def _look(open_encoding: OpenEncoding, known: _Known, request: MergeRequest, _ticket: Ticket) -> MergeReply:
    """Answer a request, on a worker thread. Raises EngineError if the text cannot be split."""
    from engine.analysis.merge_steps import state_after, why_not_one
    from engine.errors import UnsupportedTextError

    encoding = open_encoding(request.encoding)
    if known.text is None or known.text[0] is not encoding or known.text[1] != request.text:
        try:
            known.text = encoding, request.text, _split_text(encoding, request.text)
        except UnsupportedTextError as error:
            return MergeReply(request, _nothing_shown(), 0, problem=str(error))
    text = known.text[2]
    pretoken = max(0, min(_longest(text.cut) if request.pretoken == LONGEST else request.pretoken, len(text.cut) - 1))
    if not text.cut.text:
        return MergeReply(request, text, pretoken)
    try:
        whys = tuple(why_not_one(encoding, text.cut, *one) for one in _spans_of(text, pretoken, request.span))
        tokens = {token_id: encoding.token_info(token_id).token_bytes for why in whys for token_id in _ids_in(why)}
        if not len(text.cut):
            return MergeReply(request, text, pretoken, whys=whys, tokens=tokens)
        found = _traced(encoding, text.cut.pretoken(pretoken), known)
    except UnsupportedTextError as error:
        return MergeReply(request, text, pretoken, problem=str(error))
    state = state_after(encoding, found.trace, min(request.done, len(found.trace.steps)))
    return MergeReply(request, text, pretoken, found.trace, found.forest, state, found.spans, whys, tokens)


def _longest(cut: CutText) -> int:
    """Return the index of the longest pretoken, the first of several; 0 if there is none."""
    return int((cut.char_spans[:, 1] - cut.char_spans[:, 0]).argmax()) if len(cut) else 0


def _split_text(encoding: Encoding, text: str) -> ShownText:
    import numpy as np

    from engine.analysis.merge_steps import cut_text

    cut = cut_text(encoding, text)
    offsets = stored_to_document(char_to_utf16(np.arange(len(cut.text) + 1), cut.text), cut.text)
    return ShownText(cut, document_text(cut.text), pretoken_patch(cut.text, cut.char_spans), offsets)


def _nothing_shown() -> ShownText:
    import numpy as np

    from engine.analysis.merge_types import CutText

    cut = CutText("", False, np.empty((0, 2), dtype=np.int64))
    return ShownText(cut, "", pretoken_patch("", cut.char_spans), np.zeros(1, dtype=np.int32))


def _traced(encoding: Encoding, pretoken: str, known: _Known) -> _Traced:
    from engine.analysis.merge_steps import merge_spans, trace_of

    if known.traced is None or known.traced.encoding is not encoding or known.traced.pretoken != pretoken:
        trace = trace_of(encoding, pretoken)
        spans = merge_spans(trace)
        known.traced = _Traced(encoding, pretoken, trace, forest_of_trace(trace, spans), spans)
    return known.traced


def _spans_of(text: ShownText, pretoken: int, span: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """Return the spans to explain, in characters of the split text."""
    if span is not None:
        start, end = (int(text.offsets.searchsorted(offset, "left")) for offset in span)
        if start < end <= len(text.cut.text):
            return ((start, end),)
    whole = (0, len(text.cut.text))
    if not len(text.cut):
        return (whole,)
    start, end = text.cut.char_spans[pretoken].tolist()
    return (whole,) if (start, end) == whole else (whole, (start, end))


def _ids_in(why: NotOneToken) -> Iterator[int]:
    """Yield the IDs of the tokens that an explanation may mention."""
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


# --- why not one token ------------------------------------------------------------------------------------------------

MAX_TOKEN_CHARACTERS = 40
MAX_NAMED = 12


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("MergeWords", text)


def explained(why: NotOneToken, tokens: Mapping[int, bytes]) -> str:
    """Explain in plain text why a text is not one token. ``tokens``: bytes of the tokens mentioned."""
    lines = [_reason(why, tokens)]
    if why.special_id is not None:
        words = tr(
            "With special tokens allowed, it is special token {id}. As ordinary text, the rule for user input, it is "
            "not."
        )
        lines.insert(0, words.format(id=why.special_id))
    return f"{_quoted(why.content)}: " + "\n".join(lines)


def _reason(why: NotOneToken, tokens: Mapping[int, bytes]) -> str:
    reason = why.reason
    match reason:
        case IsToken():
            return _is_token(reason)
        case SplitApart():
            return _split_apart(reason)
        case NoSuchToken():
            return _no_such_token(reason, tokens)
        case TakenFirst():
            words = tr("not one token here, although the vocabulary has it as {id}. Another merge came first: {lost}.")
            return words.format(id=reason.lost.token_id, lost=_lost(reason.lost, tokens))
        case MergedOn():
            made = tr("from the beginning") if not reason.made_at else tr("after merge {n}").format(n=reason.made_at)
            words = tr("was token {id} {made}; merge {n} made it part of a larger one: {merge}.")
            merge = _merge(reason.merge, tokens)
            return words.format(id=reason.token_id, made=made, n=reason.step, merge=merge)
        case InsideWhole():
            words = tr("part of {whole} (token {id}), which is looked up whole, without merges.")
            return words.format(whole=_shown(tokens[reason.whole_id]), id=reason.whole_id)
        case NeverMade():
            words = tr(
                "not one token here. The vocabulary has it as {id}, but no merges produce it: it is used only for a "
                "whole pretoken."
            )
            return words.format(id=reason.token_id)


def _is_token(reason: IsToken) -> str:
    if reason.is_looked_up:
        words = tr("one token, {id}. It is looked up whole, without merges.")
        return words.format(id=reason.token_id)
    if not reason.step:
        return tr("one token, {id}: a single byte.").format(id=reason.token_id)
    return tr("one token, {id}, made by merge {n}.").format(id=reason.token_id, n=reason.step)


def _split_apart(reason: SplitApart) -> str:
    lines = []
    if len(reason.pieces) > 1:
        named = "  |  ".join(_shown(piece.encode("utf-8")) for piece in reason.pieces[:MAX_NAMED])
        more = "  |  …" if len(reason.pieces) > MAX_NAMED else ""
        words = tr("the pattern splits it into {n} pretokens, and merges never cross a pretoken boundary: {pieces}")
        lines.append(words.format(n=f"{len(reason.pieces):,}", pieces=named + more))
        cuts = ", ".join(f"{cut:,}" for cut in reason.char_cuts[:MAX_NAMED])
        words = (
            tr("It is split after character {cuts}.")
            if len(reason.char_cuts) == 1
            else tr("It is split after the characters {cuts}.")
        )
        lines.append(words.format(cuts=cuts + (", …" if len(reason.char_cuts) > MAX_NAMED else "")))
    if reason.left_out:
        words = tr("The split pattern drops {n} of its characters: they get no token.")
        lines.append(words.format(n=f"{reason.left_out:,}"))
    if reason.token_id is not None:
        words = tr(
            "The vocabulary has a token for exactly this text, {id}, but the split keeps the text from becoming it."
        )
        lines.append(words.format(id=reason.token_id))
    return "\n".join(lines)


def _no_such_token(reason: NoSuchToken, tokens: Mapping[int, bytes]) -> str:
    joins = [
        f"{_shown(tokens[pair.left.token_id])} + {_shown(tokens[pair.right.token_id])}"
        for pair in reason.missing[:MAX_NAMED]
    ]
    more = tr(", and others") if len(reason.missing) > MAX_NAMED else ""
    lines = [tr("the required merge does not exist: the vocabulary has no such token.")]
    if joins:
        words = tr("The remaining tokens do not merge: {joins}.")
        lines.append(words.format(joins=", ".join(joins) + more))
    for lost in reason.lost:
        words = tr("{token} (token {id}) exists, but another merge came first: {lost}.")
        lines.append(words.format(token=_shown(tokens[lost.token_id]), id=lost.token_id, lost=_lost(lost, tokens)))
    return "\n".join(lines)


def _lost(lost: LostToken, tokens: Mapping[int, bytes]) -> str:
    return tr("merge {n} took {merge}").format(n=lost.step, merge=_merge(lost.taken_by, tokens))


def _merge(step: MergeStep, tokens: Mapping[int, bytes]) -> str:
    left, right, made = (_shown(tokens[token_id]) for token_id in (step.left_id, step.right_id, step.token_id))
    return f"{left} + {right} → {made}"


def _shown(data: bytes) -> str:
    text = visible(data[: 4 * MAX_TOKEN_CHARACTERS])
    return text if len(text) <= MAX_TOKEN_CHARACTERS else text[: MAX_TOKEN_CHARACTERS - 1] + "…"


def _quoted(text: str) -> str:
    cut = visible_text(text[: MAX_TOKEN_CHARACTERS + 1])
    return f"“{cut[:MAX_TOKEN_CHARACTERS]}…”" if len(text) > MAX_TOKEN_CHARACTERS else f"“{cut}”"

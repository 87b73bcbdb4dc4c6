"""Everything there is to say about one token of a vocabulary. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine import Encoding
    from engine.entries.search import EntrySearch
    from engine.types import MergeStep, MergeTree
    from gui.runtime.jobs import Ticket


@dataclass(frozen=True, slots=True, eq=False)
class TokenRequest:
    """An id of an encoding, and what searches its entries."""

    encoding: Encoding
    search: EntrySearch
    token_id: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenDetail:
    """What was found out.

    ``rank``: None for what is not merged by rank. ``reachable``: None for an unused id, and
    where it is not known. ``encoded``: the ids that its
    text is encoded to, where that is not itself. ``tree``: None for an unused id. ``steps``: its merges in order.
    The rest is None before there is a diagnosis: ``script``, ``findings`` by name, ``children`` (int64[m], ids of the
    tokens it is a parent of), ``built_in_all`` (tokens that have it in their trees).
    """

    request: TokenRequest
    token_bytes: bytes
    kind: str
    rank: int | None
    reachable: bool | None
    encoded: tuple[int, ...]
    tree: MergeTree | None
    steps: tuple[MergeStep, ...]
    script: str | None
    findings: tuple[str, ...] | None
    children: NDArray[np.int64] | None
    built_in_all: int | None

    @property
    def token_id(self) -> int:
        """The id."""
        return self.request.token_id

    @property
    def parents(self) -> tuple[int, int] | None:
        """The ids of the two tokens it is merged from."""
        tree = self.tree
        return (
            None
            if tree is None or tree.left is None or tree.right is None
            else (tree.left.token_id, tree.right.token_id)
        )


def look_at(request: TokenRequest, _ticket: Ticket) -> TokenDetail:
    """Find out about a token. On a worker thread."""
    from engine.entries.descent import children_of
    from engine.entries.reach import is_reachable

    encoding, search, token_id = request.encoding, request.search, request.token_id
    info = encoding.token_info(token_id)
    reachable = is_reachable(encoding, search.entries, token_id)
    is_merged = info.kind in ("byte", "merge")
    diagnosis = search.diagnosis
    return TokenDetail(
        request,
        info.token_bytes,
        info.kind,
        info.rank,
        reachable,
        tuple(encoding.encode_ordinary(info.token_bytes.decode("utf-8", "replace"))) if reachable is False else (),
        encoding.merge_tree(token_id) if info.token_bytes else None,
        tuple(encoding.merge_steps(info.token_bytes)) if is_merged else (),
        diagnosis and diagnosis.script(token_id),
        diagnosis and diagnosis.findings_of(token_id),
        diagnosis and children_of(token_id, diagnosis.parents),
        diagnosis and int(diagnosis.built_in_all[token_id]),
    )

"""Diagnostics of all entries of a vocabulary.

``diagnose`` takes a few seconds for 200,000 entries; its ``Diagnosis`` can be stored (``pack``, ``unpack``). It has the
two tokens that each token is merged from, the number of tokens built on it, directly (``built_directly``: as one of
those two) and in total (``built_in_all``), and its findings. A finding is an index into ``FINDINGS``:

- ``unreachable``: no text is encoded to it.
- ``partial UTF-8``: its bytes are not whole characters.
- ``white space``: only whitespace (Unicode's property White_Space).
- ``control``: it has a control or format character (categories Cc and Cf) that is not whitespace.
- ``unused id``: the id has no token.

A token is unreachable (``unreachable_ids``, ``is_reachable``) if encoding its own bytes gives other ids. Such entries
exist because a vocabulary may be trained with one split pattern and used with another, which splits them: `` I'`` is a
token in o200k_base, but its pattern sets a boundary before the apostrophe. A token that is only part of a character
cannot be given to an encoder as a text; it is reachable if merges produce it. Reachability is unknown for a tokenizer
that a library runs: how it encodes a token's text alone differs from how it encodes it within another.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from engine.runtime.cancellation import interruptible
from engine.text import character_classes
from engine.text.character_classes import SCRIPT_NAMES, scripts_of
from engine.types import TokenParents
from engine.vocabulary.entries import BYTE, MERGE, SPECIAL, UNUSED, Characters, EntryTable, characters_of
from engine.vocabulary.tokens import none_of, parents_by_replay, tokens_by_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.encoding.encoding import Encoding


PIECE = 4096
"""Trees traversed at a time: this many fit into the processor's caches."""


def built_directly(parents: TokenParents) -> NDArray[np.int32]:
    """Return int32[n_vocab], read-only: number of tokens with each id as a parent; two equal parents count once."""
    made = parents.left >= 0
    left, right = parents.left[made], parents.right[made]
    n_vocab = len(parents.left)
    counts = np.bincount(left, minlength=n_vocab) + np.bincount(right[right != left], minlength=n_vocab)
    return _read_only(counts)


def built_in_all(parents: TokenParents, piece: int = PIECE) -> NDArray[np.int32]:
    """Return int32[n_vocab], read-only: number of tokens that have each id anywhere in their merge tree below the root.
    ``piece``: number of trees traversed at a time."""
    n_vocab = len(parents.left)
    counts = np.zeros(n_vocab, dtype=np.int64)
    made = np.flatnonzero(parents.left >= 0)
    for first in interruptible(range(0, len(made), piece), every=1):
        counts += np.bincount(_in_trees(made[first : first + piece], parents) % n_vocab, minlength=n_vocab)
    return _read_only(counts)


def _in_trees(tokens: NDArray[np.int64], parents: TokenParents) -> NDArray[np.int64]:
    """Return int64[m]: ``token * n_vocab + id`` for every id in the tree of each token, without repeats. Descends all
    trees at once, level by level."""
    level = _pairs(tokens, tokens, parents)
    seen = [level]
    while len(level):
        token, inside = np.divmod(level, len(parents.left))
        made = parents.left[inside] >= 0
        level = _pairs(token[made], inside[made], parents)
        seen.append(level)
    return np.unique(np.concatenate(seen))


def _pairs(tokens: NDArray[np.int64], inside: NDArray[np.int64], parents: TokenParents) -> NDArray[np.int64]:
    """Return int64[m]: ``token * n_vocab + parent`` for both parents of the ids ``inside`` the trees of ``tokens``,
    without repeats."""
    n_vocab = len(parents.left)
    above = np.concatenate([parents.left[inside], parents.right[inside]]).astype(np.int64)
    return np.unique(np.concatenate([tokens, tokens]) * n_vocab + above)


def children_of(token_id: int, parents: TokenParents) -> NDArray[np.int64]:
    """Return int64[m]: the ids of the tokens that have an id as a parent, in merge order."""
    return np.flatnonzero((parents.left == token_id) | (parents.right == token_id))


def _read_only(counts: NDArray[np.int64]) -> NDArray[np.int32]:
    narrow = counts.astype(np.int32)
    narrow.flags.writeable = False
    return narrow


# --- unreachable entries ----------------------------------------------------------------------------------------------

BETWEEN_REPORTS = 256
"""Tokens encoded between two progress reports."""


def unreachable_ids(
    encoding: Encoding, entries: EntryTable, parents: TokenParents, report: Callable[[float], None] | None = None
) -> NDArray[np.bool_]:
    """Return bool[n], read-only: byte and merge tokens that are unreachable. ``parents``: of all tokens. ``report`` is
    called with the progress, from 0 to 1; an exception from it ends the work. Takes a second or two for 200,000
    tokens."""
    merged = parents.left >= 0
    unreachable = np.zeros(len(entries), dtype=np.bool_)

    def is_merged(token_id: int) -> bool:
        return bool(merged[token_id])

    for first in range(0, len(entries), BETWEEN_REPORTS):
        if report is not None:
            report(first / len(entries))
        stop = min(first + BETWEEN_REPORTS, len(entries))
        for token_id, token in enumerate(entries.tokens(first, stop), first):
            if entries.kinds[token_id] in (BYTE, MERGE):
                unreachable[token_id] = not _is_reached(encoding, token_id, token, is_merged)
    unreachable.flags.writeable = False
    return unreachable


def is_reachable(encoding: Encoding, entries: EntryTable, token_id: int) -> bool | None:
    """Return True if some text is encoded to an id, or a special token's text to it by name. None if the id is unused
    or the answer is unknown."""
    kind = entries.kinds[token_id]
    if kind in (BYTE, MERGE):
        return _is_reached(
            encoding,
            token_id,
            entries.token_bytes(token_id),
            lambda number: encoding.parents_of(number) is not None,
        )
    return True if kind == SPECIAL else None


def _is_reached(encoding: Encoding, token_id: int, token: bytes, is_merged: Callable[[int], bool]) -> bool:
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return len(token) == 1 or is_merged(token_id)
    return encoding.encode_ordinary(text) == [token_id]


# --- findings ---------------------------------------------------------------------------------------------------------

FINDINGS = ("unreachable", "partial UTF-8", "white space", "control", "unused id")
UNREACHABLE, PARTIAL, WHITE_SPACE, CONTROL, UNUSED_ID = range(len(FINDINGS))

_VERSION = b"1"
_SHARES = (0.35, 0.5, 0.15)
"""Shares of the time that reachability, parents and the rest take."""


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """Findings and figures of every id of a vocabulary. Arrays are read-only.

    ``findings``: uint8[n], bit ``i`` is set if ``FINDINGS[i]`` applies to the id. ``scripts``: uint8[n], indices into
    ``SCRIPT_NAMES``. ``left``, ``right``: int32[n], as in ``TokenParents``. ``built_directly``, ``built_in_all``:
    int32[n], number of tokens built on it, by the functions of these names.
    """

    findings: NDArray[np.uint8]
    scripts: NDArray[np.uint8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    built_directly: NDArray[np.int32]
    built_in_all: NDArray[np.int32]

    @property
    def parents(self) -> TokenParents:
        """The two tokens that each token is merged from."""
        return TokenParents(self.left, self.right)

    def findings_of(self, token_id: int) -> tuple[str, ...]:
        """Return the names of the findings of one id."""
        bits = int(self.findings[token_id])
        return tuple(name for index, name in enumerate(FINDINGS) if bits >> index & 1)

    def script(self, token_id: int) -> str:
        """Return the script of most letters of one id."""
        return SCRIPT_NAMES[self.scripts[token_id]]


def diagnose(encoding: Encoding, entries: EntryTable, report: Callable[[float], None] | None = None) -> Diagnosis:
    """Diagnose all entries of an encoding. ``report`` is called with the progress, from 0 to 1; an exception from it
    ends the work."""
    advance = report or _no_report
    reach, parent, rest = _SHARES
    parents = _parents(encoding, lambda done: advance(done * parent))
    unreachable = unreachable_ids(encoding, entries, parents, lambda done: advance(parent + done * reach))
    findings = _bits(unreachable, UNREACHABLE)
    scripts = np.zeros(len(entries), dtype=np.uint8)
    for piece in characters_of(entries):
        advance(reach + parent + rest * piece.first_id / len(entries))
        span = slice(piece.first_id, piece.first_id + piece.n_tokens)
        scripts[span] = scripts_of(piece.points, piece.owners, piece.n_tokens)
        findings[span] |= _findings_of_characters(piece, entries.byte_lengths[span])
    findings |= _bits(entries.kinds == UNUSED, UNUSED_ID)
    scripts[entries.kinds == SPECIAL] = 0  # the name of a special token indicates no language
    for array in (findings, scripts):
        array.flags.writeable = False
    return Diagnosis(findings, scripts, parents.left, parents.right, built_directly(parents), built_in_all(parents))


def _parents(encoding: Encoding, report: Callable[[float], None]) -> TokenParents:
    """Return the parents; immediate with kernels or without merges, else slow enough to report progress."""
    if encoding.uses_kernels or encoding.no_merges:
        return encoding.token_parents
    return parents_by_replay(encoding._table, encoding.n_vocab, report)


def _no_report(_done: float) -> None:
    """Default progress callback: does nothing."""


def _findings_of_characters(piece: Characters, byte_lengths: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return uint8[n_tokens]: the findings that follow from the characters of tokens."""
    points = piece.points
    spaces = np.isin(points, character_classes.WHITE_SPACE)
    categories = character_classes.load().categories()[points]
    is_control = np.isin(categories, [character_classes.CATEGORIES.index(name) for name in ("Cc", "Cf")]) & ~spaces
    partial = piece.tokens_with(piece.escapes)
    white = ~piece.tokens_with(~spaces) & (byte_lengths > 0)
    control = piece.tokens_with(is_control)
    return _bits(partial, PARTIAL) | _bits(white, WHITE_SPACE) | _bits(control, CONTROL)


def _bits(flags: NDArray[np.bool_], finding: int) -> NDArray[np.uint8]:
    return flags.astype(np.uint8) * np.uint8(1 << finding)


def diagnosis_key(encoding: Encoding, entries: EntryTable) -> str:
    """Return a digest of everything that a diagnosis depends on, in 32 letters: entries, split, preparation and these
    rules."""
    digest = hashlib.sha256(_VERSION)
    version = character_classes.load().version
    preparation = getattr(encoding, "preparation", None)
    digest.update(repr((len(entries), encoding.pattern, version, preparation)).encode())
    for array in (entries.offsets, entries.kinds):
        digest.update(array.tobytes())
    digest.update(entries.blob)
    return digest.hexdigest()[:32]


def pack(diagnosis: Diagnosis) -> bytes:
    """Serialize a diagnosis to the content of a file."""
    buffer = io.BytesIO()
    np.savez(buffer, **{field.name: getattr(diagnosis, field.name) for field in fields(Diagnosis)})
    content = buffer.getvalue()
    return hashlib.sha256(content).digest() + content


def unpack(content: bytes, n_vocab: int) -> Diagnosis | None:
    """Parse the content of a file; None if it is damaged or does not have ``n_vocab`` ids."""
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    arrays = {}
    try:
        with np.load(io.BytesIO(content[32:]), allow_pickle=False) as stored:
            for field in fields(Diagnosis):
                arrays[field.name] = stored[field.name]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    for array in arrays.values():
        if array.shape != (n_vocab,):
            return None
        array.flags.writeable = False
    return Diagnosis(**arrays)


# --- comparison of two vocabularies -----------------------------------------------------------------------------------

NOWHERE = -1
GROUPS = ("same id", "another id", "only here", "only there")
"""Groups of the entries of two vocabularies: in both at the same id, in both at different ids, in only one."""

SAME_ID, ANOTHER_ID, ONLY_HERE, ONLY_THERE = range(len(GROUPS))


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Result of a comparison. Arrays are read-only. ``there``: int32[n], for each id of the first vocabulary the id of
    the same bytes in the second; -1 if it has none, and for unused ids. ``only_there``: int32[m], the ids of the second
    whose bytes the first does not have. A special token never matches another kind of token, even with the same
    bytes."""

    first: EntryTable
    second: EntryTable
    there: NDArray[np.int32]
    only_there: NDArray[np.int32]

    def pairs(self, group: int) -> NDArray[np.int32]:
        """Return int32[k, 2]: the entries of a group (an index into ``GROUPS``) as id here and id there, -1 for none,
        in the order of ids."""
        if group == ONLY_THERE:
            return np.column_stack([np.full_like(self.only_there, NOWHERE), self.only_there])
        here = np.arange(len(self.there), dtype=np.int32)
        chosen = {
            SAME_ID: self.there == here,
            ANOTHER_ID: (self.there != here) & (self.there != NOWHERE),
            ONLY_HERE: (self.there == NOWHERE) & (self.first.kinds != UNUSED),
        }[group]
        return np.column_stack([here[chosen], self.there[chosen]])

    def counts(self) -> tuple[int, ...]:
        """Return the number of entries in each of ``GROUPS``."""
        return tuple(len(self.pairs(group)) for group in range(len(GROUPS)))


def compare(first: EntryTable, second: EntryTable) -> Comparison:
    """Match the tokens of two vocabularies by their bytes."""
    there = np.full(len(first), NOWHERE, dtype=np.int32)
    only_there = np.zeros(len(second), dtype=np.bool_)
    for special in (False, True):
        ours, theirs = (
            tokens_by_length(one.blob, one.offsets, (one.kinds == SPECIAL) == special) for one in (first, second)
        )
        for length, other in interruptible(theirs.items(), every=1):
            own = ours.get(length, none_of(length))
            distinct, earliest = np.unique(other.tokens, return_index=True)
            matches = np.minimum(np.searchsorted(distinct, own.tokens), len(distinct) - 1)
            found = distinct[matches] == own.tokens
            there[own.indices[found]] = other.indices[earliest[matches[found]]]
            only_there[other.indices] = ~np.isin(other.tokens, own.tokens)
    left = np.flatnonzero(only_there).astype(np.int32)
    for array in (there, left):
        array.flags.writeable = False
    return Comparison(first, second, there, left)

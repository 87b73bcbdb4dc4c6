"""Tokenizer data common to all formats, its validation, and the two parts from which each token is merged."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from engine.errors import FormatError
from engine.library.formats.source import quoted
from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import byte_core

MAX_IDS = 1 << 22
"""Upper bound of token IDs. Tables have one entry for each ID, so a file with one large ID could fill the memory."""

MAX_SPARE = 1 << 18
"""Maximum number of unused IDs in a small tokenizer; a large one may have as many as tokens. A small vocabulary may
come with the special tokens of a large one, from 100,257 on for cl100k_base. A table of this size has 2 MB."""

MAX_TOKENS = 1 << 20
"""Maximum number of tokens of a tokenizer from a file. The largest published ones have 270,000."""

LONGEST_TOKEN = 1 << 16
"""Maximum length of a token in bytes, also of a special token."""

LONGEST_PATTERN = 1 << 19
"""Maximum length of a pattern in characters. Published ones have a few hundred; one written for another library, with
each class spelled out, has a hundred thousand. For a million, two engines take seconds."""

SURE_SPECIAL_BYTES = 1 << 16
"""Total size of special tokens, in bytes, up to which they always fit into the regular expression that tiktoken builds
from them: measured with letters, brackets, emoji, one long text and thousands of short ones."""

MAX_TOKEN_BYTES = 32 << 20
"""Maximum total size of all tokens in bytes, for a file that names tokens by their parts and so can expand
enormously."""

MAX_WORK = 1 << 31
"""Maximum sum of the squared lengths of all tokens, in bytes. Published tokenizers reach 20 million."""


@dataclass(frozen=True, slots=True)
class TokenizerData:
    """A byte-level BPE tokenizer.

    ``pattern``: the split pattern, in the dialect of the Rust crates. ``ranks``: token bytes to ID, in merge order.
    ``special_tokens``: text to ID. ``normalization``: steps applied to a text first, in this order, as names like
    ``NFC``, ``lowercase``, ``strip accents``. ``notes``: remarks for the user, in full sentences. ``byte_fallback``:
    whether unknown characters are encoded as single bytes (``engine.text.sentencepiece``).
    """

    pattern: str
    ranks: dict[bytes, int]
    special_tokens: dict[str, int]
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    byte_fallback: bool = False


def token_in_base64(text: str | bytes, where: str) -> bytes:
    """Return the bytes of a token. Raises FormatError, with the position."""
    try:
        token = base64.b64decode(text, validate=True)
    except ValueError:
        raise FormatError(f"{where}: {quoted(text)} is not base64") from None
    if not token or len(token) > LONGEST_TOKEN:
        raise FormatError(f"{where}: a token has {len(token):,} bytes")
    return token


def check(data: TokenizerData) -> TokenizerData:
    """Return the data unchanged. Raises FormatError if no tokenizer can be made of it; the text completes a sentence
    about a file.

    Readers check each entry where they know its position; this function checks the whole.
    """
    missing = [value for value in range(256) if bytes([value]) not in data.ranks]
    if missing:
        raise FormatError(
            f"it has no token for the byte 0x{missing[0]:02x}"
            + (f" and {len(missing) - 1} others" if len(missing) > 1 else "")
            + ": only tokenizers with a token for every byte can be opened"
        )
    if len(data.pattern) > LONGEST_PATTERN:
        raise FormatError(f"the split pattern has {len(data.pattern):,} characters; the limit is {LONGEST_PATTERN:,}")
    ids = set(data.ranks.values())
    if len(ids) < len(data.ranks):
        raise FormatError(f"two tokens have the id {_repeated(data.ranks)}")
    check_dense(ids | set(data.special_tokens.values()))
    special_bytes = 0
    for text, token_id in data.special_tokens.items():
        what = f"the special token {quoted(text)}"
        if token_id in ids:
            raise FormatError(f"{what} has the id {token_id} of another token")
        check_id(token_id, what)
        try:
            n_bytes = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            raise FormatError(f"{what} is not a text") from None
        if not text:
            raise FormatError("a special token has no text")
        if n_bytes > LONGEST_TOKEN:
            raise FormatError(f"{what} has {n_bytes:,} bytes; the limit is {LONGEST_TOKEN:,}")
        special_bytes += n_bytes
    if special_bytes > SURE_SPECIAL_BYTES:  # otherwise skipped, as it blocks all other Python threads
        _check_together(data.special_tokens)
    return data


def _check_together(special_tokens: Mapping[str, int]) -> None:
    """Raise FormatError if tiktoken cannot search for all special tokens at once."""
    try:
        byte_core(".", special_tokens)
    except ValueError:
        raise FormatError("its special tokens are too many or too long to search for in a text") from None


def check_id(token_id: object, what: str) -> int:
    """Return the ID. Raises FormatError if it is not an integer from 0 to MAX_IDS - 1."""
    if type(token_id) is not int:
        raise FormatError(f"the id of {what} is not a whole number: {quoted(token_id)}")
    if not 0 <= token_id < MAX_IDS:
        raise FormatError(f"{what} has the id {token_id}, which is not between 0 and {MAX_IDS - 1:,}")
    return token_id


def check_work(ranks: Mapping[bytes, int]) -> None:
    """Raise FormatError if finding the parts of the tokens could take too long."""
    if sum(len(token) ** 2 for token in interruptible(ranks)) > MAX_WORK:
        raise FormatError("its tokens are too long: finding what they are merged from would take minutes")


def check_dense(ids: Collection[int]) -> None:
    """Raise FormatError if there are too many IDs, or too many gaps between them: every table has one entry for each ID
    up to the last."""
    if len(ids) > MAX_TOKENS:
        raise FormatError(f"the file has {len(ids):,} tokens; the limit is {MAX_TOKENS:,}")
    holes = max(ids) + 1 - len(ids)
    if holes > len(ids) + MAX_SPARE:
        raise FormatError(f"its ids go up to {max(ids):,}, with {holes:,} holes between {len(ids):,} tokens")


def _repeated(ranks: Mapping[bytes, int]) -> int:
    seen: set[int] = set()
    for token_id in ranks.values():
        if token_id in seen:
            return token_id
        seen.add(token_id)
    raise AssertionError("some id is repeated")


# --- the two parts of each token --------------------------------------------------------------------------------------
#
# Ranks (in tiktoken) merge any two adjacent tokens whose bytes together are a token; merges (in Hugging Face and
# minbpe) only merge the pair they name. Both give the same tokens as long as each merge names exactly the two tokens
# to which the bytes of its token have been merged just before it, while no merge has crossed the ends of those bytes.


Pair = tuple[int, int]
Merge = tuple[Pair, int]
"""Two tokens, and the token that they form."""


class MergeTable:
    """Merges in the order in which they apply, which is that of the IDs they create. Other tokens are single bytes."""

    def __init__(self) -> None:
        self.parts: dict[int, Pair] = {}
        self._made: dict[Pair, int] = {}

    def add(self, pair: Pair, token_id: int) -> None:
        """Append a merge. ``token_id`` must be larger than all before it."""
        self.parts[token_id] = pair
        self._made[pair] = token_id

    def keeps_apart(self, left: int, right: int) -> bool:
        """Return whether two tokens remain adjacent after all merges so far: none merges a part of the left one with a
        part of the right one. Undoes their merges, the later one first, and checks the pair at the boundary."""
        parts, made = self.parts, self._made
        limit = 1 << 62
        while True:
            if made.get((left, right), limit) < limit:
                return False
            left_parts, right_parts = parts.get(left), parts.get(right)
            if left_parts is not None and (right_parts is None or left > right):
                limit = left
                left = left_parts[1]
            elif right_parts is not None:
                limit = right + 1  # of equal pairs, the left one merges first
                right = right_parts[0]
            else:
                return True


def merges_of_ranks(ranks: Mapping[bytes, int]) -> list[Merge]:
    """Return the merges that are equivalent to the ranks, in the order of the IDs they create.

    A token that its own merge order does not lead to, although a later one might, has a merge for each split into two
    tokens; there may be none. Text that equals such a token becomes it without merging.
    """
    table = MergeTable()
    merges: list[Merge] = []
    for token, token_id in interruptible(sorted(ranks.items(), key=lambda item: item[1])):
        ways = list(_ways(token, ranks))
        fitting = [pair for pair in ways if _is_earlier(pair, token, token_id, ranks) and table.keeps_apart(*pair)]
        if fitting:
            table.add(fitting[0], token_id)
        merges += [(pair, token_id) for pair in fitting[:1] or ways]
    return merges


def _ways(token: bytes, ranks: Mapping[bytes, int]) -> Iterator[Pair]:
    for index in range(1, len(token)):
        left = ranks.get(token[:index])
        right = None if left is None else ranks.get(token[index:])
        if left is not None and right is not None:
            yield left, right


def _is_earlier(pair: Pair, token: bytes, token_id: int, ranks: Mapping[bytes, int]) -> bool:
    """Return whether both tokens of a pair are created before the token that they form. Bytes exist from the start."""
    left, right = pair
    return (left < token_id or ranks[token[:1]] == left) and (right < token_id or ranks[token[-1:]] == right)


def agree(merges: Sequence[Merge], ranks: Mapping[bytes, int]) -> bool:
    """Return whether merges, in the order of the IDs they create, are equivalent to the ranks."""
    table = MergeTable()
    for pair, token_id in interruptible(merges):
        if token_id in table.parts or not table.keeps_apart(*pair):
            break
        table.add(pair, token_id)
    else:
        if len(merges) == sum(len(token) > 1 for token in ranks):
            return True
    return merges_of_ranks(ranks) == list(merges)


def agree_where_words_are_first(merges: Sequence[Merge], ranks: Mapping[bytes, int]) -> bool:
    """Return whether merges, in the order of the IDs they create, are equivalent to the ranks if a text that equals a
    token becomes that token (``ignore_merges``).

    Converters of ranks write a merge for each split of a token into two tokens (Llama 3, gpt-oss, Mistral Nemo). For a
    token that its own merge order leads to, only one of them ever applies, and the others have no effect: when their
    turn comes, the bytes of the token are either already split that way or permanently merged across its boundary. For
    every other token, all splits must be present.
    """
    table = MergeTable()
    tokens = {token_id: token for token, token_id in ranks.items()}
    made: set[int] = set()
    for token_id, group in groupby(interruptible(merges), key=itemgetter(1)):
        if token_id in made:
            return False
        made.add(token_id)
        token, pairs = tokens[token_id], [pair for pair, _ in group]
        fitting = [pair for pair in pairs if _is_earlier(pair, token, token_id, ranks) and table.keeps_apart(*pair)]
        if fitting:
            table.add(fitting[0], token_id)
        elif set(pairs) != set(_ways(token, ranks)):
            return False
    unmade = (token for token, token_id in ranks.items() if len(token) > 1 and token_id not in made)
    return not any(next(_ways(token, ranks), None) for token in interruptible(unmade))

"""What every format holds in its own way, the checks it must pass, and the two parts that each token is made of."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from engine.errors import FormatError
from engine.library.formats.errors import quoted
from engine.runtime.cancellation import interruptible
from engine.runtime.tiktoken_core import byte_core

MOST_IDS = 1 << 22
"""Token ids are below that. Tables have one entry for each id, so a file with one large id would fill the memory."""

MOST_SPARE = 1 << 18
"""Ids without a token that a small tokenizer may have; a large one may have as many as tokens. A few merges may come
with the special tokens of a large vocabulary, from 100,257 on for cl100k_base. A table of so many has 2 MB."""

MOST_TOKENS = 1 << 20
"""Of a tokenizer from a file. The largest published ones have 270,000."""

LONGEST_TOKEN = 1 << 16
"""In bytes, a special token as well."""

LONGEST_PATTERN = 1 << 19
"""In characters. Published ones have some hundred, and one that another library reads, with each class spelled out,
a hundred thousand; two engines take seconds over a million."""

SURE_SPECIAL_BYTES = 1 << 16
"""Special tokens of so many bytes together fit into the regular expression that tiktoken makes of them, whatever they
are: measured with letters, brackets, emoji, one long text and thousands of short ones."""

MOST_TOKEN_BYTES = 32 << 20
"""Of all tokens together, where a file names them by their parts and so can make much of little."""

MOST_WORK = 1 << 31
"""Sum of the squares of all tokens' lengths in bytes. Published tokenizers come to 20 million."""


@dataclass(frozen=True, slots=True)
class TokenizerData:
    """A byte-level BPE tokenizer.

    ``pattern``: the split pattern, in the dialect of the Rust crates. ``ranks``: token bytes to id, in the order of
    merging. ``special_tokens``: text to id. ``normalization``: what to do to a text first, as names like ``NFC``,
    ``lowercase``, ``strip accents``, in this order. ``notes``: sentences about what a user should know.
    ``byte_fallback``: whether unknown characters are written in single bytes (``engine.text.byte_fallback``).
    """

    pattern: str
    ranks: dict[bytes, int]
    special_tokens: dict[str, int]
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    byte_fallback: bool = False


def token_in_base64(text: str | bytes, where: str) -> bytes:
    """Return the bytes of a token. Raises FormatError, with the place."""
    try:
        token = base64.b64decode(text, validate=True)
    except ValueError:
        raise FormatError(f"{where}: {quoted(text)} is not base64") from None
    if not token or len(token) > LONGEST_TOKEN:
        raise FormatError(f"{where}: a token has {len(token):,} bytes")
    return token


def check(data: TokenizerData) -> TokenizerData:
    """The same data. FormatError where no tokenizer can be made of it; the text is the end of a sentence about a file.

    Readers check each entry where they can name its place; this is about the whole.
    """
    missing = [value for value in range(256) if bytes([value]) not in data.ranks]
    if missing:
        raise FormatError(
            f"it has no token for the byte 0x{missing[0]:02x}"
            + (f" and {len(missing) - 1} others" if len(missing) > 1 else "")
            + ": only tokenizers that can spell every text byte by byte can be opened"
        )
    if len(data.pattern) > LONGEST_PATTERN:
        raise FormatError(
            f"its split pattern has {len(data.pattern):,} characters; up to {LONGEST_PATTERN:,} can be used"
        )
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
            raise FormatError(f"{what} has {n_bytes:,} bytes; up to {LONGEST_TOKEN:,} can be opened")
        special_bytes += n_bytes
    if special_bytes > SURE_SPECIAL_BYTES:  # not tried otherwise: no other Python thread runs during it
        _check_together(data.special_tokens)
    return data


def _check_together(special_tokens: Mapping[str, int]) -> None:
    """FormatError where the special tokens are more than tiktoken finds at once."""
    try:
        byte_core(".", special_tokens)
    except ValueError:
        raise FormatError("its special tokens are too many, or too long, to be looked for in a text") from None


def check_id(token_id: object, what: str) -> int:
    """The id. FormatError where it is not a whole number from 0 to MOST_IDS."""
    if type(token_id) is not int:
        raise FormatError(f"the id of {what} is not a whole number: {quoted(token_id)}")
    if not 0 <= token_id < MOST_IDS:
        raise FormatError(f"{what} has the id {token_id}, which is not between 0 and {MOST_IDS - 1:,}")
    return token_id


def check_work(ranks: Mapping[bytes, int]) -> None:
    """Raise FormatError if finding the parts of the tokens could take too long."""
    if sum(len(token) ** 2 for token in interruptible(ranks)) > MOST_WORK:
        raise FormatError("its tokens are too long: finding their parents would take minutes")


def check_dense(ids: Collection[int]) -> None:
    """FormatError where there are too many ids, or more holes between them than ids: every table has one entry for each
    id up to the last."""
    if len(ids) > MOST_TOKENS:
        raise FormatError(f"it has {len(ids):,} tokens; up to {MOST_TOKENS:,} can be opened")
    holes = max(ids) + 1 - len(ids)
    if holes > len(ids) + MOST_SPARE:
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
# Ranks (as tiktoken has them) join any two neighbours whose bytes together are a token; merges (as Hugging Face and
# minbpe have them) join only the pair they name. Both give the same tokens as long as each merge joins the very parts
# that its token's bytes come to just before it: up to then nothing outside of those bytes has touched them.


Pair = tuple[int, int]
Merge = tuple[Pair, int]
"""Two tokens, and the one that they become."""


class MergeTable:
    """Merges in the order in which they apply, which is that of the ids they make. Other tokens are single bytes."""

    def __init__(self) -> None:
        self.parts: dict[int, Pair] = {}
        self._made: dict[Pair, int] = {}

    def add(self, pair: Pair, token_id: int) -> None:
        """The next merge. ``token_id`` is above all before it."""
        self.parts[token_id] = pair
        self._made[pair] = token_id

    def keeps_apart(self, left: int, right: int) -> bool:
        """Whether two tokens stay next to each other until all merges so far were made: none joins something of the
        left with something of the right. Undoes their merges, the later one first, and looks at the border."""
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
                limit = right + 1  # of equal pairs the left one merges first
                right = right_parts[0]
            else:
                return True


def merges_of_ranks(ranks: Mapping[bytes, int]) -> list[Merge]:
    """The merges that do what the ranks do, in the order of the ids they make.

    A token that its own merge order does not lead to, but a later one might, has a merge for each way to cut it in two
    tokens; there may be none. Text that is such a token as a whole comes to it without merging.
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
    for place in range(1, len(token)):
        left = ranks.get(token[:place])
        right = None if left is None else ranks.get(token[place:])
        if left is not None and right is not None:
            yield left, right


def _is_earlier(pair: Pair, token: bytes, token_id: int, ranks: Mapping[bytes, int]) -> bool:
    """Whether both tokens of a pair are made before the one that they make. Bytes are there from the start."""
    left, right = pair
    return (left < token_id or ranks[token[:1]] == left) and (right < token_id or ranks[token[-1:]] == right)


def agree(merges: Sequence[Merge], ranks: Mapping[bytes, int]) -> bool:
    """Whether merges, in the order of the ids they make, do what the ranks do."""
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
    """Return whether merges, in the order of the ids they make, do what the ranks do, if a text that is a token as a
    whole is that token (``ignore_merges``).

    Converters of ranks write a merge for each way to cut a token in two tokens (Llama 3, gpt-oss, Mistral Nemo). Of a
    token that its own merge order leads to, only one of them ever applies, and the others change nothing: whenever its
    turn comes, its bytes are cut that way or cross its border for good. Of every other token, all ways must be there.
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

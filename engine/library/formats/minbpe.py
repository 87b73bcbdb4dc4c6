"""minbpe's ``.model``, version 1: a text of the pattern, the special tokens, and the merges as pairs of IDs.

There, bytes have the IDs 0 to 255, and the merge on each line creates the next ID from 256 on (minbpe/base.py).
"""

from __future__ import annotations

from pathlib import Path

from engine.errors import FormatError
from engine.library.formats.source import Found, Source, quoted
from engine.library.formats.spelling import BY_MINBPE, WHOLE_TEXT
from engine.library.formats.tokenizer_data import (
    LONGEST_TOKEN,
    MAX_IDS,
    MAX_TOKEN_BYTES,
    Merge,
    TokenizerData,
    agree,
    check_id,
    merges_of_ranks,
)
from engine.runtime.cancellation import interruptible

FIRST_LINE = b"minbpe v1"


def read_source(source: Source) -> Found | None:
    """Return the content of the file, None for another format. Raises FormatError, with the line."""
    is_own = source.content[:64].split(b"\n")[0].strip() == FIRST_LINE
    return Found(read(source.content)) if is_own else None


def read(content: bytes) -> TokenizerData:
    """Return the tokenizer. Raises FormatError, with the line."""
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"not valid UTF-8: byte 0x{content[error.start]:02x} at offset {error.start:,}") from None
    lines = [line.removesuffix("\r") for line in lines]
    if len(lines) < 3:
        raise FormatError("the file ends before the number of special tokens")
    pattern = lines[1].strip()
    if not lines[2].strip().isdigit() or int(lines[2].strip()[:9]) > len(lines) - 3:
        raise FormatError(f"line 3: {quoted(lines[2])} is not the number of special tokens")
    first_merge = 3 + int(lines[2])
    specials = _special_tokens(lines[3:first_merge])
    ranks = _ranks(lines[first_merge:], first_merge + 1)
    return TokenizerData(BY_MINBPE.get(pattern, pattern) or WHOLE_TEXT, ranks, specials)


def _special_tokens(lines: list[str]) -> dict[str, int]:
    specials: dict[str, int] = {}
    for number, line in enumerate(lines, 4):
        words = line.split()
        if len(words) != 2 or not _is_number(words[1]):
            raise FormatError(f"line {number}: expected a special token, a space and its ID")
        if words[0] in specials:
            raise FormatError(f"line {number}: duplicate special token {quoted(words[0])}")
        specials[words[0]] = check_id(int(words[1]), f"line {number}: the special token")
    return specials


def _ranks(lines: list[str], first_line: int) -> dict[bytes, int]:
    tokens = [bytes([value]) for value in range(256)]
    merges: list[Merge] = []
    known = set(tokens)
    size = 0
    for number, line in enumerate(interruptible(lines), first_line):
        words = line.split()
        if not words and number == first_line + len(lines) - 1:
            break
        if len(words) != 2 or not all(map(_is_number, words)):
            raise FormatError(f"line {number}: expected a merge, which is two IDs")
        left, right = int(words[0]), int(words[1])
        if max(left, right) >= len(tokens):
            raise FormatError(f"line {number}: the merge uses the id {max(left, right)}, which does not exist yet")
        token = tokens[left] + tokens[right]
        if len(token) > LONGEST_TOKEN or len(tokens) >= MAX_IDS:
            raise FormatError(
                f"line {number}: the merge produces a token of {len(token):,} bytes with id {len(tokens)}"
            )
        size += len(token)
        if size > MAX_TOKEN_BYTES:
            raise FormatError(f"line {number}: its tokens have more than {MAX_TOKEN_BYTES >> 20} MB together")
        if token in known:
            raise FormatError(f"line {number}: the merge produces a token that already exists")
        merges.append(((left, right), len(tokens)))
        known.add(token)
        tokens.append(token)
    ranks = {token: token_id for token_id, token in enumerate(tokens)}
    if not agree(merges, ranks):
        raise FormatError("its tokens are not produced in merge order, so the file cannot be opened")
    return ranks


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 9


def write_files(data: TokenizerData, path: Path, _name: str, _kind: str) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the content of the single file, as in ``engine.library.formats.table.Writer``. Raises FormatError."""
    content, losses = write(data)
    return {path.name: content}, losses


def write(data: TokenizerData) -> tuple[bytes, tuple[str, ...]]:
    """Return the content, and sentences about losses. Raises FormatError if the format cannot represent the data."""
    merges = merges_of_ranks(data.ranks)
    if any(data.ranks.get(bytes([value])) != value for value in range(256)):
        raise FormatError("minbpe gives bytes the ids 0 to 255 in order, unlike this vocabulary")
    if [token_id for _, token_id in merges] != list(range(256, len(data.ranks))):
        raise FormatError("minbpe numbers tokens in merge order without gaps, unlike this vocabulary")
    pattern = "" if data.pattern == WHOLE_TEXT else data.pattern
    if pattern != pattern.strip() or "\n" in pattern or "\r" in pattern:
        raise FormatError(
            "minbpe stores the split pattern in one line, but this one contains a line break or ends in a space"
        )
    for text in data.special_tokens:
        if len(text.split()) != 1 or text.split()[0] != text:
            raise FormatError(f"minbpe cannot store the special token {quoted(text)}, because it contains whitespace")
    lines = [FIRST_LINE.decode(), pattern, str(len(data.special_tokens))]
    lines += [f"{text} {token_id}" for text, token_id in data.special_tokens.items()]
    lines += [f"{left} {right}" for (left, right), _ in merges]
    losses = []
    if data.normalization:
        steps = ", ".join(step.split(":")[0] for step in data.normalization)
        losses.append(f"A minbpe file cannot store how texts are normalized first: {steps}.")
    if data.byte_fallback:
        losses.append(
            "A minbpe file cannot say that characters which the vocabulary does not have are written in single bytes: "
            "there, the first bytes of some become one token."
        )
    return ("\n".join(lines) + "\n").encode("utf-8"), tuple(losses)

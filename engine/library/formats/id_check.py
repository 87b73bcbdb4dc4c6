"""Whether an opened tokenizer gives the ids of the library that it is from (``engine.library.formats.trial``)."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.encoding.encoding import Encoding
from engine.errors import FormatError
from engine.library.formats.check_sample import TEXTS
from engine.library.formats.quoting import quoted
from engine.library.formats.tokenizer_data import TokenizerData
from engine.library.formats.trial import Tried
from engine.runtime.cancellation import while_wanted


@dataclass(frozen=True, slots=True)
class IdCheck:
    """Ids were compared and are equal. ``library``: with what, its name and version. ``runs``: whether that library
    gives the ids here as well, rather than our own engine. ``tokens``: how many were compared. ``texts``, ``changed``:
    how many texts were decoded again, and how many did not come back as they were; ``example``: the first of these, and
    what came back. ``other_special``: the first text of special tokens of which the library has other ids, empty for
    none."""

    library: str
    runs: bool
    tokens: int
    texts: int
    changed: int
    example: tuple[str, str] | None
    other_special: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the ids, a sentence each; empty if all are equal."""
        if not self.other_special:
            return ()
        return (f"{self.library} reads the special tokens in {quoted(self.other_special)} otherwise.",)


class OtherIdsError(FormatError):
    """A tokenizer gives other ids than the library that it is from. Names the first text for which it does."""


def compare(
    encoding: Encoding, texts: Sequence[str], theirs: Tried, *, runs: bool, special_texts: Sequence[str] = ()
) -> IdCheck:
    """The check, where all ids of plain text are equal. OtherIdsError; FormatError where there are no ids at all."""
    changed = 0
    example: tuple[str, str] | None = None
    for number, (text, expected) in enumerate(zip(texts, theirs.ids, strict=True)):
        if encoding.encode_ordinary(text) != expected:
            raise OtherIdsError(f"{theirs.library} gives other ids than ours for {quoted(text)}")
        if number < len(TEXTS):
            back = encoding.decode(expected)
            if back != text:
                changed += 1
                example = example or (text, back)
    other_special = next(
        (
            text
            for text, expected in zip(special_texts, theirs.special_ids, strict=True)
            if encoding.encode(text, allowed_special="all") != expected
        ),
        "",
    )
    tokens = sum(map(len, theirs.ids)) + (0 if other_special else sum(map(len, theirs.special_ids)))
    if not tokens:
        raise FormatError("it makes no token of any text: what it cuts texts by finds nothing in them")
    return IdCheck(theirs.library, runs, tokens, len(TEXTS), changed, example, other_special)


def for_tiktoken(data: TokenizerData) -> bytes:
    """Ranks and pattern as the trial takes them."""
    content = bytearray(json.dumps(data.pattern).encode() + b"\n")
    for token, token_id in while_wanted(data.ranks.items()):  # to join the lines would be to have all of them at once
        content += base64.b64encode(token) + b" %d\n" % token_id
    return bytes(content)

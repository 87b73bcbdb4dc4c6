"""Strings that no reader reads: base64, and numbers that name things."""

from __future__ import annotations

import re
from collections import defaultdict

from gui.core.savings.matching import matches
from gui.core.savings.searched_text import Prompt
from gui.core.savings.types import Edit

SHORTEST_BASE64 = 100
DIGITS_KEPT = 8

_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{60,}+(?:\r?\n[A-Za-z0-9+/]{60,}+)*+(?:\r?\n[A-Za-z0-9+/]{2,}+={1,2}|={1,2})?"
)
_NAMES = re.compile(
    r"(?<![0-9A-Za-z_-])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32,128})(?![0-9A-Za-z_-])"
)
_NO_BASE64, _NO_NAME = re.compile(r"[^A-Za-z0-9+/=\r\n]"), re.compile(r"[^0-9A-Za-z_-]")


def base64_blobs(prompt: Prompt) -> list[Edit]:
    """Base64 (RFC 4648) of some length: capitals, small letters and digits without a space between them."""
    edits = []
    for match in prompt.watch.over(matches(_BASE64, prompt.text, _NO_BASE64)):
        blob = match.group()
        if len(blob) >= SHORTEST_BASE64 and all(re.search(kind, blob) for kind in ("[A-Z]", "[a-z]", "[0-9]")):
            signs = len(blob) - blob.count("\n") - blob.count("\r") - blob.count("=")
            edits.append(Edit(*match.span(), f"[{signs * 3 // 4} bytes of base64 left out]"))
    return edits


def long_names(prompt: Prompt) -> list[Edit]:
    """UUIDs and digests in hexadecimal, down to their first eight digits where no other of the text begins so."""
    names = list(prompt.watch.over(matches(_NAMES, prompt.text, _NO_NAME)))
    beginning_so: defaultdict[str, set[str]] = defaultdict(set)
    for match in names:
        beginning_so[match.group()[:DIGITS_KEPT].lower()].add(match.group().lower())
    return [
        Edit(match.start() + DIGITS_KEPT, match.end(), "")
        for match in names
        if len(beginning_so[match.group()[:DIGITS_KEPT].lower()]) == 1
    ]

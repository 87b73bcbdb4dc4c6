"""Detection of API keys in texts and vocabularies, so that none is shared by accident. No Qt.

Only distinctive formats are detected: a fixed prefix, followed by as many characters as the issuer uses. Passwords and
keys without such a prefix are not found, so a text without findings may still hold secrets.

Sources of the formats: the rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml) for OpenAI,
Anthropic, AWS, Google, Hugging Face and Stripe; GitHub's "Behind GitHub's new authentication token formats" (2021) and
its documentation of fine-grained tokens; Slack's "Token types"; RFC 7468 for private keys in PEM. OpenRouter, Groq and
xAI document their prefixes; the lengths are those of observed keys.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine import Encoding
    from gui.core.text_chunks import ChunkedText

MAX_FOUND = 100
MAX_NAMED = 5
SHORTEST_KEY = 20
"""Length of the shortest format below, in bytes."""
CHUNK_CHARACTERS = 1 << 16
MAX_KEY_CHARACTERS = 1024
"""Chunk size of the search; and an upper bound for the length of a key and the character after it. In characters."""
_FORMS = {
    "Anthropic": r"sk-ant-(?:api03|admin01|oat01)-[A-Za-z0-9_-]{80,120}",
    "OpenRouter": r"sk-or-v1-[0-9a-f]{64}",
    "OpenAI": r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}",
    "Google": r"AIza[A-Za-z0-9_-]{35}",
    "AWS": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "GitHub": r"(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})",
    "Hugging Face": r"hf_[A-Za-z]{34}",
    "Groq": r"gsk_[A-Za-z0-9]{52}",
    "xAI": r"xai-[A-Za-z0-9]{80}",
    "Slack": r"xox[abeoprs]-[0-9A-Za-z-]{20,200}",
    "Stripe": r"(?:sk|rk)_live_[A-Za-z0-9]{24,99}",
    "PEM": r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----",
}
_KEYS = re.compile(r"(?<![A-Za-z0-9_-])(?:" + "|".join(f"({form})" for form in _FORMS.values()) + r")(?![A-Za-z0-9_])")
_BEGINNINGS = (
    *("sk-", "AIza", "AKIA", "ASIA", "ABIA", "ACCA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("hf_", "gsk_", "xai-", "xox", "_live_", "PRIVATE KEY"),
)
"""Every key contains one of these. Searching for them first is ten times as fast."""
_ISSUERS = tuple(_FORMS)


class FoundKey(NamedTuple):
    """A suspected key: its issuer, its line (from 1) and its character offsets. Never the key itself."""

    issuer: str
    line: int
    char_start: int
    char_end: int


def find_keys(text: str, wait_while_busy: Callable[[], None] | None = None) -> tuple[FoundKey, ...]:
    """Find suspected keys, in order, at most ``MAX_FOUND``. Takes linear time.

    ``wait_while_busy`` is called between parts of a millisecond each, for a job to yield.
    """
    found: list[FoundKey] = []
    line, offset = 1, 0
    for match in _matches(text, wait_while_busy):
        line += text.count("\n", offset, match.start())
        offset = match.start()
        assert match.lastindex is not None
        found.append(FoundKey(_ISSUERS[match.lastindex - 1], line, *match.span()))
        if len(found) == MAX_FOUND:
            break
    return tuple(found)


def keys_in_text(text: str | ChunkedText, wait_while_busy: Callable[[], None] | None = None) -> tuple[str, ...]:
    """Describe the suspected keys of a text: issuer and line of each. A text in chunks is searched chunk by
    chunk, each with the end of the one before. ``wait_while_busy``: as in ``find_keys``."""
    found: dict[int, str] = {}
    window, offset, line = "", 0, 0
    for chunk in itertools.chain([text] if isinstance(text, str) else text.strings(), [""]):
        kept = window[-2 * MAX_KEY_CHARACTERS :]
        offset += len(window) - len(kept)
        line += window.count("\n", 0, len(window) - len(kept))
        window = kept + chunk
        for key in find_keys(window, wait_while_busy):
            is_cut = (key.char_start == 0 and offset > 0) or (key.char_end == len(window) and chunk)
            if not is_cut:  # else it is whole in the window before, or in the next one
                found.setdefault(offset + key.char_start, f"{key.issuer} (line {line + key.line})")
    return tuple(found[start] for start in sorted(found)[:MAX_FOUND])


def keys_in_tokens(tokens: Iterable[tuple[int, bytes]]) -> tuple[str, ...]:
    """Describe the tokens (ID, bytes) that contain a whole key: such a key was frequent in the training text."""
    return tuple(
        f"{key.issuer} (token {token_id})"
        for token_id, content in tokens
        if len(content) >= SHORTEST_KEY
        for key in find_keys(content.decode("utf-8", "replace"))
    )


def key_sentence(subject: str, keys: Sequence[str]) -> str:
    """Return a sentence with the first few findings. ``subject``: such as ``The text``."""
    more = f" and {len(keys) - MAX_NAMED} more" if len(keys) > MAX_NAMED else ""
    return f"{subject} may contain API keys: " + ", ".join(keys[:MAX_NAMED]) + more + "."


def _matches(text: str, wait_while_busy: Callable[[], None] | None) -> Iterator[re.Match[str]]:
    """Search in chunks: one search through a large text would hold the GIL until its end."""
    start = 0
    while start < len(text):
        if wait_while_busy is not None:
            wait_while_busy()
        end = start + CHUNK_CHARACTERS
        if not any(text.find(beginning, start, end + MAX_KEY_CHARACTERS) >= 0 for beginning in _BEGINNINGS):
            start = end
            continue
        for match in _KEYS.finditer(text, start, end + MAX_KEY_CHARACTERS):
            if match.start() >= end:
                break
            yield match
            end = max(end, match.end())
        start = end


def keys_in_vocabulary(encoding: Encoding) -> tuple[str, ...]:
    """Describe the tokens of a vocabulary that contain a key. Special tokens are searched too."""
    return keys_in_tokens(_tokens(encoding))


def _tokens(encoding: Encoding) -> Iterator[tuple[int, bytes]]:
    """Yield IDs and bytes. Imported files may have unassigned IDs."""
    for token_id in range(encoding.n_vocab):
        try:
            yield token_id, encoding.decode_single_token_bytes(token_id)
        except KeyError:
            continue

"""The words of the Lab, and how it writes numbers and pieces of texts. Safe on worker threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gui.core.token_text import visible, visible_text

if TYPE_CHECKING:
    from engine import Encoding

BETWEEN = " │ "
"""Stands between the tokens of a text that is shown in one line."""


def tr(text: str) -> str:
    """Translate in the context of the Lab."""
    return QCoreApplication.translate("Lab", text)


def number(value: int) -> str:
    """A whole number with marks between its thousands."""
    return f"{value:,}"


def yes_or_no(holds: bool) -> str:
    """Whether something is so, in a word."""
    return tr("yes") if holds else tr("no")


def pieces(parts: Iterable[bytes | str]) -> str:
    """Parts of a text in one line, what cannot be seen made visible, and what is no text as its bytes."""
    return BETWEEN.join(_shown(part) for part in parts)


def token_pieces(encoding: Encoding, ids: Sequence[int]) -> str:
    """Tokens of an encoding in one line."""
    return pieces(encoding.decode_single_token_bytes(token_id) for token_id in ids)


def _shown(part: bytes | str) -> str:
    return visible_text(part) if isinstance(part, str) else visible(part)

"""The printable letters that stand for bytes in GPT-2's files and in tokenizer.json: printable Latin-1 for itself,
every other byte for a letter from U+0100 on (openai/gpt-2, src/encoder.py: bytes_to_unicode)."""

from __future__ import annotations

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(value for value in range(256) if value not in _PRINTABLE)
_LETTER_OF = {value: value for value in _PRINTABLE} | {value: 0x100 + place for place, value in enumerate(_OTHERS)}
_BYTE_OF = {letter: value for value, letter in _LETTER_OF.items()}
_LETTERS = frozenset(map(chr, _BYTE_OF))


def spelled(token: bytes) -> str:
    """A token in letters."""
    return token.decode("latin-1").translate(_LETTER_OF)


def unspelled(letters: str) -> bytes | None:
    """The bytes that letters stand for, None where one of them stands for none."""
    return letters.translate(_BYTE_OF).encode("latin-1") if _LETTERS.issuperset(letters) else None

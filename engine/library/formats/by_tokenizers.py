"""Tokenizers that run in Hugging Face's library. Imported when the first is opened.

Text of a non-special added token always becomes that token, as in the library. Text of a special token is plain text
here, unless ``LibraryEncoding`` was told to recognize it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.errors import FormatError
from engine.library.formats import huggingface_document
from engine.library.formats.huggingface_document import LibraryDocument
from engine.library.formats.validation import giving_up, parse_json, quoted, refusing

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class HuggingFaceTokenizer:
    """A ``LibraryTokenizer`` (``engine.encoding.library_encoding``) for a validated document."""

    reader = "tokenizers"

    def __init__(self, document: LibraryDocument) -> None:
        """Load a document into the library. Raises FormatError if the library rejects it."""
        import tokenizers

        self.payload = document.content
        self.library = f"tokenizers {tokenizers.__version__}"
        self.model = document.model
        self.special_tokens = document.special_tokens
        self.tokens: Sequence[bytes] = document.tokens
        self._tokenizer = opened(document.content)
        with refusing(self.library):
            theirs = self._tokenizer.get_vocab(with_added_tokens=True)
        for token_id, piece in document.pieces.items():
            if theirs.get(piece) != token_id:
                raise FormatError(
                    f"{self.library} gives the token {quoted(piece)} another id than the file, {token_id}"
                )

    @classmethod
    def from_payload(cls, payload: bytes) -> HuggingFaceTokenizer:
        """Implement ``LibraryTokenizer``."""
        return cls(huggingface_document.read(parse_json(payload)))

    def ids(self, text: str) -> list[int]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            return self._tokenizer.encode(text, add_special_tokens=False).ids

    def ids_and_ends(self, text: str) -> tuple[list[int], list[int]]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            encoded = self._tokenizer.encode(text, add_special_tokens=False)
            return encoded.ids, [end for _, end in encoded.offsets]

    def decode(self, ids: Sequence[int]) -> str:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            return self._tokenizer.decode(list(ids), skip_special_tokens=False)


def opened(payload: bytes) -> Tokenizer:
    """Return the library's tokenizer, which treats special tokens in texts as plain text. Raises FormatError if the
    library rejects the payload."""
    import tokenizers

    with refusing("tokenizers"):
        tokenizer = tokenizers.Tokenizer.from_str(payload.decode("utf-8"))
        tokenizer.encode_special_tokens = True
    return tokenizer

"""Tokenizers that run in the SentencePiece library. Imported when the first is opened.

Control pieces and the unknown piece are never produced from text: they are its special tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.library.formats import sentencepiece_model as models
from engine.library.formats.spelling import SPACE_MARK, bytes_of_piece
from engine.library.formats.validation import giving_up, refusing

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor


class SentencePieceTokenizer:
    """A ``LibraryTokenizer`` (``engine.encoding.library_encoding``) for a validated model."""

    reader = "sentencepiece"

    def __init__(self, model: models.SentencePieceModel) -> None:
        """Load a model into the library. Raises FormatError if the library rejects it."""
        import sentencepiece

        self.payload = models.write(model)
        self.library = f"sentencepiece {sentencepiece.__version__}"
        self.model = models.MODELS[model.model]
        self.special_tokens = {
            piece.text: number
            for number, piece in enumerate(model.pieces)
            if piece.kind in (models.CONTROL, models.UNKNOWN)
        }
        mark = SPACE_MARK if model.spaces_marked else ""
        self.tokens: Sequence[bytes] = [
            piece.text.encode("utf-8")
            if piece.kind in (models.CONTROL, models.UNKNOWN)
            else bytes_of_piece(piece.text, space_mark=mark, byte_pieces=piece.kind == models.BYTE)
            for piece in model.pieces
        ]
        self._processor = opened(self.payload)

    @classmethod
    def from_payload(cls, payload: bytes) -> SentencePieceTokenizer:
        """Implement ``LibraryTokenizer``."""
        return cls(models.read(payload))

    def ids(self, text: str) -> list[int]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            ids: list[int] = self._processor.encode(text, return_type=int)
            return ids

    def ids_and_ends(self, text: str) -> tuple[list[int], list[int]]:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            found = self._processor.encode(text, return_type="offset_mapping")
            return found["ids"], [end for _, end in found["offsets"]]

    def decode(self, ids: Sequence[int]) -> str:
        """Implement ``LibraryTokenizer``."""
        with giving_up(self.library):
            text: str = self._processor.decode(list(ids))
            return text


def opened(payload: bytes) -> SentencePieceProcessor:
    """Return the library's tokenizer. Raises FormatError if the library rejects the payload."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    with refusing("sentencepiece"):
        processor.LoadFromSerializedProto(payload)
    return processor

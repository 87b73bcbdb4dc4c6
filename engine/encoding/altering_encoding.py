"""AlteringEncoding: one whose tokens, one behind the other, are not the text but what was made of it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.encoding.encoding import Encoding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AlteringEncoding(Encoding):
    """As ``Encoding``, but that where tokens are in a text does not follow from their bytes: it is asked for."""

    prepares = True

    def utf16_ends(self, text: str, ids: NDArray[np.int32], *, special_as_tokens: bool) -> NDArray[np.int32]:
        """int32[n]: where the tokens that a text has end in it, in UTF-16 units: in order, the last one at its end.

        ids: int32[n], what ``token_ids`` gives for the text in this reading of special tokens.
        """
        raise NotImplementedError

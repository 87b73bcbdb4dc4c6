"""All encodings by name, the bundled ones and the user's own. Nothing is downloaded."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from engine.encoding.encoding import Encoding
from engine.errors import UnknownEncodingError, UnknownModelError
from engine.library.bundled_encodings import ENTRIES, EncodingEntry, bundled

if TYPE_CHECKING:  # loaded when user encodings are first needed: opening a bundled one takes a few milliseconds
    from engine.library.user_encodings import Kind, UserEncodings, UserEntry


@functools.cache
def own() -> UserEncodings:
    """Return the user encodings, none until some are added."""
    from engine.library.user_encodings import UserEncodings

    return UserEncodings(frozenset(bundled().names()))


def get_encoding(name: str) -> Encoding:
    """Return the encoding with this name, the same object each time.

    An encoding with a ``vendor_normalization`` returns the IDs of the normalized text, like the vendor's own tokenizer:
    ``decode(encode(text))`` is then the normalized text.

    Raises UnknownEncodingError (a ValueError), which lists the known names; DamagedVocabularyError or FormatError,
    which names the file.
    """
    try:
        return bundled().get(name)
    except UnknownEncodingError:
        found = own().get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        listed = ", ".join(sorted(list_encoding_names()))
        raise UnknownEncodingError(f"Unknown encoding {name!r}. Available: {listed}.") from None


def opened_encodings() -> list[Encoding]:
    """Return the encodings that were opened so far."""
    return bundled().opened() + own().opened()


def list_encoding_names() -> list[str]:
    """Return the names of all encodings, the bundled ones first."""
    return [*bundled().names(), *(entry.name for entry in own().entries())]


def encoding_entries() -> tuple[EncodingEntry | UserEntry, ...]:
    """Return the entry of each encoding: kind, vendor, description and normalization."""
    return (*ENTRIES, *own().entries())


def add_folder(folder: Path, *, trusted: bool = False) -> tuple[str, ...]:
    """Register the tokenizer files of a folder as user encodings. Return a sentence for each file that cannot be used;
    the others can. ``trusted``: as in ``UserEncodings.add_folder``."""
    return own().add_folder(folder, trusted=trusted)


def register(encoding: Encoding, kind: Kind = "trained") -> None:
    """Register an encoding by its name until the program ends. Raises EngineError if the name is taken."""
    from engine.library.user_encodings import UserEntry

    own().add(UserEntry(encoding.name, kind, n_vocab=encoding.n_vocab), encoding)


def keep_encoding(
    encoding: Encoding, folder: Path, kind: Kind = "trained", sample: str = "", normalization: tuple[str, ...] = ()
) -> UserEntry:
    """Save an encoding in the folder of user encodings, verified as by ``save_encoding``, and register it. Saving again
    under the same name replaces it. Raises EngineError if another encoding has the name, FormatError if saving
    fails."""
    return own().keep(encoding, folder, kind, sample, normalization)


def rename_encoding(name: str, new_name: str) -> UserEntry:
    """Rename a saved user encoding. Raises EngineError if the new name is taken; OSError."""
    return own().rename(name, new_name)


def forget_encoding(name: str, *, delete: bool = False) -> None:
    """Unregister a user encoding, and delete its files if ``delete``. Raises OSError."""
    own().forget(name, delete=delete)


def encoding_name_for_model(model_id: str) -> str:
    """Return the encoding name of an OpenAI model by tiktoken's table. Raises UnknownModelError (a KeyError)."""
    from tiktoken.model import encoding_name_for_model as name_for_model

    try:
        return name_for_model(model_id)
    except KeyError:
        raise UnknownModelError(
            f"No encoding is known for the model {model_id!r}. Choose one by name: {', '.join(list_encoding_names())}."
        ) from None


def encoding_for_model(model_id: str) -> Encoding:
    """Return the encoding of an OpenAI model. Raises UnknownModelError (a KeyError) if tiktoken's table has none."""
    return get_encoding(encoding_name_for_model(model_id))

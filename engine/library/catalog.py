"""Which encodings exist, and opening them by name: the bundled ones, and the user's own. Nothing is fetched."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from engine.encoding.encoding import Encoding
from engine.errors import UnknownEncodingError, UnknownModelError
from engine.library.bundled_encodings import ENTRIES, EncodingEntry, bundled

if TYPE_CHECKING:  # loaded when the user's own encodings are first needed
    from engine.library.user_encodings import Kind, OwnEncodings, OwnEntry


@functools.cache
def own() -> OwnEncodings:
    """The user's own encodings, none until some are added."""
    from engine.library.user_encodings import OwnEncodings

    return OwnEncodings(frozenset(bundled().names()))


def get_encoding(name: str) -> Encoding:
    """The encoding of that name, the same object each time.

    One with a ``vendor_normalization`` gives the ids of the normalized text, as the vendor's own tokenizer does:
    ``decode(encode(text))`` is then the text in that form.

    UnknownEncodingError (a ValueError) lists what exists; DamagedVocabularyError or FormatError names the file.
    """
    try:
        return bundled().get(name)
    except UnknownEncodingError:
        found = own().get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        listed = ", ".join(sorted(list_encoding_names()))
        raise UnknownEncodingError(f"There is no encoding named {name!r}. These exist: {listed}.") from None


def opened_encodings() -> list[Encoding]:
    """The encodings that were opened so far."""
    return bundled().opened() + own().opened()


def list_encoding_names() -> list[str]:
    """The names of all encodings, the bundled ones first."""
    return [*bundled().names(), *(entry.name for entry in own().entries())]


def encoding_entries() -> tuple[EncodingEntry | OwnEntry, ...]:
    """What is known of each encoding: kind, vendor, description, and what is to be done to a text beforehand."""
    return (*ENTRIES, *own().entries())


def add_folder(folder: Path, *, trusted: bool = False) -> tuple[str, ...]:
    """Make the tokenizer files of a folder known as the user's own encodings. Returns a sentence for each that cannot
    be used; the others can. ``trusted``: this program keeps them there, as ``OwnEncodings.add_folder`` says."""
    return own().add_folder(folder, trusted=trusted)


def register(encoding: Encoding, kind: Kind = "trained") -> None:
    """Make an encoding known by its name as long as the program runs. EngineError where the name is taken."""
    from engine.library.user_encodings import OwnEntry

    own().add(OwnEntry(encoding.name, kind), encoding)


def keep_encoding(
    encoding: Encoding, folder: Path, kind: Kind = "trained", sample: str = "", normalization: tuple[str, ...] = ()
) -> OwnEntry:
    """Save an encoding in the folder of the user's own, checked as ``save_encoding`` does, and make it known. Once
    more with the same name replaces it. EngineError where the name is another's; FormatError."""
    return own().keep(encoding, folder, kind, sample, normalization)


def rename_encoding(name: str, new_name: str) -> OwnEntry:
    """Call a kept encoding of the user's own otherwise. EngineError where the new name is taken; OSError."""
    return own().rename(name, new_name)


def forget_encoding(name: str, *, delete: bool = False) -> None:
    """Make an encoding of the user's own unknown; with ``delete`` its files go too. OSError."""
    own().forget(name, delete=delete)


def encoding_name_for_model(model_id: str) -> str:
    """The encoding of an OpenAI model, as tiktoken's table says. UnknownModelError (a KeyError)."""
    from tiktoken.model import encoding_name_for_model as name_for_model

    try:
        return name_for_model(model_id)
    except KeyError:
        raise UnknownModelError(
            f"No encoding is known for the model {model_id!r}. Choose one by name: {', '.join(list_encoding_names())}."
        ) from None


def encoding_for_model(model_id: str) -> Encoding:
    """The encoding of an OpenAI model. UnknownModelError (a KeyError) where tiktoken's table has none."""
    return get_encoding(encoding_name_for_model(model_id))

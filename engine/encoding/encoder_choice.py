"""Choice of the encoder: kernels if they are compiled, tiktoken's until then.

Both give the same tokens, so switching between them is invisible. The aim is not to build tiktoken's encoders in vain:
each holds the interpreter lock for up to 0.2 s and takes tens of megabytes. So the first encoding that is opened looks
for compiled kernels, which load in about the same time.

Importing this module imports nothing large: the window imports it before it counts anything.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from engine.encoding.compiling import ENCODE, is_compiled, keeps_nothing

if TYPE_CHECKING:
    from engine import Encoding


automatic = True
"""True if an encoding looks for compiled kernels at its first text. Use ``leave_to_caller`` to turn this off."""


def leave_to_caller() -> None:
    """Make encodings wait for ``use_kernels``. For programs that choose themselves: the window loads kernels while no
    edit waits, and the command line knows in advance how much there is to count."""
    global automatic  # noqa: PLW0603 - a setting of the whole process
    automatic = False


def take_compiled(encoding: Encoding) -> None:
    """Make ``encoding`` use the user's compiled kernels, if there are any. Never raises: tiktoken's encoder gives the
    same tokens."""
    if automatic and is_compiled(None, ENCODE):
        with contextlib.suppress(Exception):  # from numba, its compiler, or a file
            encoding.use_kernels(compiled_only=True)


class EncoderChoice:
    """Opens encodings and switches them to the kernels, as far as that needs no compiling.

    Thread-safe: work that two threads do at the same time is done twice, with the same result.
    """

    def __init__(self, folder: Path | None) -> None:
        """``folder``: of compiled kernels; None for the user's folder."""
        leave_to_caller()
        self.folder = folder
        self._active: bool | None = None  # None: not determined yet
        self._expects = True

    @property
    def active(self) -> bool:
        """True if the kernels encode."""
        return bool(self._active)

    def open(self, name: str) -> Encoding:
        """Return the encoding of this name. Raises UnknownEncodingError or DamagedVocabularyError."""
        encoding = engine.get_encoding(name)
        if self._active is None:
            if not is_compiled(self.folder, ENCODE) and is_compiled(None, ENCODE):
                self.folder = None  # a separate profile, but this user has compiled already
            self._active = is_compiled(self.folder, ENCODE) and self._try_kernels(encoding)
        elif self._active:
            self._try_kernels(encoding)
        if not encoding.uses_kernels:
            encoding.awaits_kernels = not keeps_nothing(self.folder) and self._expects
            encoding.read_vocabulary()  # report a damaged one now, not while counting
        return encoding

    def stop_waiting(self) -> None:
        """Expect no more kernels: many texts may build tiktoken's encoders of whole vocabularies."""
        self._expects = False
        for encoding in engine.opened_encodings():
            encoding.awaits_kernels = False

    def take_over(self) -> None:
        """Make the kernels encode in all open encodings, and in all opened later.

        Raises any error from loading them, such as NotCompiledError; then tiktoken's encoder stays in use. The
        encodings can be used in the meantime.
        """
        for encoding in engine.opened_encodings():
            with contextlib.suppress(engine.DamagedVocabularyError):  # using it reports it; the others work
                encoding.use_kernels(self.folder, compiled_only=True)
        self._active = True
        self.stop_waiting()
        for encoding in engine.opened_encodings():  # including those opened in the meantime
            self._try_kernels(encoding)

    def _try_kernels(self, encoding: Encoding) -> bool:
        """Try the kernels in an encoding, which works without them, too. Returns True if they loaded."""
        try:
            encoding.use_kernels(self.folder, compiled_only=True)
        except Exception:  # noqa: BLE001 - from numba, its compiler, or a file: ``take_over`` will raise it
            return False
        return True

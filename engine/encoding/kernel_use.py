"""Which encoder counts: our own kernels where they are compiled, tiktoken's until then.

Both give the same tokens, so switching between them is invisible. The aim is not to build tiktoken's
encoders in vain: each holds the interpreter for up to a fifth of a second, and takes tens of megabytes. So the first
encoding that is opened asks for compiled kernels, which are loaded in about the same time.

Importing this module imports nothing large: a window does so before it counts anything.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from engine.encoding.compiling import ENCODE, is_compiled

if TYPE_CHECKING:
    from engine import Encoding


automatic = True
"""Whether an encoding looks for compiled kernels by itself when it gets its first text. Use ``leave_to_caller`` to turn
this off."""


def leave_to_caller() -> None:
    """Make encodings wait for ``use_kernels``. For programs that choose themselves: the window loads kernels where no
    edit waits for it, and the command line knows beforehand how much there is to count."""
    global automatic  # noqa: PLW0603 - one program, one way to choose
    automatic = False


def take_compiled(encoding: Encoding) -> None:
    """Make ``encoding`` use the kernels that this user has compiled, if there are any. Never raises: tiktoken's encoder
    gives the same tokens."""
    if automatic and is_compiled(None, ENCODE):
        with contextlib.suppress(Exception):  # of numba, of its compiler, of a file
            encoding.use_kernels(compiled_only=True)


class KernelUse:
    """Opens encodings, and has our own kernels encode in them as long as that needs no compiling.

    Safe to use from several threads: what two of them do at once is done twice, with the same outcome.
    """

    def __init__(self, folder: Path | None) -> None:
        """``folder``: where compiled kernels are kept; None: in the user's folder."""
        leave_to_caller()
        self.folder = folder
        self._active: bool | None = None  # None: not determined yet

    @property
    def active(self) -> bool:
        """Whether our own kernels encode."""
        return bool(self._active)

    def open(self, name: str) -> Encoding:
        """The encoding of that name. UnknownEncodingError, DamagedVocabularyError."""
        encoding = engine.get_encoding(name)
        if self._active is None:
            if not is_compiled(self.folder, ENCODE) and is_compiled(None, ENCODE):
                self.folder = None  # a profile of its own, but this user has compiled already
            self._active = is_compiled(self.folder, ENCODE) and self._is_taken(encoding)
        elif self._active:
            self._is_taken(encoding)
        if not encoding.uses_kernels:
            encoding.read_vocabulary()  # a damaged one is not to be found out while it counts
        return encoding

    def take_over(self) -> None:
        """Have the kernels encode in all encodings that are open, and in all that will be.

        Whatever loading them raises is raised, NotCompiledError for one; tiktoken's encoder then goes on. The encodings
        can be used in the meantime.
        """
        for encoding in engine.opened_encodings():
            with contextlib.suppress(engine.DamagedVocabularyError):  # using it reports it; the others work
                encoding.use_kernels(self.folder, compiled_only=True)
        self._active = True
        for encoding in engine.opened_encodings():  # those that were opened in the meantime
            self._is_taken(encoding)

    def _is_taken(self, encoding: Encoding) -> bool:
        """Try the kernels in an encoding; without them it works, too."""
        try:
            encoding.use_kernels(self.folder, compiled_only=True)
        except Exception:  # noqa: BLE001 - of numba, of its compiler, of the file: ``take_over`` will raise it
            return False
        return True

"""Which encoder a command counts with: tiktoken's, or our own kernels. The tokens are the same.

Scripts start a command often and for little text, so what decides is how soon it ends. Measured by processor time:

- tiktoken's encoder takes 60 to 240 ms to build, for each encoding, and then about 80 ms for a megabyte;
- loading compiled kernels takes 300 ms, once, and then 15 ms for an encoding and 2 to 3 ms for a megabyte;
- compiling them takes 20 to 30 seconds, in which tiktoken's encoder is through with 300 MB.

So compiled kernels are loaded where there are two or three megabytes to count, or several encodings. Where there are
none, a command does without, and leaves nothing behind: whoever opens the window once has them. Only with very much
text are they compiled, on another processor while counting goes on; if the end comes first, compiling stops.
"""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from gui.core.paths import profile_paths

if TYPE_CHECKING:
    from engine import Encoding

BUILDING_BYTES = 1_000_000
"""Text that tiktoken's encoder is through with in the time that building it takes."""

LOADING_BYTES = 3_700_000
"""Text that it is through with in the time that loading compiled kernels takes."""

COMPILING_BYTES = 100_000_000
"""Text after which it is likely that there is so much more that compiling pays."""


class NotWantedError(Exception):
    """The command has ended: nothing needs to be compiled any more."""


class EncoderChoice:
    """Chooses for one command. A context manager: at its end nothing goes on."""

    def __init__(self, profile: Path | None) -> None:
        self._folder = profile_paths(profile).compiled
        self._work = 0  # in bytes of text for tiktoken's encoder
        self._tried: set[str] = set()
        self._thread: ThreadPoolExecutor | None = None
        self._ended = False

    def __enter__(self) -> EncoderChoice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        if self._thread is not None:
            self._thread.shutdown()

    def expect(self, n_bytes: int, encodings: int = 0) -> None:
        """So many bytes more of text are to be encoded, and so many more encodings are to be used."""
        self._work += n_bytes + encodings * BUILDING_BYTES

    def make_for(self, encoding: Encoding) -> None:
        """Have the better encoder encode, by what is expected so far."""
        if self._work < LOADING_BYTES or encoding.name in self._tried:
            return
        from engine.compiling import ENCODE, is_compiled

        if is_compiled(self._folder, ENCODE):
            self._tried.add(encoding.name)
            # Whatever numba, its compiler or a file may raise: tiktoken's encoder is there.
            with contextlib.suppress(Exception):
                encoding.use_kernels(self._folder, compiled_only=True)
        elif self._work >= COMPILING_BYTES and self._thread is None and (os.cpu_count() or 1) > 1:
            self._thread = ThreadPoolExecutor(1)
            self._thread.submit(self._compile)

    def _compile(self) -> None:
        from engine.compiling import ENCODE, CompilingFailedError, compile_in_child, keeps_nothing

        if not keeps_nothing(self._folder):
            with contextlib.suppress(NotWantedError, CompilingFailedError):
                compile_in_child(self._folder, [ENCODE], self._still_wanted)

    def _still_wanted(self) -> None:
        if self._ended:
            raise NotWantedError

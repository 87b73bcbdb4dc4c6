"""Encodings that commands use, price catalogs, and the choice of the encoder.

A command counts with either tiktoken's encoder or Tokenloupe's own kernels. The tokens are the same.

Scripts often start a command for little text, so the total run time decides. Measured processor times:

- tiktoken's encoder takes 60 to 240 ms to build, for each encoding, and then about 80 ms per megabyte;
- loading compiled kernels takes 300 ms once, then 15 ms per encoding and 2 to 3 ms per megabyte;
- compiling them takes 20 to 30 seconds, in which tiktoken's encoder processes 300 MB.

So compiled kernels are loaded if there are two or three megabytes to count, or several encodings. If they are not
compiled yet, a command works without them and writes no files: the window and ``warm-up`` compile them. A long command
prints a hint once. Only for very large input are they compiled, on another processor while counting continues.
Compiling stops when the command ends first.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import click

import engine
import pricing
from commands.program import PROGRAM, BadInput, remark, usable
from engine import Encoding
from engine.library.formats.table import examples
from engine.runtime.atomic_files import check_regular
from gui.core.profile_files import profile_paths

if TYPE_CHECKING:
    from engine import Encoding
    from pricing import Catalog
    from pricing.calibration import Sample
    from pricing.types import Model

_Command = TypeVar("_Command", bound=Callable[..., Any])


def tokenizer_options(command: _Command) -> _Command:
    """Add the options for the parameters ``tokenizer`` and ``pattern`` of a command."""
    command = click.option(
        "--pattern", help="Split pattern, by name or as a regex, for a FILE that lacks one (.tiktoken, .gguf)."
    )(command)
    return click.option("--tokenizer", metavar="FILE", help=f"A tokenizer file: {', '.join(examples())}.")(command)


def user_encodings(profile: Path | None) -> tuple[list[str], tuple[str, ...]]:
    """Register the user's own encodings. Return their names and a message per unusable file. Raises BadInput."""
    problems = usable(lambda: engine.add_folder(profile_paths(profile).encodings, trusted=True))
    return [entry.name for entry in engine.encoding_entries() if entry.kind != "bundled"], problems


def named_encoding(name: str, profile: Path | None) -> Encoding:
    """Return the bundled or user encoding with this name. Raises BadInput."""
    if name in engine.list_encoding_names():
        return usable(lambda: engine.get_encoding(name))
    _, problems = user_encodings(profile)
    try:
        return engine.get_encoding(name)
    except engine.EngineError as error:
        raise BadInput(" ".join([str(error), *problems])) from error


def encoding_of_file(file: str, pattern: str | None) -> Encoding:
    """Return the encoding in a tokenizer file. Raises BadInput."""
    try:
        return engine.open_tokenizer(file, pattern=pattern, checked=True).encoding
    except engine.FormatError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}") from error


def required_encoding(profile: Path | None, name: str | None, tokenizer: str | None, pattern: str | None) -> Encoding:
    """Return the encoding named by exactly one of ``--encoding`` and ``--tokenizer``. Raises BadInput."""
    if (name is None) == (tokenizer is None):
        raise BadInput("name one of --encoding NAME and --tokenizer FILE")
    if tokenizer is not None:
        return encoding_of_file(tokenizer, pattern)
    assert name is not None
    return named_encoding(name, profile)


def load_catalog(prices: Path | None, profile: Path | None = None) -> Catalog:
    """Load the built-in prices, overridden by ``prices`` or the profile's price file, if any. Raises BadInput."""
    if prices is None:
        own = profile_paths(profile).prices_file
        prices = own if own.is_file() else None
    elif not prices.is_file():
        usable(lambda: check_regular(prices), str(prices))
        raise BadInput(f"{prices}: no such file" if not prices.is_dir() else f"{prices}: a folder, not a file")
    tokenizers = user_encodings(profile)[0] if prices else ()
    return usable(lambda: pricing.load_catalog(prices, tokenizers=tokenizers))


def billed_samples(profile: Path | None) -> tuple[Sample, ...]:
    """Return the calibration samples of the profile. Raises BadInput."""
    path = profile_paths(profile).calibration_file
    if not path.is_file():
        return ()
    from pricing.calibration import samples_of

    try:
        return usable(lambda: samples_of(json.loads(path.read_bytes())), str(path))
    except (ValueError, RecursionError, AttributeError) as error:
        raise BadInput(f"{path}: the file is damaged: {error}") from error


def chosen_encoding(
    profile: Path | None, name: str | None, model: str | None, tokenizer: str | None, pattern: str | None
) -> tuple[Encoding, Model | None]:
    """Return the encoding that the options name, and with ``--model`` the model, whose count rule may be an estimate.
    Raises BadInput."""
    if sum(option is not None for option in (name, model, tokenizer)) > 1:
        raise BadInput("give one of --encoding, --model and --tokenizer")
    if tokenizer is not None:
        return encoding_of_file(tokenizer, pattern), None
    if model is None:
        return named_encoding(name or "o200k_base", profile), None
    try:
        found = load_catalog(None, profile).find(model)
    except LookupError as unpriced:
        try:
            return engine.encoding_for_model(model), None
        except KeyError:
            raise BadInput(f"--model: {unpriced}") from unpriced
    if found.count.tokenizer is None:
        raise BadInput(f"--model: no tokenizer is known for {found.id}")
    return usable(lambda: engine.get_encoding(found.count.tokenizer or "")), found


# --- choice of the encoder --------------------------------------------------------------------------------------------

BUILDING_BYTES = 1_000_000
"""Bytes of text that tiktoken's encoder processes in the time it takes to build."""

LOADING_BYTES = 3_700_000
"""Bytes of text that tiktoken's encoder processes in the time that loading compiled kernels takes."""

COMPILING_BYTES = 100_000_000
"""Bytes of text after which so much more is likely that compiling pays off."""


LONG_BYTES = 20_000_000
"""Bytes of text from which the hint about compiling is worthwhile."""

WARM_UP = "run `python main.py warm-up` once to count several times faster"


class NotWantedError(Exception):
    """Cancels compiling: the command has ended."""


class EncoderChoice:
    """Chooses the encoder for one command. A context manager, which stops background compiling at its end."""

    def __init__(self, profile: Path | None) -> None:
        self._folder = profile_paths(profile).compiled
        self._work = 0  # in bytes of text for tiktoken's encoder
        self._tried: set[str] = set()
        self._thread: ThreadPoolExecutor | None = None
        self._advised = False
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
        """Add text of ``n_bytes`` bytes and a number of encodings to the expected work."""
        self._work += n_bytes + encodings * BUILDING_BYTES

    def make_for(self, encoding: Encoding) -> None:
        """Switch to compiled kernels if the expected text is worth loading them."""
        if self._work < LOADING_BYTES or encoding.name in self._tried:
            return
        from engine.encoding import compiling

        folder = compiling.folder_with(compiling.ENCODE, self._folder)
        if compiling.is_compiled(folder, compiling.ENCODE):
            self._tried.add(encoding.name)
            # If numba, its compiler or a file fails in any way, tiktoken's encoder is used.
            with contextlib.suppress(Exception):
                encoding.use_kernels(folder, compiled_only=True)
        elif self._work >= COMPILING_BYTES and self._thread is None and (os.cpu_count() or 1) > 1:
            self._thread = ThreadPoolExecutor(1)
            self._thread.submit(self._compile)
        elif self._work >= LONG_BYTES and self._thread is None and not self._advised:
            self._advised = True
            if not compiling.keeps_nothing(self._folder):
                remark(f"{PROGRAM}: {WARM_UP}")

    def _compile(self) -> None:
        from engine.encoding.compiling import ENCODE, CompilingFailedError, compile_in_child, keeps_nothing

        if not keeps_nothing(self._folder):
            with contextlib.suppress(NotWantedError, CompilingFailedError):
                compile_in_child(self._folder, [ENCODE], self._is_current)

    def _is_current(self) -> None:
        if self._ended:
            raise NotWantedError

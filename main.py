"""Tokenloupe: the command line and the entry point of the window.

``python main.py`` opens the window; files named as arguments open in its editor. The commands need no display and
import no Qt. The window imports none of the commands. Answers go to standard output, and each error to standard error
as one line. Exit status: 0, 1 if the answer is "no", 2 for bad input.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

COMPILE_OPTION = "--compile-kernels"
"""Internal option with which ``engine.encoding.compiling`` starts the program in a frozen build, which has no separate
interpreter."""
TRY_OPTION = "--try-tokenizer"
"""Internal option of ``engine.library.formats.isolated_check``, likewise."""
READ_OPTION = "--read-tokenizer"
"""Internal option of ``engine.library.formats.reading``, likewise."""

RENDER_OPTION = "--render-templates"
"""Internal option of ``engine.requests.template_file``, likewise."""

PRIVATE_OPTION = "--private"
"""Option of the window: keep nothing of the text."""

COMMANDS = ("count", "encode", "decode", "cost", "train", "vocab", "trace", "prices", "warm-up")


class UnusableArgument(Exception):
    """A command-line argument that is neither a command nor an option nor a file."""


def window_arguments(arguments: Sequence[str]) -> tuple[list[Path], Path | None]:
    """Return the files and the profile folder. Raises UnusableArgument for any other argument."""
    paths: list[Path] = []
    profile: Path | None = None
    rest = iter(arguments)
    for word in rest:
        if word == "--profile" or word.startswith("--profile="):
            value = word.partition("=")[2] or next(rest, "")
            if not value:
                raise UnusableArgument("--profile: name a folder")
            profile = Path(value)
            if profile.is_file():
                raise UnusableArgument(f"--profile: {profile} is a file; name a folder")
        elif word.startswith("-"):
            raise UnusableArgument(f"there is no option {word}; --help lists them")
        elif _exists(word):
            paths.append(Path(word))
        else:
            import difflib

            close = difflib.get_close_matches(word, COMMANDS, 1)
            hint = f", did you mean the command {close[0]!r}?" if close else ""
            raise UnusableArgument(f"{word}: no such file{hint}")
    return paths, profile


def _exists(word: str) -> bool:
    """Return True if the file exists. False also for words that cannot be a file name."""
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False


def wants_command(arguments: Sequence[str]) -> bool:
    """Return True if the first word apart from the profile option is a command or asks for help or the version."""
    rest = iter(arguments)
    for word in rest:
        if word == "--profile":
            next(rest, None)
        elif word != PRIVATE_OPTION and not word.startswith("--profile="):
            return word in COMMANDS or word in {"-h", "--help", "--version"}
    return False


def open_window(arguments: Sequence[str]) -> int:
    """Open the window with the files named and return the exit status."""
    private = PRIVATE_OPTION in arguments
    try:
        paths, profile = window_arguments([word for word in arguments if word != PRIVATE_OPTION])
    except UnusableArgument as error:
        return refuse(str(error))
    import gc

    gc.disable()  # permanently: gui.runtime.memory collects, only on the GUI thread
    from gui.runtime.display_check import why_no_window

    sentence = why_no_window()
    if sentence:
        return refuse(sentence)
    from gui.app import run

    return run(paths, profile, private=private)


def refuse(sentence: str) -> int:
    """Print an error on one line and return the exit status."""
    line = f"tokenloupe: {' '.join(sentence.split())}\n"
    sys.stderr.write(line.encode("utf-8", "backslashreplace").decode())
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == [COMPILE_OPTION]:
        from engine.encoding.compiling import main as compile_kernels

        return compile_kernels(arguments[1:])
    if arguments[:1] == [RENDER_OPTION]:
        from engine.requests.template_child import main as render_templates

        return render_templates()
    if arguments[:1] == [TRY_OPTION]:
        from engine.library.formats.isolated_check import main as try_tokenizer

        return try_tokenizer()
    if arguments[:1] == [READ_OPTION]:
        from engine.library.formats.reading import main as read_tokenizer

        return read_tokenizer()
    if not wants_command(arguments):
        return open_window(arguments)
    import gc

    gc.set_threshold(100_000)  # loading modules and kernels frees nothing: collecting would take a tenth of the time
    from commands.entry import run

    return run(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while modules are being loaded
        sys.exit(130)

"""Runs one command and returns its exit status. Every error becomes one line."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from commands.program import INTERRUPTED, PROGRAM, program, remark

FAULT = 70
"""Exit status of an internal error (sysexits.h)."""

LONGEST_WORD = 300


def run(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status. Errors have been printed as one line on standard error."""
    from engine.encoding import encoder_choice
    from engine.errors import DamagedVocabularyError

    encoder_choice.leave_to_caller()
    try:
        _open_streams()
        status = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False) or 0
        sys.stdout.flush()
        return status
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.NoSuchOption as error:
        own = error.option_name in {option for parameter in program.params for option in parameter.opts}
        return _refuse(f"{error.option_name}: write it before the command" if own else error.format_message())
    except click.ClickException as error:
        return _refuse(error.format_message())
    except DamagedVocabularyError as error:  # any command that encodes may detect it
        return _refuse(str(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader closed the pipe, as `head` does. click turns only this into SystemExit.
        _drop_output()
        return 0
    except MemoryError:
        return _refuse("there is not enough memory for this input")
    except OverflowError as error:
        return _refuse(f"a number is too large: {error}")
    except OSError as error:
        if error.filename is None:
            _drop_output()
        return _refuse(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - an internal error: print a reportable sentence, no traceback
        frame = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"
        _refuse(f"internal error, please report it: {what}")
        return FAULT


def _open_streams() -> None:
    """Escape characters that the output cannot encode. Replace closed streams with os.devnull."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open for the life of the process
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Prevent the interpreter's flush at exit from reporting the closed stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str) -> int:
    """Print an error on one line, with very long words shortened. Return the exit status."""
    words = (word if len(word) <= LONGEST_WORD else f"{word[:60]}…{word[-20:]}" for word in sentence.split())
    remark(f"{PROGRAM}: {' '.join(words)}")
    return 2

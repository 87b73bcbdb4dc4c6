"""The command ``warm-up``: compiles the kernels once, so that all later counting and training is fast."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from commands.inputs import noticed
from commands.program import BadInput, json_option, print_json, program, remark, say
from engine.encoding import compiling
from engine.kernels.cache_folder import VARIABLE, current_folder, kept_in
from gui.core.profile_files import profile_paths

FAMILIES = {compiling.ENCODE: "the encoder", compiling.TRAIN: "the trainer"}


@program.command("warm-up")
@json_option
@click.pass_obj
def warm_up(profile: Path | None, as_json: bool) -> None:
    """Compile Tokenloupe's own encoder and trainer.

    Takes one or two minutes, once per computer: the window, the commands and programs that import engine share the
    code. The folder is in the system's cache folder, below --profile, or named by TOKENLOUPE_KERNEL_CACHE.
    """
    folder = profile_paths(profile).compiled
    with kept_in(folder):
        kept = current_folder()
    if kept is None or compiling.keeps_nothing(folder):
        variable = VARIABLE if kept is None else "NUMBA_DISABLE_JIT"
        raise BadInput(f"compiled code is switched off by {variable}")
    begun = time.monotonic()
    missing = [family for family in FAMILIES if not compiling.is_compiled(folder, family)]
    with noticed() as notice:
        for family in missing:
            progress = _Progress(f"compiling {FAMILIES[family]}")
            try:
                compiling.compile_in_child(folder, [family], lambda step=progress: (notice.raise_if_any(), step.show()))
            except compiling.CompilingFailedError as error:
                raise BadInput(f"{FAMILIES[family]} cannot be compiled: {error}") from error
            finally:
                progress.close()
    if as_json:
        print_json({"folder": str(kept), "compiled": missing, "seconds": round(time.monotonic() - begun, 1)})
    else:
        say(f"{'compiled' if missing else 'already compiled'}: {kept}")


class _Progress:
    """Elapsed time of a step on standard error: updated on a terminal, else one line at the start."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._shown = -1
        self._on_terminal = sys.stderr.isatty()
        if not self._on_terminal:
            remark(what)

    def show(self) -> None:
        """Show the seconds if they have changed."""
        seconds = int(time.monotonic() - self._begun)
        if self._on_terminal and seconds != self._shown:
            self._shown = seconds
            click.echo(f"\r{self._what}: {seconds} s ", err=True, nl=False)

    def close(self) -> None:
        """End the line."""
        if self._on_terminal:
            click.echo(err=True)

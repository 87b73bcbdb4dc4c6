"""How far a training run is, on standard error: a bar on a terminal, else a line for each stage."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from commands.program import remark

if TYPE_CHECKING:
    from engine.training_types import TrainingProgress

_STEPS = 1000
_FILES_A_REPORT = 200


class ProgressDisplay:
    """Shows progress until it is closed. ``silent`` shows nothing at all."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._on_terminal = sys.stderr.isatty()
        self._stage = ""
        self._bar: Any = None
        self._shown = 0
        self._line_is_open = False

    def show(self, progress: TrainingProgress) -> None:
        """Take a new state."""
        if self._silent or progress.stage == "done":
            return
        if progress.stage != self._stage:
            self.close()
            self._stage = progress.stage
            if self._on_terminal:
                self._open_bar(progress)
            else:
                click.echo(_line(progress), err=True)
        if self._bar is not None:
            reached = int(progress.fraction * _STEPS)
            self._bar.update(max(0, reached - self._shown), _remark(progress))
            self._shown = max(self._shown, reached)

    def looking(self, check: Callable[[], None]) -> Callable[[int, int], None]:
        """What a survey reports to. ``check`` is called each time; what it raises ends the survey."""

        def report(files: int, file_bytes: int) -> None:
            check()
            if self._on_terminal and not self._silent and files % _FILES_A_REPORT == 0:
                click.echo(f"\rlooking  {files:,} files, {size(file_bytes)} ", err=True, nl=False)
                self._line_is_open = True

        return report

    def note(self, text: str) -> None:
        """One line between the stages."""
        if not self._silent:
            self.close()
            remark(text)

    def close(self) -> None:
        """Leave the bar as it is, and go on below it."""
        if self._line_is_open:
            click.echo(err=True)
            self._line_is_open = False
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None

    def _open_bar(self, progress: TrainingProgress) -> None:
        self._shown = 0
        self._bar = click.progressbar(
            length=_STEPS,
            label=f"{progress.stage:<8}",
            item_show_func=lambda remark: remark,
            file=sys.stderr,
            show_pos=False,
            update_min_steps=1,
        )
        self._bar.render_progress()


def _line(progress: TrainingProgress) -> str:
    if progress.stage == "merging":
        return f"merging {progress.pretokens:,} different pretokens, {progress.merges_wanted:,} merges wanted"
    if progress.stage == "counting":
        return f"counting {size(progress.bytes_total)}"
    return "looking through the files"


def _remark(progress: TrainingProgress) -> str:
    if progress.stage == "merging":
        rate = f"{progress.rate:,.0f} merges/s" if progress.rate else ""
        return f"{progress.merges:,} merges  {rate}  {progress.bytes_per_token:.2f} bytes/token"
    return f"{size(progress.bytes_read)} of {size(progress.bytes_total)}  {size(progress.rate)}/s"


def size(count: float) -> str:
    """A number of bytes in words."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} bytes"

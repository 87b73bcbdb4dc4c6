"""Runs of the engine's trainer, with its kernels compiled beforehand. On a worker thread; no Qt.

Compiling takes the better part of a minute and would hold the interpreter, and with it the window. So it happens once,
in a process of its own, before the first run on a computer; the window usually has it done by the time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.tokenizers.train.plan import KeptEncoding

if TYPE_CHECKING:
    from gui.services.own_encodings import OwnEncodings
    from gui.tokenizers.train.plan import Run, TrainingPlan

FAMILY = "train"


class EngineTrainer:
    """Makes runs and keeps what they learn. ``kernels``: the folder of compiled kernels. ``own``: the encodings among
    which a new one takes its place."""

    def __init__(self, kernels: Path, own: OwnEncodings) -> None:
        self._kernels = kernels
        self._own = own

    def prepare(self, still_wanted: Callable[[], None], compiling_begins: Callable[[], None]) -> None:
        """Compile what runs need, if that was not done yet. Where it fails, the run compiles for itself, slowly."""
        from engine import compiling

        folder = self._kernels
        if compiling.keeps_nothing(folder) or compiling.is_compiled(folder, FAMILY):
            return
        compiling_begins()
        try:
            compiling.compile_in_child(folder, [FAMILY], still_wanted)
        except compiling.CompilingFailedError:
            return

    def ready(self) -> AbstractContextManager[None]:
        """A context in which compiled kernels are found."""
        from engine.kernels.cache_folder import kept_in

        return kept_in(self._kernels)

    def make_run(self, plan: TrainingPlan, resume_from: Path | None) -> Run:
        """A new run, or the one of a checkpoint. Raises EngineError, OSError."""
        import engine

        if resume_from is not None:
            return engine.TrainingRun.resume(resume_from)
        settings = plan.settings
        return engine.TrainingRun(
            plan.paths if plan.survey is None else plan.survey,
            settings.vocab_size,
            pattern=settings.pattern,
            alphabet=settings.alphabet,
            normalization=settings.normalization,
            lowercase=settings.lowercase,
            strip_accents=settings.strip_accents,
            min_count=settings.min_count,
            max_token_bytes=settings.max_token_bytes,
            special_tokens=settings.special_tokens,
            threads=plan.threads,
            tie_order=settings.tie_order,
            dummy_prefix=settings.dummy_prefix,
            rules=plan.rules,
            dask=plan.dask,
        )

    def keep(self, run: Any, plan: TrainingPlan) -> KeptEncoding:
        """Make an encoding of what a run has learned, write it into the profile, and make it known everywhere."""
        import engine

        name = self._own.free_name(plan.name)
        encoding = run.encoding(name)
        with contextlib.suppress(engine.EngineError):  # where they are not compiled yet, tiktoken's encoder will do
            encoding.use_kernels(compiled_only=True)
        unkept = ""
        try:
            self._own.keep(encoding)
        except engine.EngineError as error:
            unkept = str(error)
            self._own.lend(encoding)
        return KeptEncoding(encoding, name, unkept, run.hash)

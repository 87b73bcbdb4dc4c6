"""Makes training runs with the engine, its kernels compiled beforehand. On a worker thread; no Qt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.services.training_plan import Run, TrainingPlan


def make_run(plan: TrainingPlan, resume_from: Path | None) -> Run:
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
        rules=plan.rules,
    )

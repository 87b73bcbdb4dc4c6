"""A training run under faults: a run of the window with very frequent checkpoints, and the checks of its result.

The texts are the same for all runs, and are on a disk that never fails. An interrupted run must be resumable from its
last checkpoint or a later one, and must end with the merges of an uninterrupted run.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

MAX_TOKENS = 1500
FILES = 12
WORDS = 4000
CHECKPOINT_SECONDS = 0.02


def write_texts(folder: Path) -> None:
    """Write the texts, which are the same each time."""
    rng = random.Random(0)
    folder.mkdir(parents=True, exist_ok=True)
    syllables = [a + b for a in "bdfglmnprstv" for b in ("a", "e", "i", "o", "un", "er")]
    for number in range(FILES):
        words = ("".join(rng.choices(syllables, k=rng.randrange(1, 5))) for _ in range(WORDS))
        (folder / f"{number}.txt").write_text(" ".join(words), encoding="utf-8")


def load_trainer(texts: Path) -> None:
    """Load the kernels into this process for all children. Leaves no thread behind."""
    from engine.training.run import warm_up

    warm_up()
    expected_merges(texts)


def begin_training(bench: Any, texts: Path, size: int) -> None:
    """Start a run as the Start button does."""
    from engine.training import merging
    from gui.tokenizers.train import run_service as training_worker

    # Slices of one merge, and as many checkpoints as possible: at any speed, a fault hits some of them.
    merging._BUDGET = 1
    training_worker.SLICE_SECONDS = 0.0
    training_worker.CHECKPOINT_SECONDS = CHECKPOINT_SECONDS
    training_worker.CHECKPOINT_SHARE = float("inf")
    flow = bench.pages.training.build()
    panel = bench.pages.training.panel
    panel.survey.hold_back.setChecked(False)
    panel.form.thread_count.setValue(1)
    panel.form.vocab_size.setValue(size)
    panel.folder.set_paths([str(texts)])
    flow.start()


def watch_training(note: Callable[..., None]) -> None:
    """Log each checkpoint, and the outcome of the run."""
    from gui.tokenizers.train import run_service as training_worker
    from gui.tokenizers.train.run_service import EngineTrainer

    save, drop, keep = training_worker.save_checkpoint, training_worker.drop_checkpoint, EngineTrainer.keep

    def saved(folder: Path, plan: Any, run: Any, merges: int, seconds: float) -> None:
        note("training checkpoint begun", number=merges)
        try:
            save(folder, plan, run, merges, seconds)
        except OSError as error:
            note("training checkpoint failed", number=merges, why=str(error))
            raise
        note("training checkpoint done", number=merges)

    def dropped(folder: Path) -> None:
        note("training checkpoint dropped")
        drop(folder)

    def kept(self: EngineTrainer, run: Any, plan: Any) -> Any:
        result = keep(self, run, plan)
        what = "training failed to keep" if result.unkept else "training kept"
        note(what, name=result.name, number=run.progress().merges)
        return result

    training_worker.save_checkpoint, training_worker.drop_checkpoint = saved, dropped
    EngineTrainer.keep = kept  # type: ignore[method-assign]


@functools.cache
def expected_merges(texts: Path) -> list[list[int]]:
    """Return left and right ID of each merge of an uninterrupted run."""
    import engine

    run = engine.TrainingRun([texts], MAX_TOKENS, threads=1)
    while not run.done:
        run.advance(1.0)
    return [row[:2] for row in run.merge_table().tolist()]


def faults_of_training(session: Path, texts: Path, lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each fault of the run of one session."""
    from gui.tokenizers.train.run_service import find_checkpoints

    done = [line for line in lines if line["what"].startswith("training checkpoint")]
    saved = [line["number"] for line in done if line["what"] == "training checkpoint done"]
    waiting = find_checkpoints(session)
    if saved and not waiting and not any(line["what"] == "training checkpoint dropped" for line in done):
        yield f"the checkpoint of {saved[-1]} merges is gone"
    for checkpoint in waiting:
        yield from _faults_of_checkpoint(checkpoint, texts, max(saved, default=0))


def _faults_of_checkpoint(checkpoint: Any, texts: Path, least: int) -> Iterator[str]:
    import engine

    run = engine.TrainingRun.resume(checkpoint.state, threads=1)
    merges = run.progress().merges
    if merges < least:
        yield f"the checkpoint has {merges} merges, the last that was written had {least}"
    while not run.done:
        run.advance(1.0)
    found = [row[:2] for row in run.merge_table().tolist()]
    expected = expected_merges(texts)[: checkpoint.plan.settings.vocab_size - 256]
    if found != expected:
        yield f"resumed from {merges} merges, the run came to {len(found)} others"


def faults_of_kept(folder: Path, texts: Path, lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each saved vocabulary that is missing or differs."""
    from engine.library.formats.opening import load

    for line in lines:
        if line["what"] != "training kept":
            continue
        path = folder / f"{line['name']}.tiktoken"
        if not path.exists():
            yield f"the trained vocabulary {line['name']} is gone"
            continue
        tokens = load(path).token_byte_values()
        made = [bytes([value]) for value in range(256)]
        for left, right in expected_merges(texts)[: line["number"]]:
            made.append(made[left] + made[right])
        if sorted(tokens) != sorted(made):
            yield f"the trained vocabulary {line['name']} is another one"

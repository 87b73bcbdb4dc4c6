"""What a cluster counts is what one machine counts: with real worker processes, one of which is killed."""

from __future__ import annotations

import builtins
import gc
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.corpus.types import CorpusRules
from engine.errors import TrainingError
from engine.kernels.cache_folder import is_uncompiled
from engine.training import cluster as training_cluster
from engine.training.counting import CorpusCounting, documents_of
from engine.training.settings import plan_for
from engine.training.types import TrainingSettings
from tests.patience import PATIENCE_SECONDS

distributed = pytest.importorskip("distributed", reason="comes with the extra dask")

pytestmark = [
    pytest.mark.skipif(is_uncompiled(), reason="workers have kernels"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the libraries that a cluster is made of
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of a worker that was killed
]

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = TrainingSettings(600)
SMALL = 20_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes, which find this checkout."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("PYTHONPATH", str(ROOT))
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as made:
            yield made


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Sources of the engine: some hundred thousand bytes, in files of all sizes."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for source in sorted((ROOT / "engine").glob("[ct]*/*.py")):
        (folder / f"{source.parent.name}-{source.stem}.txt").write_bytes(source.read_bytes())
    (folder / "long.txt").write_bytes(b"".join(path.read_bytes() for path in sorted(folder.iterdir())))
    return folder


def trained(run: engine.TrainingRun) -> tuple[list[Any], str]:
    while not run.done:
        run.advance(0.05)
    return run.merges(), run.hash


@pytest.mark.deep
def test_a_cluster_learns_the_same_merges(cluster: Any, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.training.cluster.PART_BYTES", SMALL)
    expected = trained(engine.TrainingRun(corpus, 600))
    run = engine.TrainingRun(corpus, 600, dask=cluster.scheduler_address)
    seen = []
    while not run.done:
        progress = run.advance(0.01)
        if progress.stage == "counting":
            seen.append(progress.bytes_read)
    assert (run.merges(), run.hash) == expected
    assert seen == sorted(seen)
    assert len(set(seen)) > 2


def counting_on(cluster: Any, corpus: Path, part_bytes: int) -> training_cluster.ClusterCounting:
    documents = documents_of([corpus], CorpusRules())
    return training_cluster.ClusterCounting(documents, plan_for(SETTINGS), cluster.scheduler_address, part_bytes)


@pytest.mark.deep
def test_a_killed_worker_costs_time_only(cluster: Any, corpus: Path) -> None:
    counting = counting_on(cluster, corpus, 2_000)
    while counting.bytes_read < counting.bytes_total // 4:
        assert not counting.advance(0.0)
    victim = next(iter(cluster.workers.values()))
    os.kill(victim.pid, signal.SIGKILL)
    assert counting.advance(time.perf_counter() + PATIENCE_SECONDS)
    local = CorpusCounting(documents_of([corpus], CorpusRules()), plan_for(SETTINGS), threads=1)
    assert local.advance(float("inf"))
    assert counting.digest() == local.digest()
    assert counting.bytes_read == counting.bytes_total
    assert counting.problems == []


@pytest.mark.deep
def test_a_run_that_is_dropped_takes_its_work_back(cluster: Any, corpus: Path) -> None:
    counting = counting_on(cluster, corpus, 1_000)
    assert not counting.advance(0.0)
    client = counting._client
    del counting
    gc.collect()
    assert client.status == "closed"


@pytest.mark.deep
def test_a_checkpoint_while_counting_begins_anew_here(cluster: Any, corpus: Path, tmp_path: Path) -> None:
    run = engine.TrainingRun(corpus, 600, dask=cluster.scheduler_address)
    run.advance(0.0)
    run.save(tmp_path / "kept")
    assert trained(engine.TrainingRun.resume(tmp_path / "kept")) == trained(engine.TrainingRun(corpus, 600))


@pytest.mark.deep
def test_what_a_worker_refuses_is_said(cluster: Any, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_it_is = training_cluster.counting_of
    monkeypatch.setattr(training_cluster, "counting_of", lambda *given: as_it_is(*given)._replace(sources="another"))
    run = engine.TrainingRun(corpus, 600, dask=cluster.scheduler_address)
    with pytest.raises(TrainingError, match="has another version of this program"):
        trained(run)


@pytest.mark.deep
def test_a_file_the_workers_cannot_see_is_named(cluster: Any, corpus: Path) -> None:
    counting = counting_on(cluster, corpus, SMALL)
    gone = corpus / "training-run.txt"
    gone.unlink()
    assert counting.advance(float("inf"))
    assert [(problem.path, problem.reason) for problem in counting.problems] == [(gone, "vanished")]


def test_nobody_at_the_address(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_cluster, "CONNECT_SECONDS", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(TrainingError, match=f"No Dask scheduler answers at {address}"):
            engine.TrainingRun(corpus, 600, dask=address).advance(1.0)


@pytest.mark.parametrize(
    ("built", "words"),
    [(False, r"needs the package distributed: pip install '\.\[dask\]'"), (True, "build has no Dask")],
)
def test_without_the_library_it_says_what_to_do(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, built: bool, words: str
) -> None:
    as_it_is = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return as_it_is(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(sys, "frozen", built, raising=False)
    with pytest.raises(TrainingError, match=words):
        engine.TrainingRun(corpus, 600, dask="tcp://127.0.0.1:9").advance(1.0)

"""The measurements of ``benchmarks.encode``: functions that each return a table.

All encoders take turns in every round, and the best round counts: other load of the machine affects all alike.
Throughput is measured in CPU seconds of this process; the times of two threads are wall-clock seconds.
"""

from __future__ import annotations

import functools
import json
import random
import statistics
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.encode_peers import Peer, difference, tiktoken_peer
from benchmarks.encode_texts import start_of, worst_inputs
from engine.encoding.encoder import open_encoder
from engine.encoding.encoding import Encoding
from engine.encoding.text_encoders import ChunkedEncoder
from engine.vocabulary.tables import fingerprint_of

PROJECT = Path(__file__).resolve().parents[1]
TABLES = PROJECT / "benchmarks" / "__pycache__"
PROMPT_BYTES = 2048
WORST_SIZE = 1_000_000
TWICE_ROUNDS = 5
WORST_ROUNDS = 7


@dataclass(frozen=True)
class Table:
    """A table of the report. The first cell of a row is its label."""

    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [f"### {self.title}", "", "| " + " | ".join(("", *self.columns)) + " |"]
        lines.append("|---" + "|--:" * len(self.columns) + "|")
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"


def open_own(encoding: Encoding) -> ChunkedEncoder:
    """Return our encoder as the public calls use it, with tables that are mapped from the second time on."""
    table = encoding._vocabulary.table
    return ChunkedEncoder(open_encoder(encoding._pat_str, fingerprint_of(table), lambda: table, TABLES))


def own_peers(encoding: Encoding) -> list[Peer]:
    """Return our own encoder as peers, one for each kind of result."""

    def made(method: str) -> Callable[[], Callable[[str, bytes], Any]]:
        def fresh() -> Callable[[str, bytes], Any]:
            call = getattr(open_own(encoding), method)
            return lambda text, _: call(text)

        return fresh

    def fresh_for_bytes() -> Callable[[str, bytes], Any]:
        own = open_own(encoding).native
        return lambda _, content: own.count(content)

    return [
        Peer("**ours**, count of UTF-8", "count", fresh_for_bytes),
        Peer("**ours**, count", "count", made("count")),
        Peer("**ours**, count of a new text", "count", made("count"), alone=True),
        Peer("**ours**, array", "array", made("encode")),
        Peer("**ours**, list", "list", made("encode_to_list")),
    ]


def seconds_of(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of one call."""
    started = clock()
    call()
    return clock() - started


def throughput(encoding: Encoding, texts: Mapping[str, str], peers: Sequence[Peer], rounds: int) -> Table:
    """Measure MB/s and multiples of tiktoken, for the first call of a new encoder and for the same text again."""
    named = [f"{name}, {len(text.encode()) / 1e6:.1f} MB" for name, text in texts.items()]
    table = Table(f"{encoding.name}: MB/s, cold / hot (times tiktoken)", named)
    base = tiktoken_peer(encoding)
    cells: dict[str, list[str]] = {peer.name: [] for peer in (base, *peers)}
    for text in texts.values():
        speeds, differing = _speeds(base, peers, text, rounds)
        unit = max(speeds[base.name])
        cells[base.name].append(f"{unit:.1f}")
        for peer in peers:
            if peer.name in differing:
                cells[peer.name].append(differing[peer.name])
                continue
            cold, hot = speeds[peer.name]
            cells[peer.name].append(f"{cold:.0f} / {hot:.0f} ({cold / unit:.1f} / {hot / unit:.1f})")
    table.rows.extend([name, *found] for name, found in cells.items())
    return table


def _speeds(
    base: Peer, peers: Sequence[Peer], text: str, rounds: int
) -> tuple[dict[str, tuple[float, float]], dict[str, str]]:
    """Return MB/s of each encoder with one text, cold and hot, and the differences of those with other IDs. By name."""
    given = {peer.name: text if peer.most_bytes is None else start_of(text, peer.most_bytes) for peer in (base, *peers)}
    expected = {part: base.fresh()(part, b"") for part in set(given.values())}
    found = {peer.name: difference(peer, [given[peer.name]], [expected[given[peer.name]]]) for peer in peers}
    del expected
    contents = {name: part.encode() for name, part in given.items()}
    given |= {peer.name: contents[peer.name].decode() for peer in peers if peer.alone}
    speeds = dict.fromkeys(given, (0.0, 0.0))
    for _ in range(rounds):
        kept = []  # a freed encoder leaves hundreds of thousands of memory blocks that slow down the next one
        for peer in (base, *peers):
            if found.get(peer.name):
                continue
            content = contents[peer.name]
            call = functools.partial(peer.fresh(), given[peer.name], content)
            kept.append(call)
            first = again = seconds_of(call)
            if peer.remembers:
                again = min(seconds_of(call) for _ in range(3 if first < 0.1 else 1))
            cold, hot = speeds[peer.name]
            megabytes = len(content) / 1e6
            speeds[peer.name] = max(cold, megabytes / first), max(hot, megabytes / again)
    return speeds, {name: how for name, how in found.items() if how}


def small_inputs(encoding: Encoding, text: str, peers: Sequence[Peer]) -> Table:
    """Measure microseconds for a short prompt: a new one, after others; and a known one."""
    table = Table(f"{encoding.name}: a prompt of {PROMPT_BYTES:,} bytes, µs", ["never seen", "seen"])
    content = text.encode()
    starts = range(0, len(content) - PROMPT_BYTES, PROMPT_BYTES)
    pieces = [content[at : at + PROMPT_BYTES].decode("utf-8", "ignore") for at in starts]
    random.Random(1).shuffle(pieces)
    prompts = [(piece, piece.encode()) for piece in pieces[:400]]
    base = tiktoken_peer(encoding)
    samples = [piece for piece, _ in prompts[:50]]
    encode = base.fresh()
    expected = [encode(piece, b"") for piece in samples]
    for peer in (base, *peers):
        if differing := difference(peer, samples, expected):
            table.rows.append([peer.name, differing, differing])
            continue
        new, same = _prompt_seconds(peer.fresh(), prompts)
        table.rows.append([peer.name, f"{new * 1e6:.1f}", f"{same * 1e6:.1f}"])
    return table


def _prompt_seconds(encode: Callable[[str, bytes], Any], prompts: list[tuple[str, bytes]]) -> tuple[float, float]:
    """Return the seconds for a new prompt, after as many others, and for a prompt that was encoded before."""
    half = len(prompts) // 2
    for prompt in prompts[:half]:
        encode(*prompt)
    new = [seconds_of(lambda prompt=prompt: encode(*prompt), time.perf_counter) for prompt in prompts[half:]]
    same = (seconds_of(lambda: [encode(*prompts[0]) for _ in range(100)], time.perf_counter) for _ in range(5))
    return statistics.median(new), min(same) / 100


def worst_cases(encoding: Encoding) -> Table:
    """Measure MB/s of counting difficult inputs with a new encoder, and the growth when their size is doubled.

    Also measures an encoder that has counted other texts: its buffers are already allocated, but it has not seen the
    input.
    """
    columns = ["MB/s", "growth on doubling", "an encoder in use, MB/s", "tiktoken, MB/s"]
    table = Table(f"{encoding.name}: worst inputs, {WORST_SIZE / 1e6:g} MB, counted cold", columns)
    core = encoding._core_bpe
    double = worst_inputs(2 * WORST_SIZE)
    another = "x" * WORST_SIZE + "\t" + "".join(random.Random(2).choices(string.ascii_lowercase, k=WORST_SIZE))
    for name, text in worst_inputs(WORST_SIZE).items():
        best = {1: float("inf"), 2: float("inf")}
        in_use = float("inf")
        for _ in range(WORST_ROUNDS):
            for factor, given in ((1, text), (2, double[name])):
                own = open_own(encoding)
                best[factor] = min(best[factor], seconds_of(lambda own=own, given=given: own.count(given)))
            own = open_own(encoding)
            own.count(another)
            in_use = min(in_use, seconds_of(lambda own=own, text=text: own.count(text)))
        megabytes, twice = (len(given.encode()) / 1e6 for given in (text, double[name]))
        growth = best[2] / best[1] * 2 * megabytes / twice
        row = [name, f"{megabytes / best[1]:,.0f}", f"{growth:.2f}", f"{megabytes / in_use:,.0f}"]
        table.rows.append([*row, _tiktoken_speed(core, text, open_own(encoding).count(text))])
    return table


def _tiktoken_speed(core: Any, text: str, count: int) -> str:
    """Return tiktoken's speed with a text, or its error. Raises AssertionError if its number of tokens differs."""
    started = time.process_time()
    try:
        ids = core.encode_ordinary(text)
    except BaseException as error:  # noqa: BLE001  tiktoken's panic is no Exception
        return type(error).__name__
    seconds = time.process_time() - started
    if len(ids) != count:
        raise AssertionError(f"tiktoken has {len(ids)} tokens, we have {count}")
    return f"{len(text.encode()) / 1e6 / seconds:.1f}"


def two_threads(encodings: Sequence[Encoding], text: str) -> Table:
    """Measure the speed-up of two threads for a large text, and that of two processes for comparison."""
    from benchmarks.encode_processes import times_as_much

    columns = ["one", "two", "times as fast", "two processes, each all of it: times one"]
    table = Table(f"Two threads, {len(text.encode()) / 1e6:.0f} MB, seconds", columns)
    for encoding in encodings:
        own = open_own(encoding)
        best = {1: float("inf"), 2: float("inf")}
        for _ in range(TWICE_ROUNDS):
            for threads in best:
                spent = seconds_of(lambda own=own, threads=threads: own.count(text, threads), time.perf_counter)
                best[threads] = min(best[threads], spent)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text"
            path.write_text(text, encoding="utf-8", newline="")
            control = times_as_much(encoding.name, path)
        figures = [f"{best[1]:.3f}", f"{best[2]:.3f}", f"{best[1] / best[2]:.2f}", f"{control:.2f}"]
        table.rows.append([encoding.name, *figures])
    return table


def memory(encodings: Sequence[Encoding], paths: Sequence[Path]) -> Table:
    """Measure opening time and memory, each encoding in its own process."""
    columns = ["opened in, ms", "private memory, MB", "after 200 MB of text, MB more"]
    table = Table("Opening for the second time, and memory", columns)
    for encoding in encodings:
        command = [sys.executable, "-m", "benchmarks.encode_memory", encoding.name, *map(str, paths)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=PROJECT).stdout)
        figures = [f"{answer[key]:.1f}" for key in ("milliseconds", "opened", "streamed")]
        table.rows.append([encoding.name, *figures])
    return table

"""How fast texts become tokens: our encoder beside tiktoken and the fastest public ones, in one process, one thread.

    python -m benchmarks.encode [--encoding cl100k_base] [--corpus FILE] [--megabytes 6] [--rounds 5] [--only corpora]

Corpora are the files of a folder ``shared/corpora`` beside the checkout, and whatever ``--corpus`` names. Ids are
compared with tiktoken's before anything is timed; who differs is marked and not timed. Times are CPU seconds, medians
of interleaved rounds; the figure to look at is the multiple of tiktoken's ``encode_ordinary``. *cold* is the first call
of a new encoder, *hot* the same text again.
"""

from __future__ import annotations

import argparse
import base64
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import psutil

import engine
from benchmarks.encode_peers import Peer, is_exact, peers_of, tiktoken_peer
from engine.encoder import NativeEncoder, open_encoder
from engine.encoding import Encoding
from engine.table_file import map_tables
from engine.tables import fingerprint_of

PROJECT = Path(__file__).resolve().parents[1]
CORPORA = PROJECT.parent / "shared" / "corpora"
TABLES = PROJECT / "benchmarks" / "__pycache__"
SAMPLE = 20_000
PROMPT_BYTES = 2048


@dataclass
class Timing:
    """CPU seconds of an encoder's calls for one text."""

    cold: list[float]
    hot: list[float]


def open_native(encoding: Encoding) -> NativeEncoder:
    """Our encoder, tables mapped from the second time on."""
    table = encoding._vocabulary.table
    return open_encoder(encoding._pat_str, fingerprint_of(table), lambda: table, TABLES)


def our_peers(encoding: Encoding) -> list[Peer]:
    """Our own encoder, by what it gives."""

    def made(method: str) -> Callable[[], Callable[[str, bytes], Any]]:
        def fresh() -> Callable[[str, bytes], Any]:
            call = getattr(open_native(encoding), method)
            return lambda _, content: call(content)

        return fresh

    return [
        Peer("ours count", "count", made("count")),
        Peer("ours array", "array", made("encode")),
        Peer("ours list", "list", made("encode_to_list")),
    ]


def seconds_of(call: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def timed(peers: list[Peer], text: str, rounds: int) -> dict[str, Timing]:
    """Each peer's times for a text, all peers taking turns."""
    content = text.encode()
    times = {peer.name: Timing([], []) for peer in peers}
    for _ in range(rounds):
        for peer in peers:
            encode = peer.fresh()
            times[peer.name].cold.append(seconds_of(lambda encode=encode: encode(text, content)))
            times[peer.name].hot.append(seconds_of(lambda encode=encode: encode(text, content)))
    return times


def corpora(paths: list[Path], megabytes: float) -> dict[str, str]:
    """Texts by name, each as much of its file as asked for."""
    if not paths:
        paths = sorted(CORPORA.glob("*.txt"))
    size = int(megabytes * 1e6)
    return {path.stem: path.read_bytes()[:size].decode("utf-8", "ignore") for path in paths}


def worst_inputs(size: int) -> dict[str, str]:
    """Inputs of about so many bytes that encoders find hard."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    points = [point for point in range(0x80, 0x30000) if not 0xD800 <= point < 0xE000]
    return {
        "one letter": "a" * size,
        "spaces": " " * size,
        "newlines": "\n" * size,
        "two letters in turn": "ab" * (size // 2),
        "random letters": "".join(rng.choices(letters, k=size)),
        "random ASCII": "".join(map(chr, rng.choices(range(32, 127), k=size))),
        "base64, one line": base64.b64encode(rng.randbytes(size * 3 // 4)).decode(),
        "hexadecimal": rng.randbytes(size // 2).hex(),
        "random Unicode": "".join(map(chr, rng.choices(points, k=int(size / 3.7)))),
        "random Han": "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(size // 3)),
        "stacked marks": "".join(
            rng.choice("abc") + "".join(chr(rng.randrange(0x300, 0x370)) for _ in range(20)) for _ in range(size // 41)
        ),
        "emoji": "".join(rng.choices("😀😁😂🤣😃😄😅😆❤️👍🏽👨‍👩‍👧", k=size // 4)),
    }


def print_corpora(encoding: Encoding, texts: dict[str, str], peers: list[Peer], rounds: int) -> None:
    """The table of throughput."""
    base = tiktoken_peer(encoding)
    print(f"\n### {encoding.name}: MB/s, and times tiktoken (cold / hot)\n")
    print("| | " + " | ".join(f"{name} ({len(text.encode()) / 1e6:.1f} MB)" for name, text in texts.items()) + " |")
    print("|---" * (len(texts) + 1) + "|")
    cells: dict[str, list[str]] = {}
    for text in texts.values():
        megabytes = len(text.encode()) / 1e6
        expected = base.fresh()(text, b"")
        exact = [peer for peer in peers if is_exact(peer, [text], [expected])]
        times = timed([base, *exact], text, rounds)
        unit = statistics.median(times["tiktoken"].cold + times["tiktoken"].hot)
        cells.setdefault("tiktoken", []).append(f"{megabytes / unit:.1f}")
        for peer in peers:
            if peer not in exact:
                cells.setdefault(peer.name, []).append("other ids")
                continue
            cold, hot = (statistics.median(found) for found in (times[peer.name].cold, times[peer.name].hot))
            figures = f"{megabytes / cold:.0f} / {megabytes / hot:.0f} (**{unit / cold:.1f} / {unit / hot:.1f}**)"
            cells.setdefault(peer.name, []).append(figures)
    for name, row in cells.items():
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)


def cold_count(native: NativeEncoder, content: bytes) -> float:
    """CPU seconds of a new encoder's first call."""
    return seconds_of(lambda: native.count(content))


def print_worst(encoding: Encoding, size: int) -> None:
    """The table of the worst inputs: cold counts, and growth when the input is doubled."""
    print(f"\n### {encoding.name}: worst inputs, {size / 1e6:g} MB, count cold\n")
    print("| input | MB/s | growth on doubling | times tiktoken |\n|---|--:|--:|--:|")
    core = encoding._core_bpe
    double = worst_inputs(2 * size)
    for name, text in worst_inputs(size).items():
        seconds = {}
        for content in (text.encode(), double[name].encode()):
            seconds[len(content)] = statistics.median(cold_count(open_native(encoding), content) for _ in range(5))
        count = open_native(encoding).count(text.encode())
        try:
            started = time.process_time()
            expected = len(core.encode_ordinary(text))
            ratio = f"{(time.process_time() - started) / seconds[len(text.encode())]:.0f}"
            if count != expected:
                ratio = "OTHER COUNT"
        except BaseException as error:  # noqa: BLE001  tiktoken's panic is no Exception
            ratio = type(error).__name__
        once, twice = seconds.values()
        print(f"| {name} | {len(text.encode()) / 1e6 / once:,.0f} | {twice / once:.2f} | {ratio} |", flush=True)


def print_small(encoding: Encoding, text: str, peers: list[Peer]) -> None:
    """The table of small inputs: microseconds a call."""
    print(f"\n### {encoding.name}: {PROMPT_BYTES} bytes, microseconds a call\n")
    print("| | new text each time | same text |\n|---|--:|--:|")
    content = text.encode()
    pieces = [
        content[at : at + PROMPT_BYTES].decode("utf-8", "ignore")
        for at in range(0, len(content) - PROMPT_BYTES, PROMPT_BYTES)
    ]
    random.Random(1).shuffle(pieces)
    for peer in (*peers, tiktoken_peer(encoding)):
        encode = peer.fresh()
        prompts = [(piece, piece.encode()) for piece in pieces[:400]]
        for piece, encoded in prompts[:200]:
            encode(piece, encoded)
        new = []
        for piece, encoded in prompts[200:]:
            started = time.process_time()
            encode(piece, encoded)
            new.append(time.process_time() - started)
        piece, encoded = prompts[0]
        started = time.process_time()
        for _ in range(500):
            encode(piece, encoded)
        same = (time.process_time() - started) / 500
        print(f"| {peer.name} | {statistics.median(new) * 1e6:.1f} | {same * 1e6:.1f} |", flush=True)


def print_opening(encoding: Encoding, text: str) -> None:
    """Opening for the second time, and memory."""
    table = encoding._vocabulary.table
    fingerprint = fingerprint_of(table)
    open_native(encoding)
    path = TABLES / f"{fingerprint.hex()[:32]}.tables"
    process = psutil.Process()
    before = process.memory_full_info().uss
    opened = [seconds_of(lambda: map_tables(path, fingerprint)) for _ in range(9)]
    native = open_native(encoding)
    after_open = process.memory_full_info().uss
    content = text.encode()
    for _ in range(max(1, int(2e8 / max(1, len(content))))):
        native.count(content)
    after_stream = process.memory_full_info().uss
    print(
        f"\n{encoding.name}: tables mapped and verified in {statistics.median(opened) * 1e3:.2f} ms; private memory "
        f"+{(after_open - before) / 1e6:.1f} MB, after streaming 200 MB +{(after_stream - before) / 1e6:.1f} MB"
    )


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoding", action="append", help="default: cl100k_base and o200k_base")
    parser.add_argument("--corpus", action="append", type=Path, default=[])
    parser.add_argument("--megabytes", type=float, default=6.0, help="of each corpus")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=["corpora", "small", "worst", "opening"])
    parser.add_argument("--no-peers", action="store_true", help="only tiktoken and ours")
    options = parser.parse_args()
    parts = options.only or ["corpora", "small", "worst", "opening"]
    texts = corpora(options.corpus, options.megabytes)
    if not texts:
        raise SystemExit(f"no corpora: there is no {CORPORA}, and no --corpus is given")
    print(
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, numpy {np.__version__}"
    )
    print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
    for name in options.encoding or ["cl100k_base", "o200k_base"]:
        encoding = engine.get_encoding(name)
        open_native(encoding).warm_up()
        peers = our_peers(encoding) + ([] if options.no_peers else peers_of(encoding))
        if "corpora" in parts:
            print_corpora(encoding, texts, peers, options.rounds)
        if "small" in parts:
            print_small(encoding, next(iter(texts.values())), peers)
        if "worst" in parts:
            print_worst(encoding, 1_000_000)
        if "opening" in parts:
            print_opening(encoding, next(iter(texts.values())))


if __name__ == "__main__":
    main()

"""What people type: ids, searches, patterns, rules for files, words on the command line."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import engine
from commands import entry
from engine.corpus.files import decode_stored
from engine.corpus.types import CorpusRules
from engine.corpus.walk import FolderWalk
from engine.encoding import compiling
from engine.errors import EngineError
from engine.training.run import warm_up
from engine.vocabulary.entries import entries_of
from engine.vocabulary.entry_search import MODES, EntryQuery, EntrySearch, QueryError
from gui.costs.prices_service import value_of
from gui.tokenizers.vocabulary.controller import typed_ids
from pricing.types import PricingError
from tests.engine.library.formats.damage import worse_bytes
from tests.fuzzing.damage import HOSTILE_WORDS, worse_lines
from tests.fuzzing.judging import Fuzzer

IGNORES = (
    b"# build\n*.pyc\n/build/\n!keep.pyc\n**/cache/**\na[b-d]?.txt\n\\#x\n[[:alpha:]]*.log\ndocs/**/*.md\nfoo\\ \n"
)
IDS = b"40, 262, 3797 319\n0 1 2\t50256"
TYPED_IDS = "43453\n100-200\n1,000 .. 2,000\n50\u202f256\n9–5\n0".encode()
LAST_ID = 50_256
SEARCHES = b"cat\n.*ing\n[a-z]{2,5}$\n(?i)the|a\n\\p{L}+\\d?\nc3 a9\n0xE2 0x82\n(ab)+?c\n(?<=x)y\n"
PATTERNS = rb"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s+
[a-z]+|\d|\s
(\w+)\s*|.
"""
VALUES = b"1.25\n1,25\n128k\n2026-01-31\nunknown\n0.000001\n1e-3\nown, other\nhttps://example.org\n"
PRICE_KINDS = ("money", "tokens", "day", "text", "texts", "ratio", "choice")


def ids(_folder: Path) -> Sequence[bytes]:
    return [IDS]


def feed_ids(content: bytes, folder: Path) -> Iterator[str]:
    """To ``decode``, and to ``vocab --id`` one by one."""
    path = folder / "ids"
    path.write_bytes(content)
    yield from said(["decode", str(path), "--encoding", "gpt2"], folder)
    for word in content.decode("utf-8", "replace").replace("\0", "0").replace(",", " ").split()[:2]:
        yield from said(["vocab", "--encoding", "gpt2", f"--id={word}"], folder)


def feed_typed_ids(content: bytes, _folder: Path) -> Iterator[str]:
    """Into the field of the vocabulary tab."""
    found = typed_ids(content.decode("utf-8", "replace"), LAST_ID)
    if found is None:
        yield "it is no id"
    elif isinstance(found, int):
        assert 0 <= found <= LAST_ID
    else:
        assert 0 <= found[0] <= min(found[1], LAST_ID)


@functools.cache
def search() -> EntrySearch:
    return EntrySearch(entries_of(engine.get_encoding("gpt2")))


def searches(_folder: Path) -> Sequence[bytes]:
    return SEARCHES.splitlines()


def feed_search(content: bytes, _folder: Path) -> Iterator[str]:
    text = content.decode("utf-8", "surrogateescape")
    for mode in MODES:
        try:
            search().ids(EntryQuery(text, mode))
        except QueryError as error:
            yield str(error)


def patterns(_folder: Path) -> Sequence[bytes]:
    return PATTERNS.splitlines()


def feed_pattern(content: bytes, _folder: Path) -> None:
    """A split pattern of a training run."""
    run = engine.TrainingRun(
        ["She sells sea shells, she's 42 " * 9], 260, content.decode("utf-8", "replace"), threads=1
    )
    while not run.done:
        run.advance(1.0)


def ignores(_folder: Path) -> Sequence[bytes]:
    return [IGNORES]


def feed_ignores(content: bytes, folder: Path) -> Iterator[str]:
    """As the ``.gitignore`` of a folder; its lines also as globs that somebody typed."""
    root = folder / "root"
    if not root.exists():
        for name in ("a", "build/x", "docs/a/b.md", "keep.pyc", "ab1.txt", "z.log", "cache/é", "- b", "[x].txt"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("a cat")
        (root / ".git").mkdir()
    (root / ".gitignore").write_bytes(content)
    list(FolderWalk(CorpusRules()).found([root]))
    globs = content.decode("utf-8", "surrogateescape").split("\n")[:4]
    try:
        list(FolderWalk(CorpusRules(include=tuple(globs[:1]), exclude=tuple(globs[1:]))).found([root]))
    except EngineError as error:
        yield str(error)


def texts(_folder: Path) -> Sequence[bytes]:
    text = "She sells sea shells — «ключ», 試験 😀\r\n"
    return [text.encode(), *(text.encode(name) for name in ("utf-16", "utf-32", "utf-8-sig"))]


def feed_text(content: bytes, _folder: Path) -> None:
    """As a file that is opened, and counted."""
    engine.get_encoding("gpt2").count(decode_stored(content).text)


def values(_folder: Path) -> Sequence[bytes]:
    return VALUES.splitlines()


def feed_value(content: bytes, _folder: Path) -> Iterator[str]:
    """Into a field of the form for prices."""
    for kind in PRICE_KINDS:
        with contextlib.suppress(PricingError):
            value_of(kind, content.decode("utf-8", "replace"))
    return iter(())


# --- the command line -------------------------------------------------------------------------------------------------

WORDS = (
    *("count", "encode", "decode", "cost", "train", "vocab", "trace", "prices", "check", "set", "compare", "schema"),
    *("--json", "--encoding", "--model", "--tokenizer", "--pattern", "--request", "--template", "--budget", "--prices"),
    *("--input-tokens", "--output-tokens", "--cached-tokens", "--calls", "--factor", "--on", "--batch", "--explain"),
    *("--vocab-size", "--min-count", "--special", "--alphabet", "--normalization", "--threads", "--out", "--resume"),
    *("--checkpoint", "--id", "--text", "--hex", "--search", "--report", "--include", "--sample", "--profile"),
    *("gpt2", "o200k_base", "openai/gpt-4o", "gpt-4o", "nobody/nothing", "text.txt", "body.json", "prices.yaml"),
    *("own.tiktoken", "folder", "missing", "-", "", "0", "300", "-1", "1.5", "1e9", "NaN", "inf", "2026-01-31"),
    *("out.json", "folder/out.model", "missing/out.tiktoken", "report.md", "price.input", "null", "c3a9", "a\udcff"),
    *HOSTILE_WORDS,
)
EXAMPLES = (
    "count|text.txt|folder|--encoding|gpt2|--json",
    "count|--request|body.json|--template|chatml",
    "encode|text.txt|--encoding|gpt2",
    "decode|text.txt|--encoding|gpt2",
    "cost|text.txt|--model|gpt-4o|--output-tokens|300|--calls|9|--factor|1.1|--on|2026-01-31|--json",
    "cost|--input-tokens|300|--cached-tokens|10|--budget|1.5|--prices|prices.yaml",
    "train|text.txt|--vocab-size|300|--pattern|gpt2|--out|out.json|--checkpoint|kept",
    "vocab|--encoding|gpt2|--search|cat",
    "trace|a cat|--encoding|gpt2|--json",
    "prices|check|prices.yaml",
    "prices|set|prices.yaml|own/model|price.input|1.5",
)


def commands(_folder: Path) -> Sequence[bytes]:
    """Kernels are compiled before: that is not what takes long."""
    warm_up()
    return [line.encode() for line in EXAMPLES]


def worse_words(chance: random.Random, content: bytes) -> bytes:
    """Words of a command line left out, put in, or others."""
    words = content.decode("utf-8", "surrogateescape").split("|")
    place = chance.randrange(1, len(words) + 1)
    way = chance.randrange(4)
    if way == 0:
        del words[place - 1]
    elif way == 1:
        words.insert(place, chance.choice(WORDS))
    else:
        words[place - 1 if place > 1 else 1 : place] = [chance.choice(WORDS)]
    return "|".join(words).encode("utf-8", "surrogateescape") if words else b"count"


def feed_command(content: bytes, folder: Path) -> Iterator[str]:
    """A command in a folder with a few files."""
    place = folder / "work"
    if not place.exists():
        (place / "folder").mkdir(parents=True)
        (place / "folder" / "a.txt").write_text("a cat sat on a mat")
        (place / "text.txt").write_text("40 262 3797")
        (place / "body.json").write_text('{"model": "gpt-4o", "messages": [{"role": "user", "content": "a cat"}]}')
        (place / "prices.yaml").write_text("version: 1\nmodels:\n  own/model:\n    price: {input: 1, output: 2}\n")
    words = content.decode("utf-8", "surrogateescape").replace("\0", "").split("|")
    yield from said(words, place)


class Streams:
    """Standard input with nothing in it, and what went to the other two."""

    def __init__(self) -> None:
        self.out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="strict", newline="\n")
        self.error = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", newline="\n")

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        with (
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(), "utf-8")),
            patch.object(sys, "stdout", self.out),
            patch.object(sys, "stderr", self.error),
            patch.object(compiling, "is_compiled", lambda *_: True),
        ):
            yield


def said(words: Sequence[str], folder: Path) -> Iterator[str]:
    """Run a command in a folder, and give what it says on standard error where its status is 2. AssertionError for
    another status than those there are."""
    streams = Streams()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with streams.used():
            status = entry.run(["--profile", str(folder / "profile"), *words])
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os.chdir(before)
    assert status in (0, 1, 2), f"status {status}"
    if status == 2:
        told = streams.error.buffer.getvalue().decode("utf-8", "replace")
        assert told.startswith("tokenloupe: ") or "\ntokenloupe: " in told, told
        yield told.rstrip("\n").rpartition("\n")[2] if "\ntokenloupe: " in told else told.removesuffix("\n")


FUZZERS = {
    "ids": Fuzzer(ids, (worse_bytes, worse_lines), feed_ids),
    "typed ids": Fuzzer(lambda _: TYPED_IDS.splitlines(), (worse_bytes, worse_lines), feed_typed_ids),
    "searches": Fuzzer(searches, (worse_bytes, worse_lines), feed_search),
    "patterns": Fuzzer(patterns, (worse_bytes, worse_lines), feed_pattern, (EngineError,)),
    "ignores": Fuzzer(ignores, (worse_bytes, worse_lines, worse_lines), feed_ignores),
    "texts": Fuzzer(texts, (worse_bytes,), feed_text, (EngineError,)),
    "values": Fuzzer(values, (worse_bytes, worse_lines), feed_value),
    "arguments": Fuzzer(commands, (worse_words,), feed_command),
}

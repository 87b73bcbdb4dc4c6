"""What is wrong with a command's input or output is one line on standard error: what, where; and never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import entry
from engine.library.formats.opening import save_encoding
from tests.engine.library.formats.trained import trained
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[1]
DIGITS = "9" * 5000
NAME = "x" * 300
ENCODING = ("--encoding", "gpt2")

Said = tuple[int, bytes, str]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text, a folder, something binary and a tokenizer."""
    folder = tmp_path / "work"
    (folder / "folder").mkdir(parents=True)
    (folder / "text.txt").write_text("the cat sat")
    (folder / "binary").write_bytes(bytes(range(256)) * 9)
    save_encoding(trained(), folder / "own.tiktoken")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def say(work: Path, capfdbinary: Any) -> Callable[..., str]:
    """Run a command that is refused: its line."""

    def run(*words: str) -> str:
        status = entry.run(["--profile", str(work / "profile"), *words])
        told = capfdbinary.readouterr().err.decode()
        assert status == 2, told
        assert told.count("\n") == 1, told
        assert told.startswith("tokenloupe: ")
        assert len(told) < 700
        return told.removeprefix("tokenloupe: ").rstrip("\n")

    return run


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("count", NAME, *ENCODING), "File name too long"),
        (("cost", NAME), "File name too long"),
        (("count", "text.txt", "--budget", "NaN"), "'NaN' is not a whole number of 0 or more"),
        (("cost", "--input-tokens", DIGITS), "is not a whole number of 0 or more"),
        (("cost", "--input-tokens", "-1"), "'-1' is not a whole number of 0 or more"),
        (("cost", "--input-tokens", "1", "--calls", "0"), "'0' is not a whole number of 1 or more"),
        (("cost", "--input-tokens", "1", "--calls", "٣"), "'٣' is not a whole number of 1 or more"),
        (("cost", "--input-tokens", "1", "--on", "2026-02-30"), "'2026-02-30' is not a date like 2026-01-31"),
        (("cost", "text.txt", "--prices", "folder"), "folder: a folder, not a file"),
        (("cost", "text.txt", "--model", "gpt-4o", "--report", "/dev/null/a.md"), "--report: /dev/null/a.md: "),
        (("train", "text.txt", "--vocab-size", "inf"), "'inf' is not a whole number of 1 or more"),
        (("train", "text.txt", "--vocab-size", "270", "--checkpoint", "folder"), "folder: this is a folder"),
        (("train", "text.txt", "--vocab-size", "270", "--checkpoint", "no/x"), "no/x: there is no folder no"),
        (("train", "missing", "--vocab-size", "270"), "missing: No such file or directory"),
        (("train", "--resume", "missing"), "missing: No such file or directory"),
        (("count", "text.txt", "--tokenizer", "folder"), "folder: a folder, not a file"),
        (("decode", "text.txt", *ENCODING), "text.txt: number 1 is not a token ID: 'the'"),
        (("nothing" * 100,), "No such command 'nothing"),
    ],
)
def test_it_is_said_in_one_line(say: Callable[..., str], words: tuple[str, ...], complaint: str):
    told = say(*words)
    assert complaint in told
    assert "folder: folder:" not in told


def test_standard_input_is_named_as_such(say: Callable[..., str], monkeypatch: pytest.MonkeyPatch, work: Path):
    with (work / "text.txt").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert say("decode", *ENCODING) == "standard input: number 1 is not a token ID: 'the'"


def test_nothing_is_compiled_for_a_file_that_is_not_there(
    say: Callable[..., str], monkeypatch: pytest.MonkeyPatch, work: Path
):
    monkeypatch.setattr("engine.encoding.compiling.compile_in_child", None)
    assert "missing" in say("train", "missing", "--vocab-size", "270")


def test_an_empty_pattern_beside_a_vocabulary(say: Callable[..., str], work: Path):
    companion = work / "own.tiktoken.json"
    companion.write_text(companion.read_text().partition('"pattern"')[0] + '"pattern": ""}')
    assert "the pattern is empty" in say("count", "text.txt", "--tokenizer", "own.tiktoken")


def test_a_fault_of_the_program_is_said_as_one(work: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("of ours")

    monkeypatch.setattr("commands.tokens.read_given", broken)
    assert entry.run(["count", "text.txt", *ENCODING]) == entry.FAULT
    told = capfdbinary.readouterr().err.decode()
    assert told.count("\n") == 1
    assert "please report it: RuntimeError: of ours (test_bad_input.py, line " in told


@pytest.fixture
def ctrl_c_interrupts() -> Iterator[None]:
    """As from a terminal: what runs in the background of a shell script is started with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_says_nothing(work: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any):
    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("commands.tokens.read_given", interrupted)
    assert entry.run(["count", "text.txt", *ENCODING]) == entry.INTERRUPTED
    assert capfdbinary.readouterr().err.strip() == b""


# --- streams ----------------------------------------------------------------------------------------------------------


def started(work: Path, *words: str, **streams: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(ROOT / "main.py"), "--profile", str(work / "profile"), *words]
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.Popen(command, cwd=work, **options)


def ended(process: subprocess.Popen[bytes]) -> Said:
    out, told = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out or b"", told.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", [("encode", "text.txt", *ENCODING), ("prices", "schema")])
def test_a_full_disk_behind_the_output(work: Path, words: tuple[str, ...]):
    with Path("/dev/full").open("wb") as full:
        status, _, told = ended(started(work, *words, stdout=full))
    assert (status, told) == (2, "tokenloupe: standard output: No space left on device\n")


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_has_gone_is_no_answer_of_no(work: Path):
    reader, writer = os.pipe()
    os.close(reader)
    process = started(work, "vocab", *ENCODING, "--search", "a", stdout=writer)
    os.close(writer)
    assert ended(process)[::2] == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
def test_an_output_that_was_closed(work: Path):
    command = f'"{sys.executable}" "{ROOT / "main.py"}" count text.txt --encoding gpt2 >&-'
    done = subprocess.run(["sh", "-c", command], check=False, cwd=work, capture_output=True, timeout=PATIENCE_SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="file names that are any bytes")
def test_a_file_name_that_is_no_text(work: Path):
    Path(os.fsdecode(b"folder/a\xff.txt")).write_text("a cat")
    status, out, told = ended(started(work, "count", "folder", *ENCODING, "--json"))
    assert (status, told) == (0, "")
    assert b'"path": "folder/a\\udcff.txt"' in out
    assert ended(started(work, "count", os.fsdecode(b"\xff"), *ENCODING))[0] == 2


def test_a_file_name_gives_no_orders_to_the_terminal(tmp_path, capfd):
    """Escape sequences recolour a terminal, and change its title; marks of direction turn what stands beside them."""
    hostile = tmp_path / "\x1b]0;mine\x07\x1b[31m\u202egnp\nforged.txt"
    assert entry.run(["count", str(hostile)]) == 2
    hostile.write_text("some words")
    assert entry.run(["count", str(hostile), str(hostile)]) == 0
    said = capfd.readouterr()
    for text in (said.out, said.err):
        assert "␛[31m" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert not any(line.startswith("forged") for line in said.out.splitlines())

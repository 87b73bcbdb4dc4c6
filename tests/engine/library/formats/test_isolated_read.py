"""Files that are read in a process of their own, against the same ones read in this one."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from engine.errors import FormatError
from engine.library.formats import reading
from engine.library.formats.opening import open_tokenizer, save_encoding
from engine.library.formats.reading import Ended
from engine.library.formats.source import PatternNeededError
from engine.runtime.threads import child_command
from tests.engine.library.formats import library_files
from tests.engine.library.formats.trained import TEXT, trained
from tests.thoroughness import mostly_deep


def with_suffix(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / f"own{suffix}"
        save_encoding(trained(), path, normalization=("NFC",) if suffix != ".model" else ())
        return path

    return make


def tekken(folder: Path) -> Path:
    vocabulary = [{"rank": v, "token_bytes": base64.b64encode(bytes([v])).decode()} for v in range(256)]
    document = {
        "config": {"pattern": r"\w+|\W+", "default_vocab_size": 260, "default_num_special_tokens": 3},
        "vocab": [*vocabulary, {"rank": 256, "token_bytes": "YWI="}],
        "special_tokens": [{"rank": 1, "token_str": "<s>"}],
    }
    path = folder / "tekken.json"
    path.write_text(json.dumps(document))
    return path


def written(name: str, content: Callable[[], bytes]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content())
        return folder / name

    return make


def cutting(folder: Path) -> Path:
    """Of our own kind, with something for its library to be told of."""
    path = with_suffix(".json")(folder)
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(document | {"padding": {"strategy": "BatchLongest"}}), "utf-8")
    return path


GOOD = {
    "tiktoken": with_suffix(".tiktoken"),
    "Hugging Face": with_suffix(".json"),
    "with padding": cutting,
    "minbpe": with_suffix(".model"),
    "tekken": tekken,
    "WordPiece": written("tokenizer.json", library_files.word_piece),
    "SentencePiece": written("own.model", library_files.sentencepiece_model),
}


@pytest.mark.deep
@pytest.mark.parametrize("make", mostly_deep(GOOD.values(), 2), ids=GOOD)
def test_it_is_what_it_is_when_read_here(make, tmp_path):
    path = make(tmp_path)
    here, apart = (open_tokenizer(path, checked=True, apart=way) for way in (False, True))
    assert (apart.kind, apart.normalization, apart.notes) == (here.kind, here.normalization, here.notes)
    assert apart.check == here.check
    assert type(apart.encoding) is type(here.encoding)
    assert apart.encoding.name == here.encoding.name
    assert apart.encoding.pattern == here.encoding.pattern
    assert apart.encoding._special_tokens == here.encoding._special_tokens
    assert apart.encoding.encode_ordinary(TEXT) == here.encoding.encode_ordinary(TEXT)
    if not here.encoding.no_merges:
        assert list(apart.encoding._mergeable_ranks.items()) == list(here.encoding._mergeable_ranks.items())


@pytest.mark.deep
@pytest.mark.parametrize("apart", [False, True])
def test_where_the_librarys_ids_are_others_the_library_runs_it(tmp_path, apart):
    path = cutting(tmp_path)
    document = json.loads(path.read_text("utf-8"))
    number = max(document["model"]["vocab"].values()) + 1
    entry = {"id": number, "content": "  ", "special": False, "normalized": True}
    document["added_tokens"].append(entry | dict.fromkeys(("single_word", "lstrip", "rstrip"), False))
    path.write_text(json.dumps(document), "utf-8")
    opened = open_tokenizer(path, checked=True, apart=apart)
    assert opened.check.runs
    assert "pads texts" in opened.notes[0]
    assert "gives different ids" in opened.notes[-1]
    assert opened.encoding.encode_ordinary("a  b").count(number) == 1


BAD = {
    "no JSON": b'{"model": {"a": 1,}}',
    "empty": b"",
    "JSON, but nothing known": b'{"a": 1}',
    "half a line": b"YQ==",
    "too few": b"YQ== 1\n",
    "binary": b"\0\1\2" * 99,
    "ids far apart": b"".join(base64.b64encode(bytes([v])) + b" %d\n" % (v * 9999) for v in range(256)),
}


@pytest.mark.parametrize("content", mostly_deep(BAD.values(), 2), ids=BAD)
def test_it_is_refused_in_the_same_words(content, tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    said = []
    for apart in (False, True):
        with pytest.raises(FormatError) as caught:
            open_tokenizer(path, pattern="gpt2", checked=True, apart=apart)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


@pytest.mark.deep
def test_it_asks_for_a_pattern(tmp_path):
    path = with_suffix(".tiktoken")(tmp_path)
    path.with_name(path.name + ".json").unlink()
    with pytest.raises(PatternNeededError, match=r"own\.tiktoken: the file has ranks but no split pattern"):
        open_tokenizer(path, checked=True, apart=True)
    assert open_tokenizer(path, pattern="gpt2", checked=True, apart=True).check.tokens


def test_a_file_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="No such file"):
        open_tokenizer("gone.json", checked=True, apart=True)


def test_a_name_that_is_no_text(tmp_path):
    path = tmp_path / "own\udcff \u2028ü.tiktoken"
    try:
        path.write_bytes(b"")
    except (OSError, UnicodeError):
        pytest.skip("this system has no such names")
    with pytest.raises(FormatError, match="the file is empty"):
        open_tokenizer(path, checked=True, apart=True)


def test_nobody_who_waits_for_it_any_more_is_waited_for(tmp_path):
    with pytest.raises(ZeroDivisionError):
        open_tokenizer(with_suffix(".json")(tmp_path), checked=True, apart=True, cancel_check=lambda: 1 / 0)


def test_a_process_that_breaks_off_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "run", lambda *_: Ended(-9, b"{"))
    with pytest.raises(FormatError, match=r"own\.json: reading crashed or needed"):
        open_tokenizer(tmp_path / "own.json", checked=True, apart=True)


@pytest.mark.parametrize("said", [b"", b"{", b"half a line"])
def test_so_is_one_that_says_nothing(tmp_path, monkeypatch, said):
    monkeypatch.setattr(reading, "run", lambda *_: Ended(0, said))
    with pytest.raises(FormatError, match="produced no output"):
        open_tokenizer(tmp_path / "own.json", checked=True, apart=True)


class Pipes:
    """Standard input and output of a child."""

    def __init__(self, path: Path) -> None:
        self.stdin = io.TextIOWrapper(io.BytesIO(json.dumps({"path": str(path), "pattern": None}).encode() + b"\n"))
        self.stdout = io.TextIOWrapper(io.BytesIO())


@pytest.mark.parametrize("fault", [KeyError("x"), RecursionError("too deep")], ids=str)
def test_a_fault_of_ours_is_told_by_the_child(tmp_path, monkeypatch, fault):
    def fail(*_args: object, **_options: object) -> None:
        raise fault

    pipes = Pipes(tmp_path / "own.json")
    monkeypatch.setattr(reading, "limit", lambda _most: None)
    monkeypatch.setattr(reading, "read", fail)
    monkeypatch.setattr(reading.sys, "stdin", pipes.stdin)
    monkeypatch.setattr(reading.sys, "stdout", pipes.stdout)
    assert reading.main() == 0
    said = pipes.stdout.buffer.getvalue()
    monkeypatch.undo()
    with pytest.raises(FormatError, match=f"reading failed: {type(fault).__name__}"):
        reading._received(said)


@pytest.mark.parametrize("fault", [MemoryError(), BrokenPipeError()], ids=repr)
def test_a_child_without_memory_or_parent_ends(tmp_path, monkeypatch, fault):
    def fail(*_args: object, **_options: object) -> None:
        raise fault

    pipes = Pipes(tmp_path / "own.json")
    monkeypatch.setattr(reading, "limit", lambda _most: None)
    monkeypatch.setattr(reading, "_answer", fail)
    monkeypatch.setattr(reading.sys, "stdin", pipes.stdin)
    monkeypatch.setattr(reading.sys, "stdout", pipes.stdout)
    assert reading.main() == 1


def test_so_is_one_that_does_not_start_or_end(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "child_command", lambda *_: ([str(tmp_path / "nothing")], {}))
    with pytest.raises(FormatError, match="could not start"):
        open_tokenizer(tmp_path / "own.json", checked=True, apart=True)
    monkeypatch.setattr(reading, "_LONGEST_WAIT", 0.1)
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(reading, "child_command", lambda *_: (sleeping, None))
    with pytest.raises(FormatError, match="timed out"):
        open_tokenizer(tmp_path / "own.json", checked=True, apart=True)


def test_a_program_without_an_interpreter_reads_itself(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command, _ = child_command("engine.library.formats.reading", reading.OPTION, ())
    assert command == [sys.executable, reading.OPTION]
    asked = []
    monkeypatch.setattr(reading, "main", lambda: asked.append(1) or 0)
    assert main.main([reading.OPTION]) == 0
    assert asked

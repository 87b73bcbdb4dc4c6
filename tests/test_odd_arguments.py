"""Arguments that stand for nothing, and input without an end, are refused in one line, status 2, and early."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import main
from commands.entry import run
from commands.prices import MAX_BYTES
from engine.corpus.files import BinaryFileError, read_stored
from gui.core.about import our_version


def refused(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    return err


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", ""],
        ["cost", ""],
        ["count", "FILE", "--encoding", ""],
        ["count", "--request", "FILE", "--template", ""],
        ["count", "--request", "FILE", "--lines", ""],
        ["train", "", "--vocab-size", "300"],
        ["encode", "", "--encoding", "gpt2"],
        ["vocab", "--encoding", "", "--id", "1"],
        ["--profile", "", "count", "FILE"],
        ["cost", "FILE", "--prices", ""],
        ["cost", "FILE", "--model", ""],
        ["count", "FILE", "--model", ""],
        ["cost", "FILE", "--report", ""],
        ["train", "FILE", "--vocab-size", "300", "--out", ""],
        ["train", "FILE", "--vocab-size", "300", "--resume", ""],
        ["prices", "check", ""],
        ["prices", "set", "", "openai/gpt-4.1", "price.input", "1"],
        ["prices", "compare", ""],
    ],
)
def test_empty_values(capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str]):
    file = tmp_path / "file.txt"
    file.write_text("some text")
    assert "the value is empty" in refused(capsys, [str(file) if word == "FILE" else word for word in arguments])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["prices"], "prices: name a command: check, compare, schema or set"),
        (["prices", "check", "FOLDER"], "FOLDER: a folder, not a file"),
        (
            ["prices", "set", "FOLDER/x.yaml", "gpt-4o", "price.input", "1"],
            "write vendor/model; did you mean openai/gpt-4o?",
        ),
        (
            ["prices", "set", "FOLDER/x.yaml", "gpt-4ö", "price.input", "1"],
            "write vendor/model; unknown model 'gpt-4ö'",
        ),
        (["--profile", "FILE", "count", "FILE"], "--profile: FILE is a file; name a folder"),
        (["--profile", "FILE"], "--profile: FILE is a file; name a folder"),
        (["count", "FILE", "--profile", "FOLDER"], "--profile: write it before the command"),
        (["count", "FILE", "--private"], "--private: write it before the command"),
        (["count", "FILE", "--privat"], "No such option '--privat'"),
        (
            ["train", "EMPTY", "FOLDER", "--vocab-size", "300"],
            "no text to train on in EMPTY, FOLDER (skipped: 1 empty)",
        ),
        (["train", "-", "--vocab-size", "300"], "no text to train on in standard input"),
        (
            ["train", "FILE", "--vocab-size", "300", "--pattern", "gpt3"],
            "of the texts, and no pattern is named 'gpt3' (cl100k_base, ",
        ),
    ],
)
def test_what_is_wrong_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], why: str
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    places = {"FILE": tmp_path / "file.txt", "EMPTY": tmp_path / "empty.txt", "FOLDER": tmp_path / "folder"}
    places["FILE"].write_text("some text")
    places["EMPTY"].touch()
    places["FOLDER"].mkdir()

    def filled(text: str) -> str:
        for word, place in places.items():
            text = text.replace(word, str(place))
        return text

    assert main.main([filled(word) for word in arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert filled(why) in err


def test_the_version_is_that_of_the_program(capsys: pytest.CaptureFixture[str]):
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"Tokenloupe {our_version()}\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--vocab-size", "300", "--out", "x.exe"], "--out"),
        (["--vocab-size", "300", "--pattern", "(("], "pattern"),
        (["--vocab-size", "300", "--special", ""], "special"),
        (["--vocab-size", "10"], "at least 256"),
        (["--vocab-size", "300", "--min-count", "9" * 20], "--min-count: at most"),
        (["--vocab-size", "300", "--max-token-bytes", "9" * 20], "--max-token-bytes: at most"),
        ([], "--vocab-size is missing"),
    ],
)
def test_options_of_train_are_checked_before_anything_is_prepared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], why: str
):
    from commands import train

    def prepared(*_: object) -> None:
        raise AssertionError("the trainer was prepared")

    monkeypatch.setattr(train, "_kernels", prepared)
    file = tmp_path / "file.txt"
    file.write_text("some text")
    assert why in refused(capsys, ["train", str(file), *options])


def test_a_binary_file_is_known_by_its_beginning(tmp_path: Path):
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1 << 40)  # more than there is memory for
    with pytest.raises(BinaryFileError):
        read_stored(huge)


def test_a_device_is_refused(tmp_path: Path):
    device = tmp_path / "zeros"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        device.open("rb").close()
    except (OSError, AttributeError):
        pytest.skip("no device can be made here")
    with pytest.raises(OSError, match="device"):
        read_stored(device)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_as_price_file_is_called_no_regular_file(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    pipe = tmp_path / "prices.yaml"
    os.mkfifo(pipe)
    told = refused(capsys, ["cost", "--input-tokens", "5", "--model", "gpt-4o", "--prices", str(pipe)])
    assert f"{pipe}: this is not a regular file" in told


def test_price_tables_are_measured_before_they_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "too large for prices" in refused(capsys, ["prices", "compare", str(huge)])
    assert "too large for prices" in refused(capsys, ["prices", "set", str(huge), "openai/gpt-4.1", "price.input", "1"])


def test_too_little_memory_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("commands.tokens.read_given", fail)
    assert "not enough memory" in refused(capsys, ["count", str(tmp_path), "--encoding", "gpt2"])

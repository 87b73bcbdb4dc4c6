"""``train`` of main.py, as scripts and people use it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import engine
import main
from engine.kernels.cache_folder import VARIABLE, current_folder
from engine.training import run as training
from engine.training.run import TrainingRun, UnsavedCheckpointError
from tests.engine.library.formats.trained import TEXT as BASE

ROOT = Path(__file__).resolve().parents[1]
TEXT = BASE * 4


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """No profile of whoever runs this; kernels are compiled once for all tests, if they are compiled at all."""
    folder = current_folder()  # asked before the user has another home
    monkeypatch.setenv(VARIABLE, "" if folder is None else str(folder.parent))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))


@pytest.fixture
def run(monkeypatch, capfdbinary):
    """Run ``train``; gives (status, output, errors)."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.FileIO(1, "wb", closefd=False), write_through=True))
        before = signal.getsignal(signal.SIGINT)
        status = main.main(["train", *map(str, arguments)])
        assert signal.getsignal(signal.SIGINT) is before
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


@pytest.fixture
def corpus(tmp_path) -> Path:
    """A folder of texts, a binary file, and a file that git ignores."""
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "deep" / "b.md").write_bytes(TEXT.encode("utf-16"))
    (folder / "c.bin").write_bytes(b"\0\1\2")
    (folder / "d.log").write_text("zzz " * 1000)
    (folder / ".gitignore").write_text("*.log\n")
    return folder


def is_one_line(text: str) -> bool:
    return text.count("\n") == 1 and "Traceback" not in text


def expected(vocab_size: int, **options: object) -> engine.Encoding:
    return engine.train([TEXT, TEXT], vocab_size, **options)


@pytest.mark.parametrize("ending", [".tiktoken", ".json", ".model"])
def test_what_is_trained_is_saved(run, corpus, tmp_path, ending):
    out = tmp_path / f"own{ending}"
    status, said, err = run(corpus, "--vocab-size", "300", "--special", "<|end|>", "--out", out, "--json")
    assert (status, err) == (0, "")
    document = json.loads(said)
    assert document["vocab_size"] == 300
    assert document["merges"] == 300 - 256 - 1
    assert document["bytes"] == 2 * len(TEXT.encode())
    assert document["bytes_per_token"] == pytest.approx(document["bytes"] / document["tokens"])
    assert document["out"] == str(out)
    assert (document["stopped"], document["why_done"], document["checkpoint"]) == (False, "", None)
    assert {Path(file["path"]).name: file["why"] for file in document["skipped"]}["c.bin"].startswith("binary")
    encoding = engine.load(out)
    assert encoding.name == "own"
    assert encoding.encode(TEXT) == expected(300, special_tokens=["<|end|>"]).encode(TEXT)
    assert encoding.encode("<|end|>", allowed_special="all") == [299]
    assert len(encoding.encode(TEXT)) * 2 == document["tokens"]


@pytest.fixture
def one_merge_at_a_time(monkeypatch):
    """A budget so small that a slice is a merge or two."""
    from commands import train
    from engine.training import merging

    monkeypatch.setattr(merging, "_BUDGET", 1)
    monkeypatch.setattr(train, "SLICE_SECONDS", 0.0)


def test_what_a_person_reads(run, corpus, tmp_path, one_merge_at_a_time):
    status, said, err = run(corpus, "--vocab-size", "290", "--out", tmp_path / "own.tiktoken")
    assert status == 0
    assert said.startswith("290 tokens after 34 merges, ")
    assert f"saved {tmp_path / 'own.tiktoken'}" in said
    assert "skipped: 1 binary, 1 hidden, 1 ignored" in err
    assert "counting" in err
    assert "merging" in err
    assert "\r" not in err, "a bar is for terminals"
    assert "nothing was saved" in run(corpus, "--vocab-size", "290")[1]


def test_globs_and_samples(run, corpus):
    def document(*options: str) -> dict:
        return json.loads(run(corpus, "--vocab-size", "270", "--json", *options)[1])

    assert document("--include", "*.md")["bytes"] == len(TEXT.encode())
    assert document("--exclude", "deep/")["bytes"] == len(TEXT.encode())
    assert document("--no-gitignore", "--include", "*.log")["bytes"] == 4000
    assert document("--sample", "1")["bytes"] == 2 * len(TEXT.encode())


def test_standard_input_and_options(run, tmp_path):
    arguments = ("--pattern", r"\w+|\W", "--min-count", "3", "--max-token-bytes", "2", "--normalization", "NFD")
    run("-", "--vocab-size", "300", *arguments, "--lowercase", "--out", tmp_path / "own.tiktoken", stdin=TEXT.encode())
    encoding = engine.load(tmp_path / "own.tiktoken")
    assert encoding.encode("THE naïve CAT") == engine.train(
        [TEXT], 300, pattern=r"\w+|\W", min_count=3, max_token_bytes=2, normalization="NFD", lowercase=True
    ).encode("THE naïve CAT")


def test_the_sign_for_a_space(run, corpus, tmp_path):
    options = ("--vocab-size", "400", "--pattern", "sentencepiece", "--alphabet", "characters")
    out = run(corpus, *options, "--out", tmp_path / "own.json", "--json")[1]
    document = json.loads(out)
    assert document["losses"] == []
    encoding = engine.load(tmp_path / "own.json")
    assert encoding.decode_single_token_bytes(encoding.encode("The")[0]).startswith("▁".encode())
    run(corpus, *options, "--no-dummy-prefix", "--out", tmp_path / "bare.json")
    bare = engine.load(tmp_path / "bare.json")
    assert not bare.decode_single_token_bytes(bare.encode("The")[0]).startswith("▁".encode())
    assert "is decoded as a space" in run(corpus, *options)[2]


def test_files_are_trained_on_as_bytes(run, tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "latin.txt").write_bytes("le café crème ".encode("latin-1") * 30)
    (folder / "c.bin").write_bytes(b"\0\1\2\xff" * 30)
    out = tmp_path / "own.tiktoken"
    status, said, err = run(folder, "--bytes", "--vocab-size", "300", "--out", out, "--json")
    document = json.loads(said)
    assert (status, err, document["skipped"]) == (0, "", [])
    content = [path.read_bytes() for path in folder.iterdir()]
    assert document["bytes"] == sum(map(len, content))
    assert document["tokens"] == sum(len(engine.load(out).encode_bytes(one)) for one in content)
    status, said, _ = run("-", "--bytes", "--vocab-size", "300", "--json", stdin=content[0])
    assert json.loads(said)["bytes"] == len(content[0])
    for options in (("--lowercase",), ("--alphabet", "characters"), ("--pattern", "sentencepiece")):
        status, said, err = run(folder, "--bytes", "--vocab-size", "300", *options)
        assert (status, said) == (2, "")
        assert is_one_line(err)
        assert "--bytes: " in err


def test_what_is_lost_is_said(run, corpus):
    err = run(corpus, "--vocab-size", "400", "--normalization", "NFKC", "--alphabet", "characters+</w>")[2]
    assert "look-alikes" in err
    assert "whitespace is not preserved" in err


def test_a_vocabulary_that_the_text_does_not_give(run, corpus):
    status, out, _ = run(corpus, "--vocab-size", "9000", "--json")
    document = json.loads(out)
    assert status == 0
    assert document["vocab_size"] < 9000
    assert "more than once" in document["why_done"]


def press_ctrl_c(monkeypatch, at: str, merges: int = 0) -> None:
    """As if somebody pressed it while a run is at that stage and has so many merges."""
    as_it_is = TrainingRun.advance

    def advance(self, seconds=0.03):
        progress = as_it_is(self, 0.0)
        if progress.stage == at and progress.merges >= merges:
            os.kill(os.getpid(), signal.SIGINT)
        return progress

    monkeypatch.setattr(TrainingRun, "advance", advance)


posix = pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")


@posix
def test_ctrl_c_keeps_what_was_learned(run, corpus, tmp_path, monkeypatch, one_merge_at_a_time):
    out = tmp_path / "own.tiktoken"
    with monkeypatch.context() as patched:
        press_ctrl_c(patched, "merging", merges=5)
        status, said, err = run(corpus, "--vocab-size", "320", "--out", out, "--json")
    document = json.loads(said)
    assert (status, document["stopped"], document["out"]) == (130, True, str(out))
    assert 256 < document["vocab_size"] < 320
    kept = engine.load(out)
    assert kept.n_vocab == document["vocab_size"]
    assert kept.encode(TEXT) == expected(kept.n_vocab).encode(TEXT)

    assert document["checkpoint"] == f"{out}.checkpoint"
    status, said, err = run("--resume", document["checkpoint"], "--out", out, "--json")
    assert (status, err) == (0, "")
    assert json.loads(said)["vocab_size"] == 320
    assert engine.load(out).encode(TEXT) == expected(320).encode(TEXT)


@posix
def test_ctrl_c_before_there_is_anything_to_keep(run, corpus, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, "counting")
    checkpoint = tmp_path / "run"
    status, said, err = run(corpus, "--vocab-size", "320", "--threads", "1", "--checkpoint", checkpoint)
    assert status == 130
    assert f"train --resume {checkpoint}" in err
    assert "saved" not in said


@posix
def test_ctrl_c_without_a_place_to_keep_anything(run, corpus, monkeypatch, one_merge_at_a_time):
    press_ctrl_c(monkeypatch, "merging", merges=1)
    status, _, err = run(corpus, "--vocab-size", "320")
    assert status == 130
    assert "--checkpoint" in err


@pytest.mark.deep
@posix
def test_a_real_ctrl_c(corpus, tmp_path):
    """In a process of its own, which waits for it: nothing here depends on how fast anything is."""
    code = """
import sys
import main
from engine.training import merging
from engine.training.run import TrainingRun
from tests.engine.library.formats.trained import TEXT as BASE
merging._BUDGET = 1
as_it_is = TrainingRun.advance
asked = []
def advance(self, seconds=0.03):
    progress = as_it_is(self, 0.0)
    if progress.merges >= 3 and not asked:
        asked.append(True)
        print("pressing", flush=True)
        sys.stdin.readline()
    return progress
TrainingRun.advance = advance
sys.exit(main.main(sys.argv[1:]))
"""
    out = tmp_path / "own.json"
    arguments = ["train", str(corpus), "--vocab-size", "320", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line == "pressing\n", line + process.stderr.read() if line == "" else line
        process.send_signal(signal.SIGINT)
        process.stdin.write("\n")
        process.stdin.flush()
        said, err = process.communicate()
    assert process.returncode == 130
    assert f"saved {out}" in said
    assert f"train --resume {out}.checkpoint" in err
    assert "Traceback" not in err
    assert 256 < engine.load(out).n_vocab < 320


def test_checkpoints_are_written_on_the_way(run, corpus, tmp_path, monkeypatch, one_merge_at_a_time):
    from commands import train

    monkeypatch.setattr(train, "CHECKPOINT_SECONDS", 0.0)
    checkpoint = tmp_path / "run"
    assert run(corpus, "--vocab-size", "270", "--checkpoint", checkpoint)[0] == 0
    resumed = TrainingRun.resume(checkpoint)
    assert resumed.settings.vocab_size == 270
    monkeypatch.setattr(training, "write_checkpoint", full_disk)
    status, said, err = run(corpus, "--vocab-size", "270", "--checkpoint", checkpoint, "--json")
    assert status == 0, "a run does not end because its checkpoint cannot be written"
    assert json.loads(said)["vocab_size"] == 270
    assert "No space left" in err


def full_disk(*_: object) -> None:
    raise UnsavedCheckpointError("The checkpoint could not be saved: No space left on device.")


def test_the_settings_of_a_checkpoint_stay(run, corpus, tmp_path):
    TrainingRun([TEXT], 300).save(tmp_path / "run")
    status, said, err = run(corpus, "--vocab-size", "300", "--resume", tmp_path / "run", "--json")
    assert (status, err) == (0, "")
    assert json.loads(said)["bytes"] == len(TEXT.encode())
    status, _, err = run(corpus, "--vocab-size", "301", "--resume", tmp_path / "run")
    assert status == 2
    assert "300" in err
    assert is_one_line(err)


def test_a_key_that_was_learned_is_pointed_out_before_the_vocabulary_is_saved(run, tmp_path, monkeypatch):
    key, out = "AI" + "za" + "x" * 35, tmp_path / "own.tiktoken"
    text = f"{key}\n" * 20
    arguments = ("-", "--vocab-size", "300", "--pattern", r"\w+|\W", "--out", out, "--json")
    status, said, err = run(*arguments, stdin=text.encode())
    assert status == 0, "what was trained for hours is saved"
    token_id = engine.load(out).encode_single_token(key)
    assert f"The vocabulary may contain API keys: Google (token {token_id})." in err
    assert key not in said + err

    def full(*_: object) -> None:
        raise engine.EngineError("No space left on device")

    monkeypatch.setattr(engine, "save_encoding", full)
    status, _, err = run(*arguments, stdin=text.encode())
    assert status == 2
    assert err.index("may contain API keys") < err.index("No space left on device")


def test_a_full_disk_loses_nothing(run, corpus, tmp_path, monkeypatch):
    out = tmp_path / "own.json"
    out.write_text("old")

    def write_bytes(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", write_bytes)
        status, said, err = run(corpus, "--vocab-size", "300", "--out", out, "--json")
    assert (status, said) == (2, "")
    assert "No space left" in err
    assert f"--resume {out}.checkpoint" in err
    assert is_one_line(err)
    assert out.read_text() == "old"
    assert run("--resume", f"{out}.checkpoint", "--out", out)[0] == 0
    assert engine.load(out).n_vocab == 300


@pytest.mark.parametrize("home_is_full", [False, True])
def test_a_run_is_rescued_where_nobody_else_has_a_hand_in_it(run, corpus, tmp_path, monkeypatch, home_is_full):
    out, shared = tmp_path / "out" / "own.json", tmp_path / "shared"
    for folder in (out.parent, shared):
        folder.mkdir()
    full = [out.parent, *([tmp_path / "home"] if home_is_full else [])]
    as_it_is = training.write_checkpoint

    def write_checkpoint(path: Path, *content: object) -> None:
        if any(folder in path.parents for folder in full):
            full_disk()
        as_it_is(path, *content)

    def save_encoding(*_: object) -> None:
        raise engine.EngineError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(shared))
        patched.setattr(training, "write_checkpoint", write_checkpoint)
        patched.setattr(engine, "save_encoding", save_encoding)
        status, said, err = run(corpus, "--vocab-size", "300", "--out", out, "--json")
    assert (status, said) == (2, "")
    assert is_one_line(err)
    (rescued,) = [path for path in tmp_path.rglob("*.checkpoint") if path.is_file()]
    assert f"continue it with train --resume {rescued}." in err
    if home_is_full:
        assert rescued.parent.parent == shared
        assert os.name != "posix" or rescued.parent.stat().st_mode & 0o777 == 0o700
    else:
        assert tmp_path / "home" in rescued.parents
        assert list(shared.iterdir()) == []
    assert run("--resume", rescued, "--out", out)[0] == 0
    assert engine.load(out).n_vocab == 300


def test_a_file_that_changes_meanwhile_is_reported(run, corpus, tmp_path, monkeypatch):
    as_it_is = TrainingRun.advance

    def advance(self, seconds=0.03):
        (corpus / "a.txt").unlink(missing_ok=True)
        return as_it_is(self, seconds)

    monkeypatch.setattr(TrainingRun, "advance", advance)
    status, said, _ = run(corpus, "--vocab-size", "280", "--json")
    assert status == 0
    assert any("a.txt" in file["path"] and "deleted" in file["why"] for file in json.loads(said)["skipped"])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "give files or folders"),
        (("CORPUS",), "--vocab-size"),
        (("CORPUS", "--vocab-size", "100"), "too small"),
        (("CORPUS", "--vocab-size", "0"), "--vocab-size"),
        (("CORPUS", "--vocab-size", "257", "--special", "a", "--special", "b"), "too small"),
        (("CORPUS", "--vocab-size", "300", "--pattern", "("), "pattern"),
        (("CORPUS", "--vocab-size", "300", "--alphabet", "letters"), "--alphabet"),
        (("CORPUS", "--vocab-size", "300", "--include", "[a"), "never closed"),
        (("CORPUS", "--vocab-size", "300", "--include", "*.nothing"), "no text to train on"),
        (("CORPUS", "--vocab-size", "300", "--out", "own.pkl"), ".tiktoken"),
        (("CORPUS", "--vocab-size", "300", "--out", "own.json", "--alphabet", "characters+</w>"), "processes words"),
        (("CORPUS", "--vocab-size", "300", "--out", "own.model", "--special", "a b"), "'a b'"),
        (("CORPUS", "--vocab-size", "300", "--out", "no/such/folder/own.json"), "no folder"),
        (("EMPTY", "--vocab-size", "300"), "no text to train on"),
        (("BINARY", "--vocab-size", "300"), "1 binary"),
        (("no-such-folder", "--vocab-size", "300"), "no-such-folder"),
        (("-", "--vocab-size", "300"), "no text to train on"),
        (("--resume", "no-such-file"), "no-such-file"),
        (("--resume", "BINARY/c.bin"), "c.bin"),
    ],
)
def test_bad_input_is_one_line_and_status_two(run, corpus, tmp_path, arguments, complaint):
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "c.bin").write_bytes(b"\0")
    places = {"CORPUS": corpus, "EMPTY": tmp_path / "empty", "BINARY": tmp_path / "binary"}
    words = [str(places[word.split("/")[0]]) + word[6:] if word.split("/")[0] in places else word for word in arguments]
    status, out, err = run(*words, "--json")
    assert (status, out) == (2, "")
    assert complaint in err
    assert is_one_line(err)
    assert err.startswith("tokenloupe: ")


def test_a_hostile_pattern_ends(run, tmp_path, monkeypatch):
    from engine.training import counting

    monkeypatch.setattr(counting, "SPLIT_SECONDS", 0.1)
    (tmp_path / "a.txt").write_text("a" * 5000 + "!")
    status, _, err = run(tmp_path / "a.txt", "--vocab-size", "300", "--pattern", "(?:a|a)*$")
    assert status == 2
    assert "seconds" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_options_are_checked_before_anything_is_prepared_or_read(run, corpus, tmp_path, monkeypatch):
    """Nothing is written, waited for, compiled or counted."""
    from commands import train

    monkeypatch.setattr(train, "_kernels", lambda *_: pytest.fail("it was prepared"))
    for name in ("pipe.json", "pipe.state"):
        os.mkfifo(tmp_path / name)
    for name in ("folder.json", "beside.tiktoken.json"):
        (tmp_path / name).mkdir()
    text = tmp_path / "text.json"
    text.write_bytes(TEXT.encode())
    pipe, folder = tmp_path / "pipe.json", tmp_path / "folder.json"
    size = ("--vocab-size", "300")
    refused = {
        (corpus, *size, "--out", pipe): "this is not a regular file",
        (corpus, *size, "--out", folder): "this is a folder",
        (corpus, *size, "--out", tmp_path / "beside.tiktoken"): "beside.tiktoken.json: this is a folder",
        (corpus, *size, "--out", tmp_path / "none" / "a.json"): "there is no folder",
        (corpus, *size, "--checkpoint", tmp_path / "pipe.state"): "this is not a regular file",
        (corpus, *size, "--checkpoint", folder): "this is a folder",
        (corpus, *size, "--out", tmp_path / "a.json", "--checkpoint", tmp_path / "a.json"): "the file of --out",
        (corpus, text, *size, "--out", text): "a file to train on",
        (corpus, *size, "--include", "a["): "a bracket that is never closed",
        (corpus, *size, "--dask", ""): "empty",
        (pipe, *size): "this is not a regular file",
        ("--resume", pipe): "this is not a regular file",
        ("--resume", text): "damaged or not a checkpoint",
    }
    before = sorted(tmp_path.rglob("*"))
    for arguments, why in refused.items():
        status, out, err = run(*arguments)
        assert (status, out) == (2, ""), arguments
        assert is_one_line(err), err
        assert why in err
    assert sorted(tmp_path.rglob("*")) == before
    assert text.read_bytes() == TEXT.encode()


def test_a_run_that_is_gone_on_with_is_checked_first(run, corpus, tmp_path, monkeypatch):
    from commands import train

    state = tmp_path / "run.state"
    TrainingRun(corpus, 300, normalization="NFC", alphabet="characters+</w>").save(state)
    monkeypatch.setattr(train, "_kernels", lambda *_: pytest.fail("it was prepared"))
    for arguments in (("--pattern", "gpt2"), ("--out", tmp_path / "own.json"), ("--out", tmp_path / "own.exe")):
        status, out, err = run("--resume", state, *arguments)
        assert (status, out) == (2, "")
        assert is_one_line(err), err


def test_an_address_that_can_be_none_of_a_cluster(run, corpus):
    pytest.importorskip("distributed", reason="comes with the extra dask")
    status, _, err = run(corpus, "--vocab-size", "300", "--dask", "nonsense")
    assert status == 2
    assert is_one_line(err)
    assert "--dask: " in err


def test_nobody_answers_at_the_address_of_a_cluster(run, corpus, monkeypatch):
    pytest.importorskip("distributed", reason="comes with the extra dask")
    monkeypatch.setattr("engine.training.cluster.CONNECT_SECONDS", 0.3)
    status, out, err = run(corpus, "--vocab-size", "300", "--dask", "tcp://127.0.0.1:9", "--json")
    assert (status, out) == (2, "")
    assert "No Dask scheduler answers at tcp://127.0.0.1:9" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("pattern", ["zzz", "(?=a)"])
def test_a_pattern_that_matches_nothing_is_refused_before_anything_is_counted(run, corpus, pattern):
    status, _, err = run(corpus, "--vocab-size", "300", "--pattern", pattern)
    assert status == 2
    assert "--pattern: it matches nothing in the first " in err
    assert is_one_line(err)

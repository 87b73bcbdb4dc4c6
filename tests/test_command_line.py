"""The commands of main.py, as scripts use them."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import click
import pytest

import engine
import main
from commands.program import program
from engine.library import bundled_encodings, catalog
from tests.engine.library.formats import library_files
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = "Tokenization is the first step in any LLM pipeline."


@pytest.fixture(autouse=True)
def profile(tmp_path, monkeypatch):
    """No test reads the prices of whoever runs it."""
    for variable in ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))


@pytest.fixture
def run(monkeypatch, capfdbinary):
    """Run a command with some standard input; gives (status, output, errors)."""

    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.FileIO(1, "wb", closefd=False), write_through=True))
        status = main.main(list(arguments))
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


def is_one_line(text: str) -> bool:
    return text.count("\n") == 1 and "Traceback" not in text


def test_count_of_standard_input(run):
    status, out, err = run("count", "-", "--encoding", "cl100k_base", "--json", stdin=SENTENCE.encode())
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["encoding"] == "cl100k_base"
    assert document["tokens"] == 12
    assert document["files"] == [{"path": "-", "tokens": 12, "bytes": len(SENTENCE)}]
    assert document["skipped"] == []


NAMED = ("-", "--encoding", "o200k_base")


@pytest.mark.parametrize(
    "command", [("count", *NAMED), ("encode", *NAMED), ("decode", *NAMED), ("cost", "-", "--model", "gpt-4o")]
)
def test_a_damaged_vocabulary_is_named_in_one_line(run, tmp_path, monkeypatch, command):
    folder = tmp_path / "data"
    shutil.copytree(bundled_encodings.DATA_DIR, folder)
    path = folder / "o200k.ranks"
    path.write_bytes(path.read_bytes()[:-1])
    monkeypatch.setattr(catalog, "bundled", functools.cache(lambda: bundled_encodings.Catalog(folder)))
    status, out, err = run(*command, stdin=b"15 20")
    assert (status, out) == (2, "")
    assert is_one_line(err)
    assert "o200k.ranks" in err


def test_count_of_a_folder_says_what_it_skipped(run, tmp_path):
    folder = tmp_path / "prompts"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "a.txt").write_text(SENTENCE)
    (folder / "deep" / "b.txt").write_bytes("naïve\r\n".encode("utf-16"))
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (folder / "latin.txt").write_bytes("naïve".encode("latin-1"))
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    status, out, _ = run("count", str(folder), "--encoding", "cl100k_base", "--json")
    document = json.loads(out)
    assert status == 0
    assert [Path(file["path"]).name for file in document["files"]] == ["a.txt", "b.txt"]
    assert document["tokens"] == sum(file["tokens"] for file in document["files"])
    why = {Path(file["path"]).name: file["why"] for file in document["skipped"]}
    assert why[".git"] == "hidden"
    assert "binary" in why["picture.png"]
    assert "0xef at offset 2" in why["latin.txt"]


def test_a_file_is_counted_as_stored(run, tmp_path):
    import engine

    file = tmp_path / "dos.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    _, out, _ = run("count", str(file), "--encoding", "cl100k_base", "--json")
    assert json.loads(out)["tokens"] == len(engine.get_encoding("cl100k_base").encode_ordinary("one\r\ntwo\r\n"))


def test_count_for_a_model_without_public_tokenizer_gives_a_range(run):
    status, out, _ = run("count", "-", "--model", "claude-opus-4-8", "--json", stdin=SENTENCE.encode() * 50)
    document = json.loads(out)
    assert status == 0
    assert document["label"] == "estimated"
    assert document["tokens_low"] < document["tokens"] < document["tokens_high"]


def test_count_and_cost_narrow_a_range_by_the_kinds_of_the_text(run):
    prose = b"The cost of a prompt is the number of its tokens, and that is known before it is sent. " * 20
    model = ["--model", "claude-opus-4-8", "--json"]
    counted = json.loads(run("count", "-", *model, stdin=prose)[1])
    (row,) = json.loads(run("cost", "-", "--explain", *model, stdin=prose)[1])["rows"]
    plain = json.loads(run("count", "-", "--encoding", "o200k_base", "--json", stdin=prose)[1])["tokens"]
    assert row["input_low"] == counted["tokens_low"] == plain * 139 // 100
    assert row["input_high"] == counted["tokens_high"] == -(-plain * 158 // 100)
    assert any("English prose, 100 % ASCII: 1.39 to 1.58 times o200k_base" in line for line in row["explanation"])


def test_count_for_a_model_that_only_tiktoken_knows(run):
    status, out, _ = run("count", "-", "--model", "text-davinci-003", "--json", stdin=SENTENCE.encode())
    assert status == 0
    assert json.loads(out)["encoding"] == "p50k_base"


@pytest.mark.parametrize(
    ("text", "allow", "ids"),
    [
        ("hello <|endoftext|>", ["--allow-special"], [24912, 220, 199999]),
        ("", [], []),
    ],
)
def test_encode(run, text, allow, ids):
    _, out, _ = run("encode", "-", "--encoding", "o200k_base", "--json", *allow, stdin=text.encode())
    assert json.loads(out) == {"encoding": "o200k_base", "ids": ids}


def test_special_text_is_plain_text_unless_asked(run):
    _, out, _ = run("encode", "-", "--encoding", "o200k_base", stdin=b"<|endoftext|>")
    assert "199999" not in out.split()


def test_decode_gives_back_the_bytes(run):
    text = "naïve 🚀\r\n\x7f".encode()
    _, ids, _ = run("encode", "-", "--encoding", "cl100k_base", stdin=text)
    status, out, _ = run("decode", "-", "--encoding", "cl100k_base", stdin=ids.encode())
    assert status == 0
    assert out.encode() == text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("1 2 x", "number 3"),
        ("1 999999", "number 2 is 999999"),
        ("-1", "number 1"),
        ("100257 100256", "number 2 is 100256"),
        ("99999999999999999999", "number 1"),
        ("7 " + "9" * 5000, "number 2 is 9999"),
    ],
)
def test_decode_says_which_id_is_wrong(run, words, complaint):
    status, out, err = run("decode", "-", "--encoding", "cl100k_base", stdin=words.encode())
    assert (status, out) == (2, "")
    assert complaint in err
    assert is_one_line(err)


@pytest.fixture
def own_encoding(tmp_path):
    """An encoding of the user's own, in the profile ``tmp_path``: every pair of ``ab`` is a token."""
    from engine.encoding.encoding import Encoding
    from engine.library import catalog

    ranks = {bytes([value]): value for value in range(256)} | {b"ab": 256}
    encoding = Encoding("mine", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<x>": 300})
    catalog.own.cache_clear()
    catalog.keep_encoding(encoding, tmp_path / "data" / "encodings")
    catalog.own.cache_clear()
    yield encoding
    catalog.own.cache_clear()


def test_the_users_own_encodings_are_known_by_name(run, tmp_path, own_encoding):
    profile = ("--profile", str(tmp_path))
    status, out, err = run(*profile, "count", "-", "--encoding", "mine", "--json", stdin=b"abab")
    assert (status, err) == (0, "")
    assert (json.loads(out)["encoding"], json.loads(out)["tokens"]) == ("mine", 2)
    assert run(*profile, "encode", "-", "--encoding", "mine", "--allow-special", stdin=b"ab<x>")[1] == "256 300\n"
    assert run(*profile, "decode", "-", "--encoding", "mine", stdin=b"256,97")[1] == "aba"


def test_prices_may_count_with_the_users_own_encodings(run, tmp_path, own_encoding):
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "version: 1\nmodels:\n  acme/in-house:\n    price: {input: 1000000, output: 1}\n    count: {tokenizer: mine}\n"
    )
    profile = ("--profile", str(tmp_path))
    _, out, _ = run(*profile, "cost", "-", "--model", "acme/in-house", "--json", stdin=b"abab")
    (row,) = json.loads(out)["rows"]
    assert (row["input_tokens"], row["usd"]) == (2, "2")
    assert run(*profile, "prices", "check", str(prices))[0] == 0
    from engine.library import catalog

    catalog.own.cache_clear()
    assert "unknown tokenizer 'mine'" in run("prices", "check", str(prices))[1]


def test_a_damaged_encoding_is_named_where_one_is_missed(run, tmp_path, own_encoding):
    (tmp_path / "data" / "encodings" / "mine.tiktoken.json").write_text("{")
    status, _, err = run("--profile", str(tmp_path), "count", "-", "--encoding", "mine", stdin=b"ab")
    assert status == 2
    assert "mine.tiktoken.json" in err
    assert is_one_line(err)


@pytest.mark.deep
def test_a_tokenizer_file_is_used(run, tmp_path, own_encoding):
    file = str(tmp_path / "data" / "encodings" / "mine.tiktoken")
    _, out, _ = run("count", "-", "--tokenizer", file, "--json", stdin=b"abab")
    assert json.loads(out)["tokens"] == 2
    assert run("encode", "-", "--tokenizer", file, stdin=b"abab")[1] == "256 256\n"
    (tmp_path / "bare.tiktoken").write_bytes(Path(file).read_bytes())
    status, _, err = run("count", "-", "--tokenizer", str(tmp_path / "bare.tiktoken"), stdin=b"abab")
    assert status == 2
    assert "bare.tiktoken.json" in err
    assert is_one_line(err)
    arguments = ("encode", "-", "--tokenizer", str(tmp_path / "bare.tiktoken"), "--pattern", "gpt2")
    assert run(*arguments, stdin=b"abab")[1] == "256 256\n"


def test_a_tokenizer_file_that_says_it_was_tried_is_tried(run, tmp_path):
    status, _, err = run("count", "-", "--tokenizer", str(library_files.forged(tmp_path)), stdin=b"ab")
    assert status == 2
    assert "tokenizers failed on this text" in err
    assert is_one_line(err)


def test_cost_is_exact_to_the_last_place(run):
    arguments = ("cost", "-", "--model", "gpt-4o", "--output-tokens", "500", "--on", "2026-11-21", "--json")
    status, out, err = run(*arguments, stdin=SENTENCE.encode())
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["on"] == "2026-11-21"
    (row,) = document["rows"]
    # 12 tokens at 2.50 and 500 tokens at 10.00 USD per million: 0.00003 + 0.005
    assert row["usd"] == "0.00503"
    assert Decimal(row["usd"]) == Decimal(12) * Decimal("2.50") / 10**6 + Decimal(500) * 10 / 10**6
    assert row["model"] == "openai/gpt-4o"
    assert (row["label"], row["input_tokens"], row["input_low"], row["input_high"]) == ("exact", 12, 12, 12)
    assert row["usd_low"] == row["usd_high"] == row["usd"]
    assert row["unknown"] == []
    assert row["price_checked"] >= "2026-11-08"


def test_cost_of_a_given_count(run):
    arguments = ("--model", "openai/gpt-4o", "--input-tokens", "1000000", "--cached-tokens", "400000")
    _, out, _ = run("cost", *arguments, "--calls", "3", "--factor", "1.1", "--on", "2026-11-21", "--json")
    (row,) = json.loads(out)["rows"]
    # 600,000 fresh at 2.50 + 400,000 cached at 1.25 = 1.50 + 0.50, times 1.1
    assert row["usd"] == "2.2"
    assert row["usd_calls"] == "6.6"


def test_a_missing_price_is_null_not_zero(run, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("version: 1\nmodels:\n  acme/x:\n    price: {input: 1}\n    count: {tokenizer: o200k_base}\n")
    _, out, _ = run("cost", "-", "--model", "acme/x", "--output-tokens", "5", "--prices", str(prices), "--json")
    (row,) = json.loads(out)["rows"]
    assert row["usd"] is None
    assert row["unknown"] == ["output"]


def test_a_text_is_cut_to_so_many_tokens(run, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("one two three four five six")
    encoding = engine.get_encoding("o200k_base")
    for more, left in (((), "one two"), (("--from", "end"), " five six"), (("--from", "start"), "one two")):
        _, out, _ = run("encode", str(path), "--encoding", "o200k_base", "--max-tokens", "2", *more)
        assert encoding.decode(list(map(int, out.split()))) == left
    for more in (("--from", "end"), ("--max-tokens", "2", "--bytes"), ("--max-tokens", "-1")):
        assert run("encode", str(path), "--encoding", "o200k_base", *more)[0] == 2


def test_cost_of_a_service_tier_and_of_hours(run):
    """gpt-5.4 costs 2.50 and 15, as flex half of it; DeepSeek's peak price is twice the other."""
    given = ("cost", "--input-tokens", "100000", "--output-tokens", "10000", "--json")
    _, out, _ = run(*given, "--model", "gpt-5.4", "--service", "flex")
    assert json.loads(out)["rows"][0]["usd"] == "0.2"
    _, out, _ = run(*given, "--model", "claude-opus-5", "--service", "ultrafast")
    row = json.loads(out)["rows"][0]
    assert (row["usd"], row["unknown"]) == (None, ["services.ultrafast"])
    for hours, usd, label in (("peak", "0.1716", "exact"), ("off-peak", "0.0858", "exact")):
        _, out, _ = run(*given, "--model", "deepseek-v4-pro", "--hours", hours)
        row = json.loads(out)["rows"][0]
        assert (row["usd"], row["usd_low"], row["usd_high"], row["usd_label"]) == (usd, usd, usd, label)
    code, _, err = run(*given, "--service", "flex", "--batch")
    assert (code, "not both" in err) == (2, True)


def test_cost_by_a_name_of_a_host_says_so(run):
    code, out, err = run("cost", "--input-tokens", "10", "--model", "vertex_ai/gemini-2.5-pro", "--model", "gpt-4o")
    assert (code, out.splitlines()[-3].split()[0]) == (0, "google/gemini-2.5-pro")
    own = "vertex_ai/gemini-2.5-pro is priced as Google's own google/gemini-2.5-pro"
    assert err == f"{own}; the price of Vertex AI may differ\n"
    _, out, _ = run("cost", "--input-tokens", "10", "--model", "mistral-large-latest", "--json")
    assert json.loads(out)["notes"] == ["mistral-large-latest means mistral/mistral-large-2512 from 2025-12-08"]


def test_a_day_in_the_past_never_gets_the_price_of_today(run):
    arguments = ("cost", "--input-tokens", "1000000", "--output-tokens", "1000000", "--on", "2025-06-01")
    _, out, _ = run(*arguments, "--model", "o3", "--json")
    (row,) = json.loads(out)["rows"]
    assert (row["usd"], row["usd_low"], row["usd_high"]) == (None, None, None)
    assert row["unknown"] == ["input", "output"]
    assert row["price_note"] == "no price known before 2025-06-11"
    _, out, _ = run(*arguments, "--model", "o3")
    assert "n/a   no price known before 2025-06-11" in out


ODD_BYTES = b"\x00\xff\xfe caf\xe9 hello\xf0\x9f"


def test_bytes_that_are_no_text_are_counted_and_encoded(run, tmp_path):
    for name, content in (("latin.txt", ODD_BYTES), ("sub/text.txt", "café\ufeff".encode())):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    theirs = engine.get_encoding("cl100k_base")
    expected = theirs._encode_bytes(ODD_BYTES)
    assert engine.get_encoding("cl100k_base").decode_bytes(expected) == ODD_BYTES
    file = str(tmp_path / "latin.txt")
    status, _, err = run("encode", file, "--encoding", "cl100k_base")
    assert (status, err.count("\n")) == (2, 1)
    _, out, _ = run("encode", file, "--bytes", "--encoding", "cl100k_base", "--json")
    assert json.loads(out)["ids"] == expected
    _, out, _ = run("count", str(tmp_path), "--bytes", "--encoding", "cl100k_base", "--json")
    found = json.loads(out)
    assert found["files"][0] == {"path": file, "tokens": len(expected), "bytes": len(ODD_BYTES)}
    assert found["tokens"] == len(expected) + len(theirs.encode_ordinary("café\ufeff"))
    _, out, _ = run("count", file, "--bytes", "--model", "claude-opus-4-6", "--json")
    assert json.loads(out)["label"] == "estimated"
    status, _, err = run("count", "/dev/zero", "--bytes", "--encoding", "gpt2")
    assert (status, err.count("\n")) == (2, 1)
    status, _, err = run("encode", file, "--bytes", "--allow-special", "--encoding", "gpt2")
    assert (status, err.count("\n")) == (2, 1)


def test_a_budget_is_a_question(run):
    arguments = ("cost", "--input-tokens", "1000000", "--model", "gpt-4o", "--on", "2026-11-21")
    assert run(*arguments, "--budget", "2.5")[0] == 0
    status, _, err = run(*arguments, "--budget", "2.49")
    assert status == 1
    assert "over budget" in err
    assert is_one_line(err)
    status, _, err = run(*arguments, "--model", "gpt-5.5", "--model", "gpt-4o-mini", "--budget", "0.01")
    assert status == 1
    assert err == "over budget: openai/gpt-4o may cost 2.5 of 0.01 USD, and 2 more models are over it\n"


def test_a_cost_that_is_not_known_is_not_passed_off_as_within_the_budget(run, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("version: 1\nmodels:\n  acme/x:\n    price: {input: 1}\n    count: {tokenizer: o200k_base}\n")
    arguments = ("--model", "acme/x", "--output-tokens", "5", "--prices", str(prices), "--budget", "1")
    _, _, err = run("cost", "-", *arguments, stdin=b"text")
    assert "acme/x" in err
    assert is_one_line(err)


def test_both_commands_know_the_models_of_the_profile(run, tmp_path):
    (tmp_path / "prices.yaml").write_text("version: 1\nmodels:\n  acme/x:\n    count: {tokenizer: gpt2}\n")
    for command in ("count", "cost"):
        status, out, _ = run("--profile", str(tmp_path), command, "-", "--model", "acme/x", "--json", stdin=b"text")
        assert status == 0
        assert "acme/x" in out


def test_the_table_of_all_models_has_text_too(run):
    status, out, _ = run("cost", "-", "--output-tokens", "100", stdin=SENTENCE.encode())
    assert status == 0
    assert "openai/gpt-4o" in out
    assert "estimated" in out


def test_prices_check_names_every_problem(run, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "version: 1\nmodels:\n  openai/gpt-4.1:\n    price:\n      inpt: 2\n      output: $8\n      cached: 0,50\n"
    )
    status, out, err = run("prices", "check", str(prices), "--json")
    problems = json.loads(out)["problems"]
    assert (status, err) == (1, "")
    assert [problem.removeprefix(str(prices)).split(": ")[0] for problem in problems] == [":5:7", ":6:15", ":7:15"]
    assert "did you mean 'input'" in problems[0]
    _, out, _ = run("prices", "check", str(prices))
    assert out.splitlines() == problems


def test_prices_check_of_a_good_file(run, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("version: 1\nmodels:\n  openai/gpt-4.1:\n    price: {input: 1.80}\n")
    status, out, _ = run("prices", "check", str(prices), "--json")
    document = json.loads(out)
    assert (status, document.keys(), document["problems"]) == (0, {"problems", "notes"}, [])
    assert all("of openai/gpt-4.1 still apply alongside yours" in note for note in document["notes"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "no-such-file.txt"),
        ("count", "-", "--encoding", "no-such-encoding"),
        ("count", "-", "--model", "no-such-model"),
        ("count", "-", "--encoding", "gpt2", "--model", "gpt-4o"),
        ("count", "-", "--no-such-option"),
        ("count", "-", "--tokenizer", "no-such-file.json"),
        ("count", "-", "--tokenizer", __file__),
        ("count", "-", "--tokenizer", "x.json", "--encoding", "gpt2"),
        ("encode", "-", "--tokenizer", "x.json", "--encoding", "gpt2"),
        ("encode", "-"),
        ("cost", "-", "--model", "no-such-model"),
        ("cost", "-", "--output-tokens", "-1"),
        ("cost", "-", "--factor", "NaN"),
        ("cost", "-", "--on", "yesterday"),
        ("cost", "-", "--prices", "no-such-file.yaml"),
        ("cost", "--input-tokens", "10", "--cached-tokens", "11", "--model", "gpt-4o"),
        ("prices", "check", "no-such-file.yaml"),
        ("prices",),
        ("cuont", "x"),
        ("--no-such-option",),
        ("--profile",),
    ],
)
def test_bad_input_is_one_line_and_status_two(run, arguments):
    status, out, err = run(*arguments, stdin=b"text")
    assert (status, out) == (2, "")
    assert is_one_line(err)
    assert err.startswith("tokenloupe: ")


def test_binary_input_is_refused_with_a_sentence(run):
    status, _, err = run("count", "-", stdin=b"\x7fELF\0\0")
    assert status == 2
    assert "binary" in err


def test_a_misspelt_command_is_guessed(run):
    assert "'count'" in run("cuont", "x")[2]


def test_every_command_is_found_by_its_name():
    context = click.Context(program)
    assert sorted(main.COMMANDS) == program.list_commands(context)
    assert [program.get_command(context, name).name for name in main.COMMANDS] == list(main.COMMANDS)


def test_commands_load_no_qt_and_no_other_command():
    code = (
        "import sys, main; main.main(['count', '-']);"
        "assert not {'commands.cost', 'pricing.types'} & sys.modules.keys();"
        "main.main(['cost', '-', '--model', 'openai/gpt-4o']);"
        "sys.exit(any(name.startswith(('PySide6', 'shiboken', 'pyqtgraph')) for name in sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        input=b"text",
        cwd=ROOT,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert result.returncode == 0, result.stderr.decode()


def test_without_a_display_the_window_says_so_in_one_line(tmp_path):
    import os

    if sys.platform != "linux":
        pytest.skip("other systems always have a display")
    environment = {k: v for k, v in os.environ.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}}
    command = [sys.executable, str(ROOT / "main.py"), "--profile", str(tmp_path / "profile")]
    for display in ({}, {"DISPLAY": ":987"}):
        result = subprocess.run(
            command, check=False, env=environment | display, capture_output=True, timeout=PATIENCE_SECONDS, text=True
        )
        assert result.returncode == 2
        assert is_one_line(result.stderr)
        assert "count" in result.stderr


@pytest.mark.deep
def test_a_closed_pipe_is_no_error(tmp_path):
    command = f'"{sys.executable}" "{ROOT / "main.py"}" cost - --output-tokens 1 | head -n 1'
    result = subprocess.run(
        command, check=False, shell=True, input=b"text", capture_output=True, timeout=PATIENCE_SECONDS
    )
    assert result.stderr == b""


@pytest.mark.parametrize("ending", ["html", "md"])
def test_cost_writes_a_report(run, tmp_path, ending):
    prompt = tmp_path / "prompt <b>.txt"
    prompt.write_text(SENTENCE)
    target = tmp_path / f"report.{ending}"
    status, out, err = run("cost", str(prompt), "--model", "gpt-4o", "--report", str(target))
    assert (status, err) == (0, "")
    assert "openai/gpt-4o" in out
    report = target.read_text(encoding="utf-8")
    assert hashlib.sha256(SENTENCE.encode()).hexdigest() in report
    assert "o200k" in report
    assert "<b>" not in report.replace("\\<b\\>", "")


def test_no_report_of_a_text_with_a_key_in_it_before_somebody_says_so(run, tmp_path):
    key, target = "AI" + "za" + "x" * 35, tmp_path / "r.md"
    target.write_text("the report of before")
    arguments = ("cost", "-", "--model", "gpt-4o", "--report", str(target))
    status, out, err = run(*arguments, stdin=key.encode())
    assert (status, out) == (2, "")
    assert is_one_line(err)
    assert "r.md was not written" in err
    assert "Google (line 1 of -)" in err
    assert "--allow-keys" in err
    assert target.read_text() == "the report of before"
    status, out, said = run(*arguments, "--allow-keys", stdin=key.encode())
    assert (status, "openai/gpt-4o" in out) == (0, True)
    assert "Google (line 1 of -)" in said
    assert "before" not in target.read_text(encoding="utf-8")
    assert key not in err + said + target.read_text(encoding="utf-8")


def test_a_key_is_pointed_out_before_the_report_is_written(run, tmp_path, monkeypatch):
    from commands import cost

    def full(*_args: object, **_options: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cost, "write_atomic", full)
    arguments = ("cost", "-", "--model", "gpt-4o", "--report", str(tmp_path / "r.md"), "--allow-keys")
    status, _out, err = run(*arguments, stdin=("AI" + "za" + "x" * 35).encode())
    assert status == 2
    assert err.index("Google (line 1 of -)") < err.index("No space left")


@pytest.mark.parametrize("name", ["report.txt", "report", "nowhere/x/../../taken/report.html"])
def test_a_report_that_cannot_be_written(run, tmp_path, name):
    (tmp_path / "taken").write_text("a file")
    status, out, err = run("cost", "--input-tokens", "5", "--model", "gpt-4o", "--report", str(tmp_path / name))
    assert status == 2
    assert out == ""
    assert is_one_line(err)

"""``prices set``, ``prices schema``, ``prices compare``, and the sums behind ``cost``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import main
import pricing
from engine.runtime import atomic_files
from gui.costs.prices_service import ReadRequest, SaveRequest, read_price_text, save_price_text
from pricing.declaration import schema_text
from pricing.load import read_price_file
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[1]

EXTRACTS = Path(__file__).parent / "pricing" / "importers" / "extracts"
MINE = b"# mine\r\nversion: 1\r\nmodels:\r\n  openai/gpt-4o:   # dear\r\n    price: {input:  2.50,output: 10 }\r\n"


@pytest.fixture
def run(capfd, tmp_path):
    """Status, standard output and standard error of a command; no test reads the prices of whoever runs it."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main.main(["--profile", str(tmp_path / "profile"), *arguments])
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return run


def test_one_value_is_set_and_the_rest_stays_to_the_byte(run, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(MINE)
    assert run("prices", "set", str(path), "openai/gpt-4o", "price.input", "2.25") == (0, "", "")
    assert path.read_bytes() == MINE.replace(b" 2.50", b" 2.25")
    assert (tmp_path / "prices.yaml.bak").read_bytes() == MINE
    assert run("prices", "set", str(path), "openai/gpt-4o", "price.output", "null")[0] == 0
    assert path.read_bytes() == MINE.replace(b" 2.50", b" 2.25").replace(b"10 ", b"null ")
    assert (tmp_path / "prices.yaml.bak").read_bytes() == MINE.replace(b" 2.50", b" 2.25")


def test_a_file_that_is_not_there_is_made(run, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    assert run("prices", "set", str(path), "acme/one", "price.input", "2")[0] == 0
    assert path.read_bytes() == b"version: 2\n\nmodels:\n  acme/one:\n    price:\n      input: 2\n"
    assert not (tmp_path / "new.yaml.bak").exists()


@pytest.mark.parametrize("linked", [False, True])
def test_no_window_saves_between_reading_and_writing(run, tmp_path: Path, monkeypatch, linked: bool) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(MINE)
    seen_as = path
    if linked:
        if os.name != "posix":
            pytest.skip("links want a right of their own there")
        (tmp_path / "profile").mkdir()
        seen_as = tmp_path / "profile" / "prices.yaml"
        seen_as.symlink_to(path)
    before = read_price_text(ReadRequest(seen_as))
    saving = SaveRequest(seen_as, before.text + "# a window\n", before.stored, before.digest, 1)
    as_it_is, kept_out = pricing.set_field, []

    def set_field(*arguments: object, **options: object) -> str:
        with monkeypatch.context() as impatient:
            impatient.setattr(atomic_files, "LOCK_SECONDS", 0.0)
            try:
                save_price_text(saving)
            except OSError as error:
                kept_out.append(str(error))
        return as_it_is(*arguments, **options)

    monkeypatch.setattr(pricing, "set_field", set_field)
    assert run("prices", "set", str(path), "openai/gpt-4o", "price.input", "2.25")[0] == 0
    assert len(kept_out) == 1
    assert "another window" in kept_out[0]
    outside = save_price_text(saving).outside
    assert outside is not None, "the window is told, and asks"
    assert path.read_bytes() == MINE.replace(b" 2.50", b" 2.25")


def test_two_processes_drop_no_change_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    code = """
import sys
import main
print("ready", flush=True)
sys.stdin.readline()
for number in range(6):
    model = f"acme/{sys.argv[2]}-{number}"
    assert main.main(["--profile", sys.argv[3], "prices", "set", sys.argv[1], model, "price.input", "2"]) == 0
"""
    command = [sys.executable, "-c", code, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    with (
        subprocess.Popen([*command, "one", str(tmp_path / "profile")], **pipes) as one,
        subprocess.Popen([*command, "two", str(tmp_path / "profile")], **pipes) as two,
    ):
        for process in (one, two):
            assert process.stdout.readline() == "ready\n"
        for process in (one, two):
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in (one, two):
            process.communicate(timeout=PATIENCE_SECONDS)
    assert (one.returncode, two.returncode) == (0, 0)
    names = {f"acme/{who}-{number}" for who in ("one", "two") for number in range(6)}
    assert set(read_price_file(path).models) == names


@pytest.mark.parametrize(
    ("content", "field", "value", "says"),
    [
        (MINE, "price.input", "$2", "write only the number"),
        (MINE, "price.inptu", "2", "did you mean 'input'"),
        (b"version: 1\nmodles: 1\n", "price.input", "2", "did you mean 'models'"),
        (b"version: 0\nmodels: {}\n", "price.input", "2", "change the file to version 2"),
        (b"\xff\xfe", "price.input", "2", "not UTF-8"),
    ],
)
def test_what_cannot_be_set_changes_nothing(
    run, tmp_path: Path, content: bytes, field: str, value: str, says: str
) -> None:
    path = tmp_path / "prices.yaml"
    path.write_bytes(content)
    status, out, err = run("prices", "set", str(path), "openai/gpt-4o", field, value)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.glob("prices*")] == ["prices.yaml"]


def test_what_looks_unintended_is_noted(run, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("version: 2\nmodels:\n  openai/gpt-4.1-mimi: null\n")
    status, out, err = run("prices", "check", str(path))
    assert (status, out) == (0, f"{path}: no problems\n")
    assert err.startswith(f"{path}: openai/gpt-4.1-mimi is not a built-in model")
    assert "did you mean openai/gpt-4.1-mini?" in err
    status, out, err = run("prices", "check", str(path), "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["problems"] == []
    assert "nothing is hidden" in json.loads(out)["notes"][0]


def test_the_schema_is_printed(run) -> None:
    status, out, _ = run("prices", "schema")
    assert (status, out) == (0, schema_text())


def test_tables_are_compared(run, tmp_path: Path) -> None:
    status, out, err = run("prices", "compare", str(EXTRACTS / "models_dev.json"), "--on", "2026-11-21")
    assert (status, err) == (0, "")
    assert "deepseek/deepseek-flash price.input: built in 0.3, models.dev 0.15" in out
    assert "1 model that is not in the built-in table." in out


def test_ones_own_prices_come_first(run, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("version: 1\nmodels:\n  openai/gpt-4o: {price: {input: 2}}\n")
    table = str(EXTRACTS / "litellm.json")
    _, out, _ = run("prices", "compare", table, "--prices", str(path), "--on", "2026-11-21", "--json")
    found = {(one["model"], one["field"]): one for one in json.loads(out)["differences"]}
    assert found["openai/gpt-4o", "price.input"] == {
        "table": "LiteLLM",
        "model": "openai/gpt-4o",
        "field": "price.input",
        "bundled": "2.5",
        "yours": "2",
        "theirs": "2.5",
        "state": "yours",
        "new": False,
        "doubt": "",
    }
    assert found["alibaba/qwen3-coder-plus", "price.tiers"]["theirs"] == [
        {"over": 32_000, "input": "1.8", "output": "9"},
        {"over": 128_000, "input": "3", "output": "15"},
    ]
    _, out, _ = run("prices", "compare", table, "--prices", str(path), "--on", "2026-11-21")
    assert "openai/gpt-4o price.input: yours 2, LiteLLM 2.5\n" in out
    assert "xai/grok-4.7 context: built in" in out


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("table.json", b"{", "this is not JSON"),
        ("table.json", b"{}", "this price table cannot be imported"),
        ("table.json", b"\xff", "not UTF-8"),
        ("other.json", b"{}", "No such file"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_one_line(
    run, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    status, out, err = run("prices", "compare", str(tmp_path / "table.json"))
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_broken_file_of_ones_own_is_refused(run, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("version: 1\nmodles: 1\n")
    status, _, err = run("prices", "compare", str(EXTRACTS / "litellm.json"), "--prices", str(path))
    assert (status, "mine.yaml:2:1" in err) == (2, True)


def test_costs_explain_themselves(run) -> None:
    arguments = ("cost", "--input-tokens", "1000", "--model", "gpt-4o", "--cached-tokens", "400", "--on", "2026-11-21")
    _, out, _ = run(*arguments, "--explain")
    assert out.splitlines()[1:5] == [
        "    fresh input: 600 tokens × $2.5 / 1,000,000 = $0.0015",
        "    cached input: 400 tokens × $1.25 / 1,000,000 = $0.0005",
        "    one call: $0.002",
        "    retires on 2027-01-14",
    ]
    _, out, _ = run(*arguments, "--explain", "--json")
    (row,) = json.loads(out)["rows"]
    assert row["explanation"][2] == "one call: $0.002"
    assert "explanation" not in json.loads(run(*arguments, "--json")[1])["rows"][0]


@pytest.mark.parametrize(("budget", "status"), [("0.0219", 1), ("0.022", 0), ("0.0221", 0)])
def test_a_budget_for_all_calls(run, budget: str, status: int) -> None:
    # 1000 × 2.5 × 8 × 1.1 = 0.022
    arguments = ("--calls", "8", "--factor", "1.1", "--on", "2026-11-21", "--budget", budget)
    assert run("cost", "--input-tokens", "1000", "--model", "gpt-4o", *arguments)[0] == status

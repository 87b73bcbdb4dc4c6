"""``count`` and ``cost`` on folders: what is counted, what is left out, budgets, and the bar."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

import engine
from commands import counting
from commands.program import program
from engine.corpus.files import read_stored
from tests.engine.folder_trees import TEXT, add_troubles, make_tree


@pytest.fixture
def run(tmp_path):
    """Run a command with a profile of its own; gives click's result."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(program, ["--profile", str(tmp_path / "profile"), *arguments])

    return run


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    make_tree(root, 100)
    return root


def test_a_folder_is_counted_in_the_order_of_its_paths(run, tree):
    troubles = add_troubles(tree)
    document = json.loads(run("count", str(tree), "--json").stdout)
    encoding = engine.get_encoding("o200k_base")
    paths = [file["path"] for file in document["files"]]
    walked = sorted(path for path in tree.rglob("*.txt") if str(path.relative_to(tree)) not in troubles)
    assert paths == list(map(str, walked))
    assert [file["tokens"] for file in document["files"]] == [encoding.count(read_stored(path).text) for path in walked]
    assert [file["bytes"] for file in document["files"]] == [path.stat().st_size for path in walked]
    assert document["tokens"] == sum(file["tokens"] for file in document["files"])
    assert {file["path"].removeprefix(f"{tree}/") for file in document["skipped"]} == set(troubles)


def test_what_a_gitignore_names_is_counted_if_asked_for(run, tree):
    (tree / ".gitignore").write_text("part*/\n")
    (tree / "kept.txt").write_text(TEXT)
    without = json.loads(run("count", str(tree), "--json").stdout)
    assert [file["path"] for file in without["files"]] == [str(tree / "kept.txt")]
    assert {file["why"] for file in without["skipped"]} == {"hidden", f"ignored by {tree / '.gitignore'}"}
    assert len(json.loads(run("count", str(tree), "--json", "--ignored").stdout)["files"]) == 101


def test_a_file_and_a_folder_together(run, tree, tmp_path):
    single = tmp_path / "single.txt"
    single.write_text(TEXT)
    both = json.loads(run("count", str(single), str(tree), "--json").stdout)
    assert [both["files"][0]["path"], len(both["files"])] == [str(single), 101]


def test_a_budget_of_tokens(run, tree):
    total = json.loads(run("count", str(tree), "--json").stdout)["tokens"]
    assert run("count", str(tree), "--budget", str(total)).exit_code == 0
    over = run("count", str(tree), "--json", "--budget", str(total - 1))
    assert over.exit_code == 1
    assert json.loads(over.stdout)["tokens"] == total
    assert over.stderr == f"over budget: {total:,} of {total - 1:,} tokens\n"


def test_the_upper_end_of_an_estimate_counts_for_the_budget(run, tree):
    model = ("--model", "claude-opus-4-8")
    document = json.loads(run("count", str(tree), *model, "--json").stdout)
    assert document["tokens"] < document["tokens_high"]
    assert run("count", str(tree), *model, "--budget", str(document["tokens"])).exit_code == 1
    assert run("count", str(tree), *model, "--budget", str(document["tokens_high"])).exit_code == 0


def test_cost_counts_a_folder_as_count_does(run, tree):
    add_troubles(tree)
    tokens = json.loads(run("count", str(tree), "--json").stdout)["tokens"]
    result = run("cost", str(tree), "--model", "gpt-4o", "--json")
    assert json.loads(result.stdout)["rows"][0]["input_tokens"] == tokens
    assert "files skipped" in result.stderr
    assert run("cost", str(tree), "--model", "gpt-4o", "--budget", "0.00001").exit_code == 1


def test_a_report_names_every_text_of_a_folder(run, tree, tmp_path):
    report = tmp_path / "report.md"
    assert run("cost", str(tree), "--model", "gpt-4o", "--report", str(report)).exit_code == 0
    assert report.read_text().count("text") > 100


@pytest.mark.parametrize(("size", "terminal"), [(10, True), (1 << 30, False), (0, True)])
def test_no_bar_where_nobody_needs_one(monkeypatch, capsys, size, terminal):
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with counting.CountingBar(size) as bar:
        bar.show(size)
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal_goes_to_its_end(run, tree, monkeypatch):
    class Terminal:
        written = ""

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            Terminal.written += text
            return len(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr(counting, "BAR_BYTES", 1)
    monkeypatch.setattr(counting.sys, "stderr", Terminal())
    with counting.CountingBar(200) as bar:
        report = bar.reporting(100, lambda: None)
        report(1, 50)
        report(2, 40)  # another thread was later
        bar.show(200)
    assert "counting" in Terminal.written
    assert "75%" in Terminal.written
    assert Terminal.written.rstrip("\n \x1b[?25h").endswith("100%")


def test_a_wish_to_stop_ends_the_count():
    def stop() -> None:
        raise KeyboardInterrupt

    with counting.CountingBar(0) as bar, pytest.raises(KeyboardInterrupt):
        bar.reporting(0, stop)(1, 1)

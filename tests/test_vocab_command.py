"""The command that looks up entries of a vocabulary."""

from __future__ import annotations

import json

import pytest

import main


@pytest.fixture(autouse=True)
def profile(tmp_path, monkeypatch):
    """No test finds the encodings of whoever runs it."""
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))


@pytest.fixture
def run(capfd):
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main.main(["vocab", *arguments])
        out, err = capfd.readouterr()
        return status, out, err

    return run


def entries(run, *arguments: str) -> list[dict]:
    status, out, err = run(*arguments, "--json")
    document = json.loads(out)
    assert (status, err) == (0 if document["entries"] else 1, "")
    assert set(document) == {"entries"}
    return document["entries"]


def test_an_id(run):
    (entry,) = entries(run, "--encoding", "r50k_base", "--id", "43453")
    parents = (entry["left"], entry["right"])
    assert entry == {
        "id": 43453,
        "hex": b" SolidGoldMagikarp".hex(),
        "text": " SolidGoldMagikarp",
        "kind": "merge",
        "left": parents[0],
        "right": parents[1],
        "reachable": True,
    }
    halves = [entries(run, "--encoding", "r50k_base", "--id", str(one))[0]["text"] for one in parents]
    assert "".join(halves) == " SolidGoldMagikarp"


def test_an_id_that_is_not_used(run):
    (entry,) = entries(run, "--encoding", "cl100k_base", "--id", "100261")
    assert entry == {
        "id": 100261,
        "hex": "",
        "text": "",
        "kind": "unused",
        "left": None,
        "right": None,
        "reachable": None,
    }


def test_an_entry_that_no_text_reaches(run):
    (entry,) = entries(run, "--encoding", "o200k_base", "--id", "3413")
    assert (entry["text"], entry["reachable"]) == (" I'", False)
    status, out, _ = run("--encoding", "o200k_base", "--id", "3413")
    assert status == 0
    assert out.strip() == f"3413 = {entry['left']} + {entry['right']}  merge, unreachable  [20 49 27]  ·I'"


def test_a_text_is_the_whole_of_an_entry(run):
    (entry,) = entries(run, "--encoding", "o200k_base", "--text", " strawberry")
    assert (entry["text"], entry["kind"]) == (" strawberry", "merge")
    assert entries(run, "--encoding", "o200k_base", "--text", "strawberry") == []


def test_bytes_are_the_whole_of_an_entry(run):
    (entry,) = entries(run, "--encoding", "cl100k_base", "--hex", "c3 a9")
    assert (entry["text"], entry["hex"]) == ("é", "c3a9")
    (part,) = entries(run, "--encoding", "cl100k_base", "--hex", "0xC3")
    assert (part["text"], part["kind"], part["left"], part["reachable"]) == ("\ufffd", "byte", None, True)


def test_a_special_token(run):
    (entry,) = entries(run, "--encoding", "o200k_base", "--text", "<|endoftext|>")
    assert (entry["id"], entry["kind"], entry["left"], entry["reachable"]) == (199999, "special", None, True)


def test_a_search_finds_what_is_inside(run):
    found = entries(run, "--encoding", "r50k_base", "--search", "solidgold")
    assert 43453 in [entry["id"] for entry in found]
    assert all("solidgold" in entry["text"].lower() for entry in found)
    assert entries(run, "--encoding", "r50k_base", "--search", "no such thing here") == []
    nothing = run("--encoding", "r50k_base", "--search", "no such thing here")
    assert nothing == (1, "", "no entry of r50k_base matches\n")


def test_text_for_people_has_nothing_in_it_that_moves_the_cursor(run):
    status, out, _ = run("--encoding", "r50k_base", "--hex", "0a")
    assert status == 0
    assert out == "     198  byte  [0a]  ⏎\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--id", "5"], "name one of --encoding NAME and --tokenizer FILE"),
        (["--encoding", "r50k_base"], "name one of --id, --text, --hex and --search"),
        (["--encoding", "r50k_base", "--id", "1", "--text", "a"], "name one of --id, --text, --hex and --search"),
        (["--encoding", "r50k_base", "--id", "50257"], "which has IDs from 0 to 50256"),
        (["--encoding", "r50k_base", "--id", "-1"], "is not an ID of r50k_base"),
        (["--encoding", "r50k_base", "--id", "9" * 5000], "is not an ID of r50k_base"),
        (["--encoding", "r50k_base", "--id", "٣"], "is not an ID of r50k_base"),
        (["--encoding", "r50k_base", "--hex", "c3a"], "Each byte has two hexadecimal digits"),
        (["--encoding", "r50k_base", "--hex", "xyz"], "'x' is not a hexadecimal digit"),
        (["--encoding", "r50k_base", "--hex", " "], "give at least one byte"),
        (["--encoding", "r50k_base", "--text", ""], "give at least one byte"),
        (["--encoding", "r50k_base", "--text", "\ud800"], "lone surrogate"),
        (["--encoding", "r50k_base", "--search", ""], "give at least one character"),
        (["--encoding", "nothing", "--id", "1"], "Unknown encoding 'nothing'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(run, arguments, words):
    status, out, err = run(*arguments, "--json")
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err

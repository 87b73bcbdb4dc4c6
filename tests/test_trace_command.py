"""``trace``: merges at the command line."""

from __future__ import annotations

import json

import pytest

import engine
import main


@pytest.fixture
def run(capfd, tmp_path):
    """Run ``trace``; gives (status, output, errors)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main.main(["--profile", str(tmp_path), "trace", *arguments])
        return status, *capfd.readouterr()

    return run


def test_the_document_has_every_merge(run):
    status, out, err = run("strawberry pie", "--encoding", "cl100k_base", "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert set(document) == {"pretokens"}
    first, second = document["pretokens"]
    encoding = engine.get_encoding("cl100k_base")
    assert (first["text"], second["text"]) == ("strawberry", " pie")
    assert first["ids"] + second["ids"] == encoding.encode_ordinary("strawberry pie")
    assert [set(step) for step in first["steps"]] == [{"left", "right", "id", "rank"}] * 7
    assert [(step["left"], step["right"], step["id"]) for step in first["steps"]] == [
        (step.left_id, step.right_id, step.token_id) for step in encoding.merge_steps("strawberry")
    ]


def test_ranks_are_not_ids_where_special_tokens_come_first(run):
    document = json.loads(run("berry", "--encoding", "tekken", "--json")[1])
    assert all(step["rank"] == step["id"] - 1000 for step in document["pretokens"][0]["steps"])


def test_the_table(run):
    status, out, _ = run("berry x", "--encoding", "o200k_base")
    assert status == 0
    assert out.splitlines() == [
        "2 pretokens, 2 tokens in o200k_base",
        "",
        "berry",
        "  merge  left  right  token     id   rank",
        "      1  e     r      er       259    259",
        "      2  b     er     ber      718    718",
        "      3  r     y      ry      1102   1102",
        "      4  ber   ry     berry  19772  19772",
        "  1 token: berry (19772)",
        "",
        "·x",
        "  merge  left  right  token    id  rank",
        "      1  ·     x      ·x     1215  1215",
        "  1 token: ·x (1215)",
    ]


@pytest.mark.parametrize("text", ["", "🚀", "<|endoftext|>", "a\udcffb"])
def test_odd_texts(run, text):
    status, out, err = run(text, "--encoding", "o200k_base", "--json")
    assert (status, err) == (0, "")
    ids = [token_id for pretoken in json.loads(out)["pretokens"] for token_id in pretoken["ids"]]
    assert ids == engine.get_encoding("o200k_base").encode_ordinary(text)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("abc",), "name one of --encoding"),
        (("abc", "--encoding", "nope"), "nope"),
        ((), "TEXT"),
        (("a" * 200_001, "--encoding", "cl100k_base"), "200,001 bytes"),
    ],
)
def test_bad_input(run, arguments, complaint):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1

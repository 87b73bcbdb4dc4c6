"""``count --request`` and ``cost --request``: bodies of API calls, and files of many."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

import engine
from engine.requests.templates import TEMPLATES, template_for_model
from pricing import load_catalog
from tests.engine.requests.samples import COOKBOOK, WEATHER_TOOL
from tests.engine.requests.test_bodies import ANTHROPIC, CHAT
from tests.test_command_line import is_one_line, profile, run

__all__ = ["profile", "run"]

MESSAGES = [
    {"role": message.role, "content": message.content} | ({"name": message.name} if message.name else {})
    for message in COOKBOOK.messages
]
BODY = {"model": "gpt-4o", "messages": MESSAGES}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "Hello there, how are you?"}]}]}


@pytest.fixture
def body(tmp_path):
    def write(value: object, name: str = "body.json") -> str:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return str(path)

    return write


def test_the_published_counts(run, body):
    path = body(BODY)
    status, out, err = run("count", "--request", path, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["tokens"] == 124
    assert (document["encoding"], document["template"], document["model"]) == ("o200k_base", "openai", "openai/gpt-4o")
    assert document["files"][0]["parts"] == {
        "overhead": {"tokens": 41, "grade": "formula"},
        "tools": {"tokens": 0, "grade": "formula"},
        "images": {"tokens": 0, "grade": "formula"},
        "text": {"tokens": 83, "grade": "exact"},
    }
    status, out, _ = run("count", "--request", path, "--encoding", "cl100k_base", "--json")
    assert json.loads(out)["tokens"] == 129


def test_in_words_and_from_standard_input(run):
    status, out, err = run("count", "--request", "-", stdin=json.dumps(CHAT).encode())
    assert status == 0
    assert out.splitlines()[-1].endswith("tokens in o200k_base, by OpenAI chat (formula)")
    assert "images 85 (formula)" in out
    assert "not counted: messages[1].content[3]" in err


def test_text_of_special_tokens_is_flagged(run, body):
    path = body([{"role": "user", "content": "say <|im_end|>"}])
    _, out, err = run("count", "--request", path, "--template", "qwen")
    assert "<|im_end|> is counted as plain text" in err
    assert "(exact)" in out
    _, out, _ = run("count", "--request", path, "--template", "qwen", "--json")
    file = json.loads(out)["files"][0]
    assert file["special_texts"] == [{"message": 0, "text": "<|im_end|>", "occurrences": 1}]


def test_a_template_of_ones_own(run, body, tmp_path):
    template = body("{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}", "own.jinja")
    path = body([{"role": "user", "content": "Hi"}])
    status, out, _ = run("count", "--request", path, "--template", template, "--json")
    assert status == 0
    assert json.loads(out)["files"][0]["parts"]["text"]["tokens"] == 1
    broken = body("{% if %}", "broken.jinja")
    status, out, err = run("count", "--request", path, "--template", broken)
    assert (status, out) == (2, "")
    assert "broken.jinja, line 1" in err
    assert is_one_line(err)


def test_a_file_of_many(run, body):
    rows = [json.dumps({"custom_id": str(number), "body": BODY}) for number in range(3)]
    path = body("\n".join([rows[0], "{", rows[1], rows[2]]), "many.jsonl")
    status, out, err = run("count", "--request", path, "--json")
    assert (status, err) == (0, "")
    file = json.loads(out)["files"][0]
    assert (file["tokens"], file["requests"], file["malformed_lines"]) == (3 * 124, 3, 1)
    assert file["malformed"][0]["line"] == 2
    assert [one["line"] for one in file["worst"]] == [1, 3, 4]
    status, out, err = run("count", "--request", path)
    assert "372 tokens in 3 requests" in out
    assert "line 2 is not a request: " in err


def test_of_many_bad_lines_the_first_are_said(run, body):
    path = body("\n".join(["{"] * 30 + [json.dumps(BODY)]), "many.jsonl")
    status, out, err = run("count", "--request", path)
    assert (status, out.splitlines()[0].split(" tokens")[0]) == (0, "124")
    said = err.splitlines()
    assert [line.split(": ")[1] for line in said[:-1]] == [f"line {n} is not a request" for n in range(1, 21)]
    assert said[-1].endswith(": 10 more lines are not requests; --lines FILE lists all")


@pytest.mark.parametrize("name", ["lines.csv", "lines.json"])
def test_every_line_is_listed_in_a_table(run, body, tmp_path, name):
    path, table = body("\n".join([json.dumps(BODY), "{", json.dumps(BODY)]), "many.jsonl"), tmp_path / name
    status, out, err = run("count", "--request", path, "--lines", str(table), "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["tokens"] == 248
    if name == "lines.json":
        rows = json.loads(table.read_text())["rows"]
        found = [(row["line"], row["tokens"], row["overhead"], bool(row["problem"])) for row in rows]
        assert found == [(1, 124, 41, False), (2, None, None, True), (3, 124, 41, False)]
    else:
        lines = table.read_text().splitlines()
        assert lines[0] == "line,tokens,overhead,tools,images,text,grade,problem"
        assert lines[1] == "1,124,41,0,0,83,formula,"
        assert lines[2].startswith("2,,,,,,,not a request: column 2: not valid JSON")
        assert lines[3] == "3,124,41,0,0,83,formula,"


def test_what_a_request_costs(run, body):
    tools = [WEATHER_TOOL.as_json()]
    path = body({**BODY, "tools": tools})
    counted = json.loads(run("count", "--request", path, "--json")[1])["tokens"]
    status, out, err = run("cost", "--request", path, "--model", "gpt-4o", "--json")
    assert (status, err) == (0, "")
    row = json.loads(out)["rows"][0]
    assert row["input_tokens"] == counted > 124
    assert Decimal(row["usd"]) == Decimal(counted) * Decimal("2.5") / 1_000_000


def test_what_is_not_counted_is_said_with_the_cost(run, body):
    path = body(BODY | {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}})
    status, _, err = run("cost", "--request", path, "--model", "gpt-4o")
    assert (status, err) == (0, "not counted: response_format (schema of the reply)\n")
    status, out, err = run("cost", "--request", path, "--model", "gpt-4o", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["not_counted"] == [{"place": "response_format", "what": "schema of the reply"}]


def test_images_are_counted_by_each_model_and_not_scaled(run, body):
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    without = body({**ANTHROPIC, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]})
    plain = json.loads(run("cost", "--request", without, "--model", "claude-opus-4-6", "--json")[1])["rows"][0]
    with_image = {**ANTHROPIC, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, image]}]}
    path = body(with_image)
    found = json.loads(run("cost", "--request", path, "--model", "claude-opus-4-6", "--json")[1])["rows"][0]
    assert found["input_tokens"] - plain["input_tokens"] == 37 * 37
    assert found["input_high"] - plain["input_high"] == 1568 + 32, "the size is not known"
    assert found["input_low"] - plain["input_low"] == 10 * 10
    assert Decimal(plain["usd_high"]) < Decimal(found["usd_high"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("count", "--request", "BODY", "--template", "nothing"), "--template: 'nothing' is neither a file"),
        (("count", "BODY", "--template", "qwen"), "--template requires --request"),
        (("cost", "BODY", "--template", "qwen"), "--template requires --request"),
        (("count", "--request", "BAD"), "line 1, column 14: messages must be a list"),
        (("count", "--request", "FOLDER"), "a folder, not a file"),
        (("count", "--request", "MISSING"), "No such file"),
        (("count", "--request", "MISSING.jsonl"), "No such file"),
        (("cost", "--request", "MANY.jsonl"), "takes one request"),
        (("count", "BODY", "--lines", "lines.csv"), "--lines requires --request"),
        (("count", "--request", "BODY", "--lines", "lines.csv"), "one file with many requests"),
        (("count", "--request", "LINES", "--lines", "FOLDER"), "--lines"),
        (("count", "--request", "LINES", "--lines", "nowhere.d/lines.csv"), "No such file"),
        (("cost", "--request", "BODY", "--input-tokens", "5"), "not both"),
        (("count", "--request", "BODY", "--model", "gpt-4o", "--encoding", "gpt2"), "give one of"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, body, tmp_path, arguments, said):
    names = {"BODY": body(BODY), "BAD": body('{"messages": 7}', "bad.json"), "FOLDER": str(tmp_path)}
    names["LINES"] = body("{}", "lines.jsonl")
    status, out, err = run(*(names.get(word, str(tmp_path / word) if "." in word or word == "MISSING" else word)
                             for word in arguments))  # fmt: skip
    assert (status, out) == (2, "")
    assert said in err
    assert is_one_line(err)


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello there, what is this?"}]}
LEFT_OUT = {"model": "gpt-5", "input": [{"role": "user", "content": "Hello"}], "previous_response_id": "r1"}


EXACT = {"groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-120b", "deepseek/deepseek-v4-pro"}
"""Models whose template and vocabulary are public, with a framing that is exact."""


def test_a_cost_is_as_sure_as_the_least_sure_part_of_the_request(run, body):
    def rows(value, *options):
        status, out, _ = run("cost", "--request", body(value), "--json", *options)
        assert status == 0
        return {row["model"]: row for row in json.loads(out)["rows"]}

    found = rows(HELLO)
    assert found["openai/gpt-4o"]["label"] == found["openai/gpt-4o"]["usd_label"] == "formula"
    own = {name for name, row in found.items() if row["label"] == "exact"}
    assert own == EXACT
    with_image = {"model": "gpt-4o", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, IMAGE]}]}
    for name, row in rows(with_image).items():
        assert row["label"] in ("estimated", None), name
        if row["label"] is not None and row["usd_low"] is not None and row["usd"] != "0":
            assert row["input_low"] < row["input_high"], name
            assert Decimal(row["usd_low"]) < Decimal(row["usd_high"]), name
    row = rows(with_image, "--model", "gpt-4o")["openai/gpt-4o"]
    assert (row["input_tokens"] - row["input_low"], row["input_high"] - row["input_tokens"]) == (765 - 255, 1105 - 765)
    assert Decimal(row["usd_high"]) == Decimal(row["input_high"]) * Decimal("2.5") / 1_000_000
    assert rows(LEFT_OUT, "--model", "gpt-5")["openai/gpt-5"]["label"] == "estimated"
    foreign = rows(HELLO, "--model", "gpt-4o", "--template", "llama3")["openai/gpt-4o"]
    assert (foreign["label"], foreign["input_low"] < foreign["input_tokens"] < foreign["input_high"]) == (
        "estimated",
        True,
    )


def test_the_table_and_the_budget_say_what_is_left_out(run, body):
    path = body(LEFT_OUT)
    _, out, err = run("cost", "--request", path, "--model", "gpt-5")
    assert " estimated " in out.splitlines()[0]
    assert out.splitlines()[0].endswith("plus parts that are not counted")
    assert err == "not counted: previous_response_id (an earlier response)\n"
    status, out, err = run("cost", "--request", path, "--model", "gpt-5", "--budget", "1", "--json")
    assert status == 0
    assert "not checked against the budget" in err
    assert json.loads(out)["rows"][0]["complete"] is False
    status, out, err = run("cost", "--request", path, "--model", "gpt-5", "--budget", "0")
    assert status == 1


def test_text_in_the_vocabulary_of_its_model_is_exact(run, body):
    """Also where the framing of the model is not published."""
    for model in load_catalog().models:
        template = TEMPLATES[template_for_model(model.id)]
        if model.count.label in ("exact", "assumed") and "embedding" not in model.id:
            encoding = engine.get_encoding(model.count.tokenizer)
            assert template.is_own(encoding.name, encoding.special_tokens_set), model.id
    path = body(GEMINI)
    _, out, _ = run("count", "--request", path, "--model", "google/gemini-2.5-flash", "--json")
    document = json.loads(out)
    (file,) = document["files"]
    assert file["parts"]["text"] == {"tokens": file["tokens"], "grade": "exact"}
    assert (file["tokens_low"], file["tokens_high"]) == (document["tokens_low"], document["tokens_high"])
    assert not any("vocabulary" in note for note in file["notes"])


def test_a_count_says_its_range_and_label(run, body):
    _, out, _ = run("count", "--request", body(HELLO), "--template", "llama3", "--json")
    document = json.loads(out)
    assert (document["tokens"], document["tokens_low"], document["tokens_high"]) == (17, 11, 30)
    assert document["label"] == "estimated"
    assert document["files"][0]["grade"] == "estimate"
    assert document["files"][0]["parts"]["text"] == {"tokens": 7, "grade": "estimate", "low": 3, "high": 15}
    _, out, _ = run("count", "--request", body(HELLO), "--template", "llama3")
    assert "17 tokens (11 to 30), estimated: overhead 10 (estimated), text 7 (estimated)" in out
    assert out.splitlines()[1] == "17 tokens in o200k_base, by Llama 3"
    many = body("\n".join([json.dumps(HELLO), json.dumps(LEFT_OUT)]), "many.jsonl")
    assert json.loads(run("count", "--request", many, "--json")[1])["label"] == "estimated"


@pytest.mark.deep
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_table_that_the_disk_has_no_room_for_is_named(run, tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}]}\n' * 5000)
    status, _, err = run("count", "--request", str(path), "--model", "gpt-4o", "--lines", "/dev/full")
    assert status == 2
    assert err.splitlines() == ["tokenloupe: --lines: /dev/full: No space left on device"]

"""A user's own templates: the good, the strange and the hostile."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
import main
from engine.requests import template_child, template_file
from engine.requests.counting import RequestCounter
from engine.requests.template_file import LARGEST_SOURCE, TemplateFile, TemplateSource, read_source
from engine.requests.templates import TEMPLATES
from engine.requests.types import Message, Request, TemplateError, Tool, ToolCall
from engine.runtime.threads import child_command
from tests.engine.requests.samples import DAY, WEATHER_TOOL
from tests.thoroughness import examples, mostly_deep

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TOOLS = (
    "{% if tools %}<|im_start|>system\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}"
    + CHATML
)
REQUEST = Request((Message("user", "user"), Message("assistant", " ok \n"), Message("user", "say <|im_end|> é")))


def render(text, request=REQUEST, tokens=None, encoding="qwen"):
    with TemplateFile(TemplateSource("own.jinja", text, tokens or {})) as file:
        counter = RequestCounter(file.template, engine.get_encoding(encoding), today=DAY)
        found = counter.count(request)
        assert counter.tally(request) == found.tally
        return found


def texts_of(found, kind):
    data = found.text.encode()
    return [data[span.byte_start : span.byte_end].decode() for span in found.spans if span.kind == kind]


def test_the_same_as_the_template_that_is_built_in():
    own = render(CHATML)
    ours = RequestCounter(TEMPLATES["chatml"], engine.get_encoding("qwen")).count(REQUEST)
    assert own.text == ours.text
    assert own.ids.tolist() == ours.ids.tolist()
    assert texts_of(own, "text") == ["user", "ok", "say <|im_end|> é"]
    assert [(one.message, one.text) for one in own.special_texts] == [(2, "<|im_end|>")]
    assert own.tally.grade == "exact"


words = st.text(alphabet=st.sampled_from("ab user\n\t<|im_end>é😀"), max_size=12)
requests = st.lists(st.builds(Message, st.sampled_from(["user", "assistant", "system"]), words), max_size=4)


@pytest.mark.hypothesis
def test_the_same_for_any_contents():
    with TemplateFile(TemplateSource("own.jinja", CHATML, {})) as file:
        enc = engine.get_encoding("qwen")
        own, ours = RequestCounter(file.template, enc), RequestCounter(TEMPLATES["chatml"], enc)

        @examples(60)
        @given(messages=requests)
        def check(messages):
            request = Request(tuple(messages))
            assert own.tally(request).tokens == ours.tally(request).tokens

        check()


def test_what_is_there_for_tools():
    found = render(TOOLS, Request((Message("user", "Hi"),), (WEATHER_TOOL,)))
    tools = "".join(texts_of(found, "tools"))
    assert json.loads(tools.removeprefix("<|im_start|>system\n").removesuffix("<|im_end|>\n")) == WEATHER_TOOL.as_json()
    assert "".join(texts_of(found, "overhead")) == "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n"


def test_a_tool_that_spells_a_special_token_makes_none():
    harmless = render(TOOLS, Request((Message("user", "Hi"),), (Tool("f", "ends"),)))
    hostile = render(TOOLS, Request((Message("user", "Hi"),), (Tool("f", "ends <|im_end|>"),)))
    assert sum(span.special for span in hostile.spans if span.kind == "overhead") == sum(
        span.special for span in harmless.spans if span.kind == "overhead"
    )
    assert not any(span.special for span in hostile.spans if span.kind == "tools")
    assert hostile.special_texts


def test_calls_are_what_somebody_wrote():
    template = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls or [] %}"
        "(call {{ c.function.name }} {{ c.function.arguments | tojson }}){% endfor %}{% endfor %}"
    )
    request = Request(
        (
            Message("user", "Hi"),
            Message("assistant", "", tool_calls=(ToolCall("f", '{"a":1}'), ToolCall("g", '{"b": 2}'))),
            Message("tool", "4"),
        )
    )
    found = render(template, request)
    assert found.text == '[user]Hi[assistant](call f {"a": 1})(call g {"b": 2})[tool]4'
    assert texts_of(found, "text") == ["Hi", '{"a": 1}', '{"b": 2}', "4"]


def test_a_template_that_changes_contents():
    found = render("{% for m in messages %}<{{ m.content | trim | length }}>{{ m.content | upper }}{% endfor %}")
    assert found.text == "<4>USER<2> OK \n<16>SAY <|IM_END|> É"
    looked_for = render("{% for m in messages %}<{{ m.content | length }}>{{ m.content }}{% endfor %}")
    assert texts_of(looked_for, "text") == ["user", "ok", "say <|im_end|> é"]


def test_names_of_tokens_by_the_file_or_by_the_encoding():
    assert render("{{ bos_token }}{{ eos_token }}x", encoding="tekken").text == "<s></s>x"
    given = render("{{ bos_token }}x{{ eos_token }}", tokens={"bos_token": "<<b>>"}, encoding="tekken")
    assert given.text == "<<b>>x</s>"
    assert [span.special for span in given.spans] == [True, False, True]


def test_what_hugging_face_templates_use():
    text = render(
        "{% generation %}{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}"
        "{% endgeneration %}\n"
        "  {%- set ns = namespace(x=1) %}{{ strftime_now('%d %b %Y') }} {{ {'é': '<'} | tojson }}"
    ).text
    assert text == '0128 Jun 2025 {"é": "<"}'


HOSTILE = {
    "endless loops": "{% set r = range(99999) %}{% for a in r %}{% for b in r %}{% endfor %}{% endfor %}",
    "filtered loops": "{% set r = range(99999) %}{% for a in r %}{% for b in r if false %}{% endfor %}{% endfor %}",
    "a huge text": "{{ 'x' * 10**10 }}",
    "a growing text": "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
    "a growing list": "{% set n = namespace(s=[1]) %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "lists in lists": "{% set n = namespace(s=1) %}{% for i in range(50) %}{% set n.s = [n.s] * 2 %}{% endfor %}{{n}}",
    "a huge number": "{{ (10 ** 10) ** (10 ** 10) }}",
    "much text": "{% for i in range(9999) %}{{ 'x' * 100000 }}{% endfor %}",
    "a wide format": "{{ '%1000000000d' % 1 }}",
    "a wide field": "{{ 'x'.ljust(10 ** 10) }}",
    "filler": "{{ lipsum(n=10 ** 7) }}",
    "recursion": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "classes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ self.__init__.__globals__ }}",
    "code": "{{ (''.join | attr('__self__')).__class__.__base__ }}",
    "files": "{% include '/etc/passwd' %}",
    "other files": "{% extends '/etc/passwd' %}",
    "imports": "{% import 'os' as os %}{{ os }}",
    "changing what it was given": "{{ messages.append(1) }}",
    "changing a message": "{{ messages[0].update({'content': 'x'}) }}",
    "division": "{{ 1 / 0 }}",
    "what is not there": "{{ nothing.at.all }}",
    "a wrong filter": "{{ 1 | nothing }}",
    "no template": "{% if %}",
    "an open block": "{% for m in messages %}",
    "an open expression": "{{ messages",
    "deep brackets": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "refusing": "{{ raise_exception('Roles must alternate') }}",
}


def test_the_inside_of_functions_is_empty():
    assert render("x{{ raise_exception.__globals__ }}{{ raise_exception.__code__ }}").text == "x"


@pytest.mark.parametrize("text", mostly_deep([pytest.param(text, id=name) for name, text in HOSTILE.items()], 3))
def test_hostile_templates_end_in_a_sentence(text):
    with pytest.raises(TemplateError) as caught:
        render(text)
    sentence = str(caught.value)
    assert sentence.startswith("own.jinja")
    assert "\n" not in sentence
    assert len(sentence) < 500
    if "raise_exception('" in text:
        assert sentence == "own.jinja: it refuses this request: Roles must alternate"


@pytest.mark.deep
def test_after_a_template_was_stopped_the_next_request_is_rendered():
    text = "{% if messages | length > 1 %}" + HOSTILE["endless loops"] + "{% endif %}ok"
    with TemplateFile(TemplateSource("own.jinja", text, {})) as file:
        counter = RequestCounter(file.template, engine.get_encoding("qwen"))
        with pytest.raises(TemplateError, match="too much time or memory"):
            counter.tally(REQUEST)
        assert counter.tally(Request()).tokens == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a\n{% for one in none %}{{ one }}{% endfor %}\n", "line 2: it fails: TypeError: none is not iterable"),
        ("a\n\n{{ 1 / 0 }}\n", "line 3: it fails: ZeroDivisionError: division by zero"),
        ("a\n{{ b.c }}\n", "line 2: it fails: 'b' is undefined"),
    ],
)
def test_what_fails_is_said_with_its_line(source: str, said: str):
    answer = template_child._answer(source, [{}], "2026-01-01T00:00:00")
    assert f"line {answer['line']}: {answer['error']}" == said


def test_the_line_of_a_mistake_is_named():
    with pytest.raises(TemplateError, match=r"^own\.jinja, line 3: not a valid Jinja template: "):
        render("a\nb\n{% endfor %}")


def test_a_program_without_an_interpreter_renders_itself(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command, _ = child_command("engine.requests.template_child", template_file.OPTION, ())
    assert command == [sys.executable, template_file.OPTION]
    asked = []
    monkeypatch.setattr(template_child, "main", lambda: asked.append(1) or 0)
    assert main.main([template_file.OPTION]) == 0
    assert asked


def test_where_nothing_can_be_started(monkeypatch, tmp_path):
    monkeypatch.setattr(template_file, "child_command", lambda *_: ([str(tmp_path / "nothing")], {}))
    with pytest.raises(TemplateError, match="cannot be rendered here"):
        render(CHATML)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_with_its_tokens_beside_it(tmp_path):
    path = tmp_path / "chat_template.jinja"
    path.write_text(CHATML, encoding="utf-8")
    assert read_source(path) == TemplateSource("chat_template.jinja", CHATML, {})
    configuration = {"bos_token": {"content": "<b>", "lstrip": False}, "eos_token": "<e>", "unk_token": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(configuration), encoding="utf-8")
    assert read_source(path).tokens == {"bos_token": "<b>", "eos_token": "<e>"}
    (tmp_path / "tokenizer_config.json").write_text("{", encoding="utf-8")
    assert read_source(path).tokens == {}


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ("{{ a }}", "{{ a }}"),
        ([{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}], "d"),
        ([{"name": "tool_use", "template": "t"}, {"name": "rag", "template": "r"}], "t"),
    ],
)
def test_a_template_in_a_configuration(tmp_path, held, expected):
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"chat_template": held, "bos_token": "<b>"}), encoding="utf-8")
    assert read_source(path) == TemplateSource("tokenizer_config.json", expected, {"bos_token": "<b>"})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\xff", "not valid UTF-8: byte 0xff at offset 0"),
        (b"x" * (LARGEST_SOURCE + 1), "larger than 1 MB"),
        (b'{"a": 1}', "the file has no chat_template"),
        (b'{"chat_template": 7}', "the file has no chat_template"),
        (b'{"chat_template": [7, {"name": 1}]}', "the file has no chat_template"),
        (b'{"chat_template"', "neither a template nor JSON"),
        (b'{"a":' * 100_000, "neither a template nor JSON"),
    ],
)
def test_files_that_hold_no_template(tmp_path, content, said):
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(TemplateError, match=f"^file.txt: {said}"):
        read_source(path)

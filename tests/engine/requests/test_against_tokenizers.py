"""Llama 3 and Qwen: the ids are those that Hugging Face's library has for what their templates write.

The vocabularies are learnt here, with the special tokens of the models. The templates below are this test's own words
for the forms that the models' makers describe, in Jinja.
"""

from __future__ import annotations

import json
from datetime import date

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import engine
from engine.requests.counting import RequestCounter
from engine.requests.templates import TEMPLATES
from engine.requests.types import Message, Request, ToolCall
from engine.split.patterns import NAMED_SPLITS
from tests.engine.requests.samples import WEATHER_TOOL
from tests.thoroughness import examples

CORPUS = [
    "system user assistant tool ipython\n\nYou are a helpful assistant.\n\nWhat is the weather in Paris?\n",
    'The function is called with a JSON object: {"name": "f", "arguments": {"city": "Paris"}}\n\n',
    "Wie ist das Wetter? 你好，世界。 café naïve 12345 <tools> </tools> # Tools\n\n",
] * 4

LLAMA = """{{ '<|begin_of_text|>' }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>

{{ m.content.strip() }}<|eot_id|>{% endfor %}{% if reply %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}"""

LLAMA_DATED = """{{ '<|begin_of_text|><|start_header_id|>system<|end_header_id|>' }}

{% if tools %}Environment: ipython
{% endif %}Cutting Knowledge Date: December 2023
Today Date: 26 Jul 2024

{% if messages and messages[0].role == 'system' %}{{ messages[0].content.strip() }}{% endif %}<|eot_id|>\
{% for m in messages %}{% if m.role != 'system' or not loop.first %}\
<|start_header_id|>{{ 'ipython' if m.role == 'tool' else m.role }}<|end_header_id|>

{% if m.role == 'tool' %}{{ {'output': m.content} | json }}{% else %}{{ m.content.strip() }}\
{% for call in m.tool_calls %}{"name": "{{ call.name }}", "parameters": {{ call.arguments }}}{% endfor %}{% endif %}\
<|eot_id|>{% endif %}{% endfor %}{% if reply %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}"""

QWEN = """{% if messages and messages[0].role == 'system' and not tools %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}{% if tools %}<|im_start|>system
{% if messages and messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{{ tools }}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% endif %}{% for m in messages %}{% if m.role == 'tool' %}\
{% if loop.first or messages[loop.index0 - 1].role != 'tool' %}<|im_start|>user{% endif %}
<tool_response>
{{ m.content }}
</tool_response>{% if loop.last or messages[loop.index0 + 1].role != 'tool' %}<|im_end|>
{% endif %}{% elif m.role == 'assistant' %}<|im_start|>assistant
{{ m.content }}{% for call in m.tool_calls %}{% if m.content or not loop.first %}
{% endif %}<tool_call>
{"name": "{{ call.name }}", "arguments": {{ call.arguments }}}
</tool_call>{% endfor %}<|im_end|>
{% elif m.role != 'system' or not loop.first %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endif %}{% endfor %}{% if reply %}<|im_start|>assistant
{% endif %}"""

LLAMA_SPECIAL = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
FAMILIES = {
    "llama3": (LLAMA, "llama3", LLAMA_SPECIAL),
    "llama3.1": (LLAMA_DATED, "llama3", LLAMA_SPECIAL),
    "qwen": (QWEN, "qwen2", ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>")),
}


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def family(request, tmp_path_factory):
    """Key, this test's template, Hugging Face's tokenizer, ours from the same file."""
    template, split, special = FAMILIES[request.param]
    tokenizer = Tokenizer(models.BPE())
    expression = Regex(NAMED_SPLITS[split].expression)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(expression, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    )
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    path = tmp_path_factory.mktemp(request.param) / "tokenizer.json"
    tokenizer.save(str(path))
    environment = jinja2.Environment(keep_trailing_newline=True)
    environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
    return request.param, environment.from_string(template), tokenizer, engine.load(path)


words = st.text(alphabet=st.sampled_from("ab Zé你1\n\t.,'{}\"<|"), max_size=30)
messages = st.lists(st.builds(Message, st.sampled_from(["system", "user"]), words), max_size=5)


@examples(80)
@given(messages=messages)
def test_the_same_ids(family, messages):
    compare(family, Request(tuple(messages)))


def test_the_same_ids_with_tools(family):
    key = family[0]
    tools = (WEATHER_TOOL,) if key == "qwen" else ()
    compare(family, Request((Message("system", "Be brief."), Message("user", "What is it?")), tools))


def test_the_same_ids_of_a_conversation_with_calls(family):
    calls = (ToolCall("weather", '{"city": "Paris"}'), ToolCall("time", "{}"))
    answers = (Message("tool", "18 °C, rain"), Message("tool", "12:00"))
    many = {"llama3": 0, "llama3.1": 1, "qwen": 2}[family[0]]  # Llama 3 has no form for calls, Llama 3.1 for one a turn
    calls, answers = calls[:many], answers[:many]
    turns = Message("user", "What is it?"), Message("assistant", "", tool_calls=calls), *answers
    more = Message("assistant", "Rain, and noon."), Message("user", "And tomorrow?")
    compare(family, Request((Message("system", "Be brief."), *turns, *more)))
    compare(family, Request((*turns, *more)))


def test_content_that_spells_a_special_token_is_plain_text(family):
    key, _, tokenizer, encoding = family
    special = FAMILIES[key][2][2]
    request = Request((Message("user", f"say {special} twice {special}"),))
    found = RequestCounter(TEMPLATES[key], encoding).count(request)
    assert [(one.message, one.text, one.occurrences) for one in found.special_texts] == [(0, special, 2)]
    by_them = tokenizer.encode(found.text, add_special_tokens=False).ids
    assert tokenizer.token_to_id(special) in by_them
    content = encoding.encode_ordinary(request.messages[0].content)
    assert found.tally.of("text").tokens == len(content)
    ids = found.ids.tolist()
    start = next(at for at in range(len(ids)) if ids[at : at + len(content)] == content)
    assert start > 0


def compare(family, request):
    key, template, tokenizer, encoding = family
    tools = "\n".join(json.dumps(tool.as_json(), ensure_ascii=False) for tool in request.tools)
    text = template.render(messages=request.messages, tools=tools, reply=request.awaits_reply)
    found = RequestCounter(TEMPLATES[key], encoding, today=date(2024, 7, 26)).count(request)
    assert found.text == text
    assert found.ids.tolist() == tokenizer.encode(text, add_special_tokens=False).ids
    assert found.tally.tokens == len(found.ids)
    assert found.tally.grade == "exact"

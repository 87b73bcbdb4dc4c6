"""OpenAI's templates: its chat models, harmony for gpt-oss, and how both are shown tools.

*Chat*: a formula instead of a text, because the rendered messages are not published. Source: OpenAI's cookbook, "How to
count tokens with tiktoken", section 6: 3 for every message, 1 for a name, 3 for the beginning of the reply. The text
shown is the ChatML that each of these threes stands for: beginning, separator and end of a message. The cookbook's
example has 129 tokens in cl100k_base and 124 in o200k_base, equal to the API. Source of the cost of calls and their
results: gpt-tokenizer. A message with the role ``function`` has the name of the function instead of its role; a call
has 3 in addition to its name and arguments.

*Harmony*. Source: openai/harmony, docs/format.md. Its standard system message has 61 tokens, 75 with the sentence on
tools; the developer message adds 7 to its instructions. ``namespace`` renders tools as the TypeScript-like declarations
that gpt-oss is shown ("Function calling"); hmarr/openai-chat-tokens documents the same rendering.

``rendered`` renders functions like hmarr/openai-chat-tokens and gpt-tokenizer, to count the tokens that OpenAI bills
for them. It differs from ``namespace`` in two ways: nested objects are indented, and descriptions inside them are
omitted. Only functions and their own parameters keep theirs.

``tools_tokens`` returns OpenAI's count for tools by the two published approximations:

* *The cookbook* (section 7) was measured on tools with a description, whose parameters are strings, numbers or
  enumerations, also described: 101 for its weather example in o200k_base, 105 in cl100k_base, equal to the API. Such
  tools are counted by it.
* *The rendering* (hmarr/openai-chat-tokens, gpt-tokenizer) was measured on all others: without descriptions, without
  parameters, nested. Those are counted by it (``rendered``), with its constants. For a nested schema the count is an
  estimate.

The two differ by a few tokens on the same tool; ``ToolsCount.note`` names the one that was used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Grade, Message, Piece, Request, Tool


def text_of(schema: Mapping[str, Any], key: str) -> str:
    """Return a member that should be a string, "" if it is not."""
    value = schema.get(key)
    return value if isinstance(value, str) else ""


def properties_of(schema: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    """Return the properties of an object by name."""
    found = (schema or {}).get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {name: value if isinstance(value, Mapping) else {} for name, value in found.items()}


def required_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the required properties."""
    found = schema.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list) else frozenset()


def choices_of(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values of an enumeration."""
    found = schema.get("enum")
    return found if isinstance(found, list) else []


def type_of(schema: Mapping[str, Any]) -> str:
    """Return the name of the type; several are joined by `` | ``."""
    found = schema.get("type")
    if isinstance(found, list):
        return " | ".join(name for name in found if isinstance(name, str))
    return found if isinstance(found, str) else ""


# --- tools ------------------------------------------------------------------------------------------------------------


DEEPEST = 40
"""Maximum nesting depth of types; deeper ones are rendered as ``any``."""


def namespace(tools: Sequence[Tool]) -> str:
    """Render all tools in the namespace ``functions``, as the models are shown them."""
    body = "\n\n".join(_declaration(tool) for tool in tools)
    return f"namespace functions {{\n\n{body}\n\n}} // namespace functions"


def _declaration(tool: Tool) -> str:
    lines = [f"// {line}" for line in tool.description.splitlines()]
    if properties_of(tool.parameters):
        lines.append(f"type {tool.name} = (_: {_object(tool.parameters or {}, 0)}) => any;")
    else:
        lines.append(f"type {tool.name} = () => any;")
    return "\n".join(lines)


def _object(schema: Mapping[str, Any], depth: int) -> str:
    required = required_of(schema)
    lines = ["{"]
    for name, value in properties_of(schema).items():
        lines += [f"// {line}" for line in text_of(value, "description").splitlines()]
        mark = "" if name in required else "?"
        default = f" // default: {_plain(value['default'])}" if "default" in value else ""
        lines.append(f"{name}{mark}: {_type(value, depth + 1)},{default}")
    return "\n".join([*lines, "}"])


def _type(schema: Mapping[str, Any], depth: int) -> str:
    if depth > DEEPEST:
        return "any"
    choices = choices_of(schema)
    if choices:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    variants = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(variants, list) and variants:
        return " | ".join(_type(variant, depth + 1) for variant in variants if isinstance(variant, Mapping)) or "any"
    name = type_of(schema)
    if name == "object":
        return _object(schema, depth) if properties_of(schema) else "object"
    if name == "array":
        items = schema.get("items")
        return f"{_type(items, depth + 1)}[]" if isinstance(items, Mapping) else "any[]"
    return {"integer": "number"}.get(name, name) or "any"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_INDENT = 2


def rendered(tools: Sequence[Tool]) -> str:
    """Render all tools in the namespace ``functions``, to count them as OpenAI bills them."""
    lines = ["namespace functions {", ""]
    for tool in tools:
        if tool.description:
            lines.append(f"// {tool.description}")
        if properties_of(tool.parameters):
            lines += [f"type {tool.name} = (_: {{", _properties(tool.parameters or {}, 0), "}) => any;", ""]
        else:
            lines += [f"type {tool.name} = () => any;", ""]
    return "\n".join([*lines, "} // namespace functions"])


def _properties(schema: Mapping[str, Any], indent: int) -> str:
    required, margin = required_of(schema), " " * indent
    lines = []
    for name, value in properties_of(schema).items():
        description = text_of(value, "description")
        if description and indent < _INDENT:
            lines.append(f"{margin}// {description}")
        lines.append(f"{margin}{name}{'' if name in required else '?'}: {_function_type(value, indent)},")
    return "\n".join(lines)


def _function_type(schema: Mapping[str, Any], indent: int, depth: int = 0) -> str:
    if indent + depth > _INDENT * DEEPEST:
        return "any"
    variants = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(variants, list) and variants:
        return (
            " | ".join(_function_type(one, indent, depth + 1) for one in variants if isinstance(one, Mapping)) or "any"
        )
    name = type_of(schema)
    if choices := choices_of(schema):
        return " | ".join(_choice(choice, name) for choice in choices)
    if name == "array":
        items = schema.get("items")
        return f"{_function_type(items, indent, depth + 1)}[]" if isinstance(items, Mapping) else "any[]"
    if name == "object":
        return f"{{\n{_properties(schema, indent + _INDENT)}\n{' ' * indent}}}"
    return {"integer": "number"}.get(name, name) or "any"


def _choice(choice: object, type_name: str) -> str:
    if type_name in ("integer", "number") and isinstance(choice, str):
        return choice
    return json.dumps(choice, ensure_ascii=False)


FUNCTION_TOKENS = 7
FUNCTION_TOKENS_CL100K = 10
"""Tokens for each function: for the GPT-4o family, and for GPT-4 and GPT-3.5."""

PROPERTIES_TOKENS = 3
PROPERTY_TOKENS = 3
ENUM_TOKENS = -3
ENUM_ITEM_TOKENS = 3
END_TOKENS = 12
RENDERING_TOKENS = 9
SYSTEM_TOKENS = -4
"""If there is a system message, the rendering is in it rather than in a message of its own."""

NO_TOOL_TOKENS = 1
FORCED_TOOL_TOKENS = 4
"""Tokens for the choice of no tool, and for the choice of one by name, in addition to those of the name."""

UNSURE_TOKENS = 10
"""Maximum error of the count of a nested tool, in tokens: the largest error on measured tools."""

SYSTEM_ROLES = ("system", "developer")

COOKBOOK_NOTE = "Tools are counted by the rule in OpenAI's cookbook."
RENDERING_NOTE = (
    "Tools are counted as hmarr/openai-chat-tokens and gpt-tokenizer render them: OpenAI's cookbook only covers tools "
    "that are not nested, and described with all their parameters."
)


class ToolsCount(NamedTuple):
    """Token count of tools, its grade, and a note that names the rule used.

    ``pads_system``: True if the first system message is counted with a line end after it, as the rendering requires.
    """

    tokens: int
    grade: Grade
    note: str = ""
    pads_system: bool = False


def tools_tokens(request: Request, encoding: str, count: Callable[[str], int]) -> ToolsCount:
    """Return the token count of a request's tools and of its tool choice.

    ``encoding``: name of the encoding that ``count`` uses.
    """
    tools = request.tools
    if not tools:
        return ToolsCount(0, "formula")
    chosen = _choice_tokens(request, count)
    if all(_is_described(tool) for tool in tools):
        return ToolsCount(chosen + _by_cookbook(tools, encoding, count), "formula", COOKBOOK_NOTE)
    has_system = any(message.role in SYSTEM_ROLES for message in request.messages)
    tokens = count(rendered(tools)) + RENDERING_TOKENS + SYSTEM_TOKENS * has_system
    is_flat = all(_is_flat(tool) for tool in tools)
    return ToolsCount(chosen + tokens, "formula" if is_flat else "estimate", RENDERING_NOTE, True)


def _choice_tokens(request: Request, count: Callable[[str], int]) -> int:
    """Return the tokens of the tool choice. Source: gpt-tokenizer. The cost of ``required`` is not published."""
    if request.forced_tool:
        return FORCED_TOOL_TOKENS + count(request.forced_tool)
    return NO_TOOL_TOKENS if request.tool_choice == "none" else 0


def _by_cookbook(tools: Sequence[Tool], encoding: str, count: Callable[[str], int]) -> int:
    total = END_TOKENS
    for tool in tools:
        total += FUNCTION_TOKENS_CL100K if encoding == "cl100k_base" else FUNCTION_TOKENS
        total += count(f"{tool.name}:{tool.description.removesuffix('.')}")
        properties = properties_of(tool.parameters)
        if properties:
            total += PROPERTIES_TOKENS
        for name, schema in properties.items():
            total += PROPERTY_TOKENS
            if "enum" in schema:
                total += ENUM_TOKENS
                total += sum(ENUM_ITEM_TOKENS + count(str(item)) for item in choices_of(schema))
            description = text_of(schema, "description").removesuffix(".")
            total += count(f"{name}:{type_of(schema)}:{description}")
    return total


def _is_described(tool: Tool) -> bool:
    """Return whether a tool is of the kind on which the cookbook was measured."""
    properties = properties_of(tool.parameters)
    described = all(text_of(schema, "description") for schema in properties.values())
    return bool(tool.description and properties and described) and _is_flat(tool)


def _is_flat(tool: Tool) -> bool:
    return all(_is_plain(schema) for schema in properties_of(tool.parameters).values())


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return not {"properties", "items", "anyOf", "oneOf", "allOf", "$ref"} & set(schema)


# --- chat models ------------------------------------------------------------------------------------------------------


MESSAGE, MESSAGE_SEPARATOR, MESSAGE_END = "<|im_start|>", "<|im_sep|>", "<|im_end|>"


def render_chat(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    tools = tools_tokens(request, around.encoding, around.count)
    padded = _first_system(request) if tools.pads_system else None
    for number, message in enumerate(request.messages):
        yield from _chat_header(message, number)
        yield written(message.content, number)
        if number == padded and message.content and not message.content.endswith("\n"):
            yield overhead("\n", number)
        yield from _chat_calls(message, number, around.count)
        yield overhead(MESSAGE_END, number)
    if request.tools:
        listed = json_text([tool.as_json() for tool in request.tools])
        spread = UNSURE_TOKENS * len(request.tools) if tools.grade == "estimate" else 0
        yield Piece(
            *("tools", listed, False, tools.tokens, -1, tools.grade, tools.note),
            less=min(spread, tools.tokens),
            more=spread,
        )
    yield overhead(f"{MESSAGE}assistant{MESSAGE_SEPARATOR}")


def _first_system(request: Request) -> int | None:
    indices = (number for number, message in enumerate(request.messages) if message.role in SYSTEM_ROLES)
    return next(indices, None)


def _chat_header(message: Message, number: int) -> Iterator[Piece]:
    name = Piece("overhead", message.name, by_template=False, message=number)
    if message.role == "function" and message.name:
        yield overhead(MESSAGE, number)
        yield name
    else:
        yield overhead(f"{MESSAGE}{message.role}", number)
        if message.name:
            yield Piece("overhead", " name=", tokens=1, message=number)
            yield name
    yield overhead(MESSAGE_SEPARATOR, number)


def _chat_calls(message: Message, number: int, count: Callable[[str], int]) -> Iterator[Piece]:
    """Yield the pieces of a message's calls. The cost of ``tool_calls`` is not published: they are counted like a
    ``function_call``, which has no ID. The range allows for the ID with a mark on each side of it."""
    for call in message.tool_calls:
        grade: Grade = "estimate" if call.call_id else "formula"
        less, more = (2, count(call.call_id) + 2) if call.call_id else (0, 0)
        yield Piece("overhead", " to=functions.", True, 2, number, grade, less=less, more=more)
        yield written(call.name, number)
        yield Piece("overhead", " ", tokens=1, message=number, grade=grade)
        yield written(call.arguments, number)


CHAT = Template(
    key="openai",
    label="OpenAI chat (formula)",
    render=render_chat,
    encoding="o200k_base",
    other_encodings=frozenset({"cl100k_base"}),
    special=frozenset((MESSAGE, MESSAGE_SEPARATOR, MESSAGE_END)),
    grade="formula",
    tools="formula",
    images="gpt-4o",
    remark="OpenAI does not publish how messages are encoded. The formula is its own and, as it says, approximate.",
    source="OpenAI cookbook, How to count tokens with tiktoken",
)


# --- harmony ----------------------------------------------------------------------------------------------------------


START, CHANNEL, CONSTRAIN, BODY = "<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"
END, CALL = "<|end|>", "<|call|>"


def render_harmony(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request. Instructions and tools go into one developer message."""
    yield overhead(f"{START}system{BODY}{system_text(around.today, bool(request.tools))}{END}")
    yield from _developer(request)
    called = {call.call_id: call.name for message in request.messages for call in message.tool_calls}
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            continue
        if message.role == "tool":
            yield overhead(f"{START}", number)
            yield written(f"functions.{message.name or called.get(message.call_id, '')}", number)
            yield overhead(f" to=assistant{CHANNEL}commentary{BODY}", number)
        elif message.role == "assistant":
            yield from _harmony_calls(message, number)
            if message.tool_calls and not message.content:
                continue
            yield overhead(f"{START}assistant{CHANNEL}final{BODY}", number)
        else:
            yield overhead(f"{START}{message.role}{BODY}", number)
        yield written(message.content, number)
        yield overhead(END, number)
    if request.awaits_reply:
        yield overhead(f"{START}assistant")


def system_text(today: date, with_tools: bool) -> str:
    """Return the standard system message for a date."""
    text = (
        "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
        f"Current date: {today.isoformat()}\n\nReasoning: medium\n\n"
        "# Valid channels: analysis, commentary, final. Channel must be included for every message."
    )
    return f"{text}\nCalls to these tools must go to the commentary channel: 'functions'." if with_tools else text


def _developer(request: Request) -> Iterator[Piece]:
    instructions = [
        (number, message.content)
        for number, message in enumerate(request.messages)
        if message.role in ("system", "developer")
    ]
    if not instructions and not request.tools:
        return
    yield overhead(f"{START}developer{BODY}")
    for index, (number, content) in enumerate(instructions):
        yield overhead("\n\n" if index else "# Instructions\n\n", number)
        yield written(content, number)
    if request.tools:
        if instructions:
            yield overhead("\n\n")
        yield tools_text(f"# Tools\n\n## functions\n\n{namespace(request.tools)}")
    yield overhead(END)


def _harmony_calls(message: Message, number: int) -> Iterator[Piece]:
    for call in message.tool_calls:
        yield overhead(f"{START}assistant{CHANNEL}commentary to=functions.", number)
        yield written(call.name, number)
        yield overhead(f" {CONSTRAIN}json{BODY}", number)
        yield written(call.arguments, number)
        yield overhead(CALL, number)


HARMONY = Template(
    key="harmony",
    label="Harmony (gpt-oss)",
    render=render_harmony,
    encoding="o200k_harmony",
    special=frozenset((START, CHANNEL, CONSTRAIN, BODY, END, CALL)),
    grade="exact",
    tools="exact",
    remark="With the standard system message, which contains the date and asks for medium reasoning.",
    source="openai/harmony, docs/format.md",
)

"""ChatML as open models use it, and Qwen's form of it.

ChatML: a line with the role, the content, an end mark and a newline. Source: the chat template named ``chatml`` in
Hugging Face's libraries.

Qwen 3 (and 2.5, except for its thinking blocks and its standard system message). Source: the chat template of Qwen 3.
Thinking before the last user message is removed from earlier replies; a reply that ends the request begins with an
empty thinking block.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Message, Piece, Request

START, END = "<|im_start|>", "<|im_end|>"


def render_chatml(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    if request.tools:
        yield overhead(f"{START}system\n")
        yield tools_text("\n".join(json_text(tool.as_json()) for tool in request.tools))
        yield overhead(f"{END}\n")
    for number, message in enumerate(request.messages):
        yield overhead(f"{START}{message.role}\n", number)
        yield written(message.content, number)
        for call in message.tool_calls:
            yield overhead("\n", number)
            yield written(json_text({"name": call.name, "arguments": call.arguments}), number)
        yield overhead(f"{END}\n", number)
    if request.awaits_reply:
        yield overhead(f"{START}assistant\n")


CHATML = Template(
    key="chatml",
    label="ChatML",
    render=render_chatml,
    encoding="qwen",
    special=frozenset((START, END)),
    grade="exact",
    tools="estimate",
    remark="ChatML does not define tools: they are counted as JSON in a separate system message.",
    source="Hugging Face chat templates, chatml",
)


# --- Qwen -------------------------------------------------------------------------------------------------------------


TOOLS_LEAD = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
TOOLS_END = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)
THOUGHT_END = "</think>"


def render_qwen(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    messages = request.messages
    yield from _system(request)
    last_query = max((at for at, message in enumerate(messages) if message.role == "user"), default=len(messages) - 1)
    for number, message in enumerate(messages):
        if message.role == "tool":
            yield from _answer(messages, number)
        elif message.role == "assistant":
            yield overhead(f"{START}assistant\n", number)
            yield from _reply(message, number, number > last_query, number == len(messages) - 1)
            yield overhead(f"{END}\n", number)
        elif number or message.role != "system":
            yield overhead(f"{START}{message.role}\n", number)
            yield written(message.content, number)
            yield overhead(f"{END}\n", number)
    if request.awaits_reply:
        yield overhead(f"{START}assistant\n")


def _system(request: Request) -> Iterator[Piece]:
    has_system = bool(request.messages) and request.messages[0].role == "system"
    if not has_system and not request.tools:
        return
    yield overhead(f"{START}system\n")
    if has_system:
        yield written(request.messages[0].content, 0)
    if request.tools:
        if has_system:
            yield overhead("\n\n")
        # The tags around calls are special tokens of this vocabulary, and the template writes them as such.
        yield Piece("tools", TOOLS_LEAD)
        for tool in request.tools:
            yield tools_text(f"\n{json_text(tool.as_json())}")
        yield Piece("tools", TOOLS_END)
    yield overhead(f"{END}\n")


def _reply(message: Message, number: int, is_current: bool, is_last: bool) -> Iterator[Piece]:
    content = message.content
    if THOUGHT_END in content:
        thought, _, content = content.rpartition(THOUGHT_END)
        content = content.lstrip("\n")
        thought = thought.split(THOUGHT_END)[0].rstrip("\n").split("<think>")[-1].lstrip("\n")
    else:
        thought = ""
    if is_current and (is_last or thought):
        yield overhead("<think>\n", number)
        yield written(thought.strip("\n"), number)
        yield overhead("\n</think>\n\n", number)
        content = content.lstrip("\n")
    yield written(content, number)
    for index, call in enumerate(message.tool_calls):
        lead = "\n" if index or content else ""
        yield overhead(f'{lead}<tool_call>\n{{"name": "', number)
        yield written(call.name, number)
        yield overhead('", "arguments": ', number)
        yield written(call.arguments, number)
        yield overhead("}\n</tool_call>", number)


def _answer(messages: tuple[Message, ...], number: int) -> Iterator[Piece]:
    """Yield a tool result. Consecutive results form one user message."""
    if number == 0 or messages[number - 1].role != "tool":
        yield overhead(f"{START}user", number)
    yield overhead("\n<tool_response>\n", number)
    yield written(messages[number].content, number)
    yield overhead("\n</tool_response>", number)
    if number == len(messages) - 1 or messages[number + 1].role != "tool":
        yield overhead(f"{END}\n", number)


QWEN = Template(
    key="qwen",
    label="Qwen 3",
    render=render_qwen,
    encoding="qwen",
    special=frozenset((START, END)),
    grade="exact",
    tools="exact",
    source="the chat template of Qwen 3",
)

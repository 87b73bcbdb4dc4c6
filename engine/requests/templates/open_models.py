"""Templates of open models that have marks of their own: DeepSeek, Llama 3 and Mistral.

DeepSeek V3. Source: its chat template. From V3.1 on, an end of thinking follows the mark of each reply, one token more.

Llama 3, and Llama 3.1 and later with their dates. Sources: meta-llama/llama3, llama/tokenizer.py (ChatFormat), which
strips contents; the chat templates of Llama 3.1, which put tools into the first user message, dates into a system
message, and write tool results as JSON.

Mistral's instruct models with the Tekken vocabulary, version 7 of their format. Source: mistral-common,
tokens/tokenizers/instruct.py (InstructTokenizerV7): no whitespace around marks, tools before the last user message, an
end mark after each reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Message, Piece, Request

# --- DeepSeek ---------------------------------------------------------------------------------------------------------


TEXT_BEGIN, TEXT_END = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
USER, ASSISTANT = "<｜User｜>", "<｜Assistant｜>"
CALLS, CALLS_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, CALL_SEPARATOR, CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
OUTPUTS, OUTPUTS_END = "<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"
OUTPUT, OUTPUT_END = "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"


def render_deepseek(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request. All system messages are moved to the beginning."""
    yield overhead(TEXT_BEGIN)
    has_system = False
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            if has_system:
                yield overhead("\n\n", number)
            has_system = True
            yield written(message.content, number)
    if request.tools:
        yield tools_text("\n\n" + "\n".join(json_text(tool.as_json()) for tool in request.tools))
    for number, message in enumerate(request.messages):
        if message.role == "assistant":
            yield from _deepseek_reply(message, number, number > 0 and request.messages[number - 1].role == "tool")
        elif message.role == "tool":
            yield from _deepseek_answer(request.messages, number)
        elif message.role not in ("system", "developer"):
            yield overhead(USER, number)
            yield written(message.content, number)
    if request.awaits_reply and not (request.messages and request.messages[-1].role == "tool"):
        yield overhead(ASSISTANT)


def _deepseek_reply(message: Message, number: int, after_tool: bool) -> Iterator[Piece]:
    if not after_tool:
        yield overhead(ASSISTANT, number)
    yield written(message.content.rpartition("</think>")[2], number)
    for index, call in enumerate(message.tool_calls):
        yield overhead(f"{'' if index else CALLS}{CALL}function{CALL_SEPARATOR}", number)
        yield written(call.name, number)
        yield overhead("\n```json\n", number)
        yield written(call.arguments, number)
        yield overhead(f"\n```{CALL_END}", number)
    yield overhead(f"{CALLS_END if message.tool_calls else ''}{TEXT_END}", number)


def _deepseek_answer(messages: tuple[Message, ...], number: int) -> Iterator[Piece]:
    first = number == 0 or messages[number - 1].role != "tool"
    last = number == len(messages) - 1 or messages[number + 1].role != "tool"
    yield overhead(f"{OUTPUTS if first else ''}{OUTPUT}", number)
    yield written(messages[number].content, number)
    yield overhead(f"{OUTPUT_END}{OUTPUTS_END if last else ''}", number)


DEEPSEEK = Template(
    key="deepseek",
    label="DeepSeek V3",
    render=render_deepseek,
    encoding="deepseek",
    special=frozenset(
        (
            *(TEXT_BEGIN, TEXT_END, USER, ASSISTANT),
            *(CALLS, CALLS_END, CALL, CALL_SEPARATOR, CALL_END),
            *(OUTPUTS, OUTPUTS_END, OUTPUT, OUTPUT_END),
        )
    ),
    grade="exact",
    tools="estimate",
    remark="This template does not define tools: they are counted as JSON after the system message.",
    source="the chat template of DeepSeek V3",
)


# --- Llama 3 ----------------------------------------------------------------------------------------------------------


LLAMA_BEGIN, HEAD, HEAD_END, TURN_END = "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"

TOOLS_LEAD = (
    "Given the following functions, please respond with a JSON for a function call with its proper arguments that best "
    'answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of argument '
    "name and its value}. Do not use variables.\n\n"
)
TOOLS_SYSTEM = (
    "You are a helpful assistant with tool calling capabilities. Only reply with a tool call if the function exists in "
    "the library provided by the user. If it doesn't exist, just reply directly in natural language. When you receive "
    "a tool call response, use the output to format an answer to the original user question."
)
DATES = "Cutting Knowledge Date: December 2023\nToday Date: "
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def render_llama3(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request in the form of Llama 3."""
    yield overhead(LLAMA_BEGIN)
    yield from _llama_messages(request, 0)


def render_llama3_dated(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request in the form of Llama 3.1, with its system message."""
    yield overhead(LLAMA_BEGIN)
    has_system = bool(request.messages) and request.messages[0].role == "system"
    environment = "Environment: ipython\n" if request.tools else ""
    yield overhead(f"{_llama_header('system')}{environment}{DATES}{_day(around.today)}\n\n")
    if has_system:
        yield written(request.messages[0].content.strip(), 0)
    elif request.tools:
        yield tools_text(TOOLS_SYSTEM)
    yield overhead(TURN_END)
    yield from _llama_messages(request, 1 if has_system else 0)


def _llama_messages(request: Request, first: int) -> Iterator[Piece]:
    tools_left = bool(request.tools)
    for number, message in enumerate(request.messages[first:], first):
        yield overhead(_llama_header("ipython" if message.role == "tool" else message.role), number)
        if tools_left and message.role == "user":
            tools_left = False
            definitions = "".join(f"{json_text(tool.as_json(), 4)}\n\n" for tool in request.tools)
            yield tools_text(TOOLS_LEAD + definitions, number)
        yield from _llama_content(message, number)
        yield overhead(TURN_END, number)
    if request.awaits_reply:
        yield overhead(_llama_header("assistant"))


def _llama_content(message: Message, number: int) -> Iterator[Piece]:
    if message.role == "tool":
        yield written(json_text({"output": message.content}), number)
        return
    yield written(message.content.strip(), number)
    for call in message.tool_calls:
        yield overhead('{"name": "', number)
        yield written(call.name.strip(), number)
        yield overhead('", "parameters": ', number)
        yield written(call.arguments, number)
        yield overhead("}", number)


def _llama_header(role: str) -> str:
    return f"{HEAD}{role}{HEAD_END}\n\n"


def _day(day: date) -> str:
    """Return a date like 26 Jul 2024, in every locale."""
    return f"{day.day:02d} {MONTHS[day.month - 1]} {day.year}"


LLAMA3 = Template(
    key="llama3",
    label="Llama 3",
    render=render_llama3,
    encoding=None,
    special=frozenset((LLAMA_BEGIN, HEAD, HEAD_END, TURN_END)),
    grade="exact",
    tools="estimate",
    remark="Llama 3 does not define tools: they are counted as in Llama 3.1. Its vocabulary is not bundled.",
    source="meta-llama/llama3, llama/tokenizer.py",
)
LLAMA3_DATED = Template(
    key="llama3.1",
    label="Llama 3.1 and later",
    render=render_llama3_dated,
    encoding=None,
    special=LLAMA3.special,
    grade="exact",
    tools="exact",
    remark="The system message contains the date. The vocabulary is not bundled.",
    source="the chat template of Llama 3.1",
)


# --- Mistral ----------------------------------------------------------------------------------------------------------


BOS, EOS = "<s>", "</s>"
SYSTEM, SYSTEM_END = "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"
INST, INST_END = "[INST]", "[/INST]"
TOOLS, TOOLS_END = "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"
TOOL_CALLS = "[TOOL_CALLS]"
RESULTS, RESULTS_END = "[TOOL_RESULTS]", "[/TOOL_RESULTS]"


def render_mistral(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request."""
    yield overhead(BOS)
    last_query = max((at for at, message in enumerate(request.messages) if message.role == "user"), default=-1)
    for number, message in enumerate(request.messages):
        if message.role in ("system", "developer"):
            yield overhead(SYSTEM, number)
            yield written(message.content, number)
            yield overhead(SYSTEM_END, number)
        elif message.role == "assistant":
            yield from _mistral_reply(message, number)
        elif message.role == "tool":
            yield overhead(f'{RESULTS}{{"content": ', number)
            yield written(json_text(message.content), number)
            yield overhead(', "call_id": ', number)
            yield written(json_text(message.call_id), number)
            yield overhead(f"}}{RESULTS_END}", number)
        else:
            if request.tools and number == last_query:
                yield Piece("tools", TOOLS)
                yield tools_text(json_text([tool.as_json() for tool in request.tools]))
                yield Piece("tools", TOOLS_END)
            yield overhead(INST, number)
            yield written(message.content, number)
            yield overhead(INST_END, number)


def _mistral_reply(message: Message, number: int) -> Iterator[Piece]:
    yield written(message.content, number)
    if message.tool_calls:
        yield overhead(f"{TOOL_CALLS}[", number)
    for index, call in enumerate(message.tool_calls):
        yield overhead(f'{", " if index else ""}{{"name": ', number)
        yield written(json_text(call.name), number)
        yield overhead(', "arguments": ', number)
        yield written(call.arguments, number)
        yield overhead(', "id": ', number)
        yield written(json_text(call.call_id), number)
        yield overhead("}", number)
    yield overhead(f"]{EOS}" if message.tool_calls else EOS, number)


MISTRAL = Template(
    key="mistral",
    label="Mistral (Tekken, V7)",
    render=render_mistral,
    encoding="tekken",
    special=frozenset(
        (BOS, EOS, SYSTEM, SYSTEM_END, INST, INST_END, TOOLS, TOOLS_END, TOOL_CALLS, RESULTS, RESULTS_END)
    ),
    grade="exact",
    tools="exact",
    source="mistral-common, InstructTokenizerV7",
)

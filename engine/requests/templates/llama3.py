"""Llama 3, and Llama 3.1 and later with their dates.

Sources: meta-llama/llama3, llama/tokenizer.py (ChatFormat), which strips contents; the chat templates of Llama 3.1,
which put tools into the first user message, dates into a system message, and write tool results as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.requests.template import Surroundings, Template, json_text, overhead, tools_text, written
from engine.requests.types import Message, Piece, Request

BEGIN, HEAD, HEAD_END, END = "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"

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


def render(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request in the form of Llama 3."""
    yield overhead(BEGIN)
    yield from _messages(request, 0)


def render_dated(request: Request, around: Surroundings) -> Iterator[Piece]:
    """Yield the pieces of a request in the form of Llama 3.1, with its system message."""
    yield overhead(BEGIN)
    has_system = bool(request.messages) and request.messages[0].role == "system"
    environment = "Environment: ipython\n" if request.tools else ""
    yield overhead(f"{_header('system')}{environment}{DATES}{_day(around.today)}\n\n")
    if has_system:
        yield written(request.messages[0].content.strip(), 0)
    elif request.tools:
        yield tools_text(TOOLS_SYSTEM)
    yield overhead(END)
    yield from _messages(request, 1 if has_system else 0)


def _messages(request: Request, first: int) -> Iterator[Piece]:
    tools_left = bool(request.tools)
    for number, message in enumerate(request.messages[first:], first):
        yield overhead(_header("ipython" if message.role == "tool" else message.role), number)
        if tools_left and message.role == "user":
            tools_left = False
            definitions = "".join(f"{json_text(tool.as_json(), 4)}\n\n" for tool in request.tools)
            yield tools_text(TOOLS_LEAD + definitions, number)
        yield from _content(message, number)
        yield overhead(END, number)
    if request.awaits_reply:
        yield overhead(_header("assistant"))


def _content(message: Message, number: int) -> Iterator[Piece]:
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


def _header(role: str) -> str:
    return f"{HEAD}{role}{HEAD_END}\n\n"


def _day(day: date) -> str:
    """Return a date like 26 Jul 2024, in every locale."""
    return f"{day.day:02d} {MONTHS[day.month - 1]} {day.year}"


TEMPLATE = Template(
    key="llama3",
    label="Llama 3",
    render=render,
    encoding=None,
    special=frozenset((BEGIN, HEAD, HEAD_END, END)),
    grade="exact",
    tools="estimate",
    remark="Llama 3 has no form for tools: they are counted as Llama 3.1 writes them. Its vocabulary is not bundled.",
    source="meta-llama/llama3, llama/tokenizer.py",
)
DATED_TEMPLATE = Template(
    key="llama3.1",
    label="Llama 3.1 and later",
    render=render_dated,
    encoding=None,
    special=TEMPLATE.special,
    grade="exact",
    tools="exact",
    remark="The system message tells the day. The vocabulary is not bundled.",
    source="the chat template of Llama 3.1",
)

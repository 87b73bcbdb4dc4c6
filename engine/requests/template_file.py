"""User chat templates from files: reading, rendering, and attributing the rendered text to user or template.

``read_source`` reads the file: plain Jinja, or Hugging Face's ``tokenizer_config.json`` that contains it.

``TemplateFile`` renders. A template yields a text, not pieces. The spans of user text are found by rendering a second
time with each content between marks (Unicode noncharacters, which do not occur in text): if the marked text without its
marks equals the text, the marks give the spans. A template may inspect contents, though; if the texts differ, the
contents are searched for in the text, one after the other. The text for tools is found by rendering without tools.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.requests.template import Surroundings, Template, json_text
from engine.requests.types import Kind, Message, Piece, Request, TemplateError
from engine.runtime.threads import child_command
from engine.split.special_text import special_token_regex

LARGEST_SOURCE = 1 << 20
"""Maximum size of a file in bytes. Published templates have up to twenty thousand."""

CONFIGURATION = "tokenizer_config.json"
TOKEN_NAMES = ("bos_token", "eos_token", "unk_token", "pad_token")


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """The text of a template, and the special tokens that it receives by name."""

    name: str
    text: str
    tokens: Mapping[str, str]


def read_source(path: Path) -> TemplateSource:
    """Read the template of a file. Tokens come from the ``tokenizer_config.json`` beside it, if there is one. Raises
    TemplateError if the file has no usable template, OSError if it cannot be read."""
    content = _content(path)
    if path.suffix == ".json" or _looks_like_json(content):
        configuration = _configuration(content, path)
        return TemplateSource(path.name, _template_in(configuration, path), _tokens(configuration))
    beside = path.with_name(CONFIGURATION)
    tokens: dict[str, str] = {}
    if beside.is_file():
        try:
            tokens = _tokens(_configuration(_content(beside), beside))
        except TemplateError:  # the file is only needed for the names of tokens
            tokens = {}
    return TemplateSource(path.name, content, tokens)


def _looks_like_json(content: str) -> bool:
    beginning = content.lstrip()[:2]
    return beginning[:1] == "{" and beginning not in ("{%", "{{", "{#", "{-")


def _content(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(LARGEST_SOURCE + 1)
    if len(data) > LARGEST_SOURCE:
        raise TemplateError(f"{path.name}: larger than {LARGEST_SOURCE >> 20} MB, the limit for chat templates")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TemplateError(
            f"{path.name}: not valid UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        ) from None
    if not text.strip():
        raise TemplateError(f"{path.name}: the file is empty")
    return text


def _configuration(content: str, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise TemplateError(f"{path.name}: neither a template nor JSON that contains one") from None
    return document if isinstance(document, dict) else {}


def _template_in(configuration: dict[str, Any], path: Path) -> str:
    """Return the template; of several, the one named ``default``, else the first."""
    found = configuration.get("chat_template")
    if isinstance(found, list):
        named = {
            entry.get("name"): entry.get("template")
            for entry in reversed(found)
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        }
        found = named.get("default", next(reversed(named.values()), None))
    if not isinstance(found, str) or not found:
        raise TemplateError(f"{path.name}: the file has no chat_template")
    return found


def _tokens(configuration: dict[str, Any]) -> dict[str, str]:
    """Return the named special tokens. Each value is a text, or an object that contains one."""
    tokens: dict[str, str] = {}
    for name in TOKEN_NAMES:
        value = configuration.get(name)
        text = value.get("content") if isinstance(value, dict) else value
        if isinstance(text, str) and text:
            tokens[name] = text
    return tokens


OPTION = "--render-templates"
"""Option of the program that starts rendering, because a frozen program has no separate interpreter."""

KEY = "file"
OPEN, BEHIND_NUMBER, CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
MARKED = re.compile(f"{OPEN}([0-9]+){BEHIND_NUMBER}(.*?){CLOSE}", re.DOTALL)

BEGINNINGS = ("<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<bos>", "<s>")
ENDS = ("<|eot_id|>", "<|im_end|>", "<｜end▁of▁sentence｜>", "<eos>", "</s>", "<|endoftext|>")
"""Candidates for ``bos_token`` and ``eos_token`` if no file defines them: the first that the encoding has."""


@dataclass(frozen=True, slots=True)
class _UserSpan:
    """A span of user text in the rendered text: characters ``start`` to ``end``."""

    start: int
    end: int
    message: int


class TemplateFile:
    """A template with a child process that renders it, started by the first request. A context manager that ends the
    process."""

    def __init__(self, source: TemplateSource) -> None:
        self._source = source
        self._child: subprocess.Popen[bytes] | None = None
        self.template = Template(
            key=KEY,
            label=source.name,
            render=self._render,
            encoding=None,
            special=frozenset(source.tokens.values()),
            grade="exact",
            tools="exact",
            source=source.name,
        )

    def __enter__(self) -> TemplateFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child process if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    # --- from request to pieces ---------------------------------------------------------------------------------------

    def _render(self, request: Request, around: Surroundings) -> Iterator[Piece]:
        tokens = _token_names(self._source.tokens, around.special)
        contexts = [_context(request, tokens), _context(request, tokens, marked=True)]
        if request.tools:
            contexts.append(_context(request, tokens, with_tools=False))
        texts = self._texts(contexts, around)
        text = texts[0]
        spans = _marked_spans(texts[1], text)
        if spans is None:
            spans = _found_spans(request, text)
        tools = _difference(text, texts[2], around.special) if request.tools else (0, 0)
        spells = bool(around.special and special_token_regex(around.special).search(_all_tools(request)))
        return _pieces(text, [*spans, *_calls(request, text, spans)], tools, tools_are_plain=spells)

    def _texts(self, contexts: list[dict[str, Any]], around: Surroundings) -> list[str]:
        now = datetime.combine(around.today, datetime.now().time()).isoformat()
        answer = self._ask({"source": self._source.text, "contexts": contexts, "now": now})
        if "error" in answer:
            where = f", line {answer['line']}" if answer["line"] else ""
            raise TemplateError(f"{self._source.name}{where}: {answer['error']}")
        texts: list[str] = answer["texts"]
        return texts

    def _ask(self, order: Mapping[str, Any]) -> dict[str, Any]:
        child = self._child = self._child or _start()
        assert child.stdin is not None
        assert child.stdout is not None
        line = b""
        with contextlib.suppress(OSError):
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
            line = child.stdout.readline()
        if not line.endswith(b"\n"):
            self.close()
            raise TemplateError(f"{self._source.name}: it takes too much time or memory")
        answer: dict[str, Any] = json.loads(line)
        return answer


_NEEDED = frozenset({"PYTHONPATH", "PYTHONHOME", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "_MEIPASS2"})
"""Environment variables without which an interpreter may not start."""


def _without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.upper() in _NEEDED}


def _start() -> subprocess.Popen[bytes]:
    command, environment = child_command("engine.requests.template_child", OPTION, ())
    try:
        return subprocess.Popen(
            command,
            env=_without_secrets(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # only on Windows
        )
    except OSError as error:
        raise TemplateError(f"templates cannot be rendered here: {error.strerror or error}") from error


# --- the context of a template ----------------------------------------------------------------------------------------


def _context(
    request: Request, tokens: Mapping[str, str], *, marked: bool = False, with_tools: bool = True
) -> dict[str, Any]:
    messages = [_message(message, number if marked else None) for number, message in enumerate(request.messages)]
    context: dict[str, Any] = {"messages": messages, "add_generation_prompt": request.awaits_reply, **tokens}
    context["tools"] = [tool.as_json() for tool in request.tools] if request.tools and with_tools else None
    return context


def _message(message: Message, number: int | None) -> dict[str, Any]:
    """Return a message as Hugging Face passes it. ``number``: marks its content with this index; None adds no marks."""
    content = message.content
    core = content.strip()
    if number is not None and core:
        before, _, after = content.partition(core)
        content = f"{before}{OPEN}{number}{BEHIND_NUMBER}{core}{CLOSE}{after}"
    made: dict[str, Any] = {"role": message.role, "content": content}
    if message.name:
        made["name"] = message.name
    if message.call_id:
        made["tool_call_id"] = message.call_id
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return made


def _arguments(text: str) -> Any:
    """Return the arguments as an object if the text is one, as templates expect."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _token_names(given: Mapping[str, str], special: frozenset[str]) -> dict[str, str]:
    found = {
        "bos_token": next((text for text in BEGINNINGS if text in special), ""),
        "eos_token": next((text for text in ENDS if text in special), ""),
    }
    return found | dict(given)


# --- attribution of text ----------------------------------------------------------------------------------------------


def _marked_spans(marked: str, text: str) -> list[_UserSpan] | None:
    """Return the spans of contents by their marks; None if the marks changed other text."""
    spans: list[_UserSpan] = []
    parts: list[str] = []
    offset = size = 0
    for match in MARKED.finditer(marked):
        parts += [marked[offset : match.start()], match[2]]
        size += match.start() - offset
        spans.append(_UserSpan(size, size + len(match[2]), int(match[1])))
        size += len(match[2])
        offset = match.end()
    return spans if "".join([*parts, marked[offset:]]) == text else None


def _found_spans(request: Request, text: str) -> list[_UserSpan]:
    """Return the spans of contents by searching for them in order."""
    spans: list[_UserSpan] = []
    offset = 0
    for number, message in enumerate(request.messages):
        core = message.content.strip()
        start = text.find(core, offset) if core else -1
        if start >= 0:
            offset = start + len(core)
            spans.append(_UserSpan(start, offset, number))
    return spans


def _calls(request: Request, text: str, taken: list[_UserSpan]) -> list[_UserSpan]:
    """Return the spans of call arguments, outside of the spans in ``taken``."""
    ends = {span.message: span.end for span in taken}
    beginnings = sorted(span.start for span in taken)
    spans: list[_UserSpan] = []
    offset = 0
    for number, message in enumerate(request.messages):
        offset = max(offset, ends.get(number, 0))
        for call in message.tool_calls:
            following = bisect_left(beginnings, offset)
            stop = beginnings[following] if following < len(beginnings) else len(text)
            for spelling in (call.arguments, json_text(_arguments(call.arguments))):
                start = text.find(spelling, offset, stop) if spelling else -1
                if start >= 0:
                    offset = start + len(spelling)
                    spans.append(_UserSpan(start, offset, number))
                    break
    return spans


def _difference(text: str, without: str, special: frozenset[str]) -> tuple[int, int]:
    """Return the span of ``text`` that is missing in ``without``, from their common start and end, without splitting a
    special token."""
    start = _same(text, without)
    room = min(len(text), len(without)) - start
    end = len(text) - _same(text[len(text) - room :][::-1], without[len(without) - room :][::-1])
    found = list(special_token_regex(special).finditer(text)) if special else []
    for match in found:
        back = end - match.start()
        if match.start() < end < match.end() and text[max(0, start - back) : start] == text[match.start() : end]:
            # E.g. "<tools>" before "<b>": without the tools, the text continues with the same bracket.
            start, end = start - back, match.start()
    for match in reversed(found):
        if match.end() == end and start >= len(match[0]) and text[start - len(match[0]) : start] == match[0]:
            start, end = start - len(match[0]), match.start()  # the framing of tools begins with a special token
    for match in found:
        if match.start() < start < match.end():
            start = match.start()
        if match.start() < end < match.end():
            end = match.end()
    return start, end


def _same(one: str, other: str) -> int:
    """Return the number of equal characters at the start."""
    different = (offset for offset, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(different, min(len(one), len(other)))


def _all_tools(request: Request) -> str:
    return json_text([tool.as_json() for tool in request.tools])


def _pieces(text: str, spans: list[_UserSpan], tools: tuple[int, int], *, tools_are_plain: bool) -> Iterator[Piece]:
    offset = 0
    for span in sorted(spans, key=lambda one: one.start):
        yield from _framing(text, offset, span.start, tools, tools_are_plain)
        yield Piece("text", text[span.start : span.end], by_template=False, message=span.message)
        offset = span.end
    yield from _framing(text, offset, len(text), tools, tools_are_plain)


def _framing(text: str, start: int, end: int, tools: tuple[int, int], tools_are_plain: bool) -> Iterator[Piece]:
    """Yield the template text from ``start`` to ``end``, of which a part may be for tools."""
    first, last = (min(max(start, offset), end) for offset in tools)
    parts: tuple[tuple[Kind, int, int], ...] = (
        ("overhead", start, first),
        ("tools", first, last),
        ("overhead", last, end),
    )
    for kind, begin, stop in parts:
        if begin < stop:
            yield Piece(kind, text[begin:stop], by_template=kind == "overhead" or not tools_are_plain)

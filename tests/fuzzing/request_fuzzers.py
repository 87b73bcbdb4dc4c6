"""Bodies of requests, files of them, images, and chat templates."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import engine
from engine.errors import EngineError
from engine.requests.bodies.reader import read_body
from engine.requests.counting import RequestCounter
from engine.requests.images import RULES, count_image, size_in_data_url, size_of_file
from engine.requests.lines import RequestLines
from engine.requests.template_file import TemplateFile, read_source
from engine.requests.templates import TEMPLATES
from engine.requests.types import Image, Message, Request
from tests.engine.library.formats.damage import worse_bytes
from tests.engine.requests import test_bodies as bodies
from tests.engine.requests.samples import WEATHER, WEATHER_TOOL
from tests.engine.requests.test_images import FILES
from tests.engine.requests.test_template_file import CHATML, TOOLS
from tests.fuzzing.damage import worse_json, worse_lines
from tests.fuzzing.judging import Fuzzer

BODIES = {
    "OpenAI chat": bodies.CHAT,
    "OpenAI responses": bodies.RESPONSES,
    "Anthropic": bodies.ANTHROPIC,
    "Gemini": bodies.GEMINI,
}


def counter(template: str = "openai") -> RequestCounter:
    return RequestCounter(TEMPLATES[template], engine.get_encoding("o200k_base"))


def body_of(api: str) -> Callable[[Path], Sequence[bytes]]:
    return lambda _folder: [json.dumps(BODIES[api]).encode(), json.dumps(BODIES[api], indent=1).encode()]


def feed_body(content: bytes, _folder: Path) -> None:
    """Read and counted, as by the panel."""
    read = read_body(content)
    counter().tally(read.request)
    counter("chatml").tally(read.request)


def lines(_folder: Path) -> Sequence[bytes]:
    """A batch file with a line of each API."""
    wrapped = [{"custom_id": "a", "method": "POST", "url": "/v1", "body": BODIES["OpenAI chat"]}]
    wrapped += [{"custom_id": "b", "params": BODIES["Anthropic"]}, {"key": "c", "request": BODIES["Gemini"]}]
    return [b"\n".join(json.dumps(line).encode() for line in wrapped)]


def feed_lines(content: bytes, _folder: Path) -> Iterator[str]:
    """As a file of many."""
    counting = RequestLines(io.BytesIO(content), counter().tally)
    while not counting.done:
        counting.advance(1.0)
    report = counting.report()
    assert report.counted + report.n_malformed == report.lines
    for one in report.malformed:
        yield one.why


def templates(_folder: Path) -> Sequence[bytes]:
    """Jinja as such, and within the configuration of Hugging Face."""
    configuration = {"chat_template": TOOLS, "bos_token": "<s>", "eos_token": {"content": "</s>"}}
    several = {"chat_template": [{"name": "default", "template": CHATML}, {"name": "tool_use", "template": TOOLS}]}
    return [CHATML.encode(), TOOLS.encode(), json.dumps(configuration).encode(), json.dumps(several).encode()]


REQUEST = Request((*WEATHER.messages, Message("assistant", "a<|im_end|>"), Message("user", "é")), (WEATHER_TOOL,))


def feed_template(content: bytes, folder: Path) -> None:
    """Rendered in its own process."""
    path = folder / "own.jinja"
    path.write_bytes(content)
    with TemplateFile(read_source(path)) as file:
        RequestCounter(file.template, engine.get_encoding("qwen")).count(REQUEST)


def images(_folder: Path) -> Sequence[bytes]:
    return [content for content, _ in FILES.values()]


def feed_image(content: bytes, folder: Path) -> Iterator[str]:
    """As a file, and within a body: its size is the same, and one of something."""
    path = folder / "image"
    path.write_bytes(content)
    size = size_of_file(path)
    assert size == size_in_data_url("data:image/png;base64," + base64.b64encode(content).decode())
    if size is None:
        yield "it is no image"
    else:
        assert min(size) > 0
        assert all(count_image(Image(*size), rule).tokens > 0 for rule in RULES)


FUZZERS = {
    "images": Fuzzer(images, (worse_bytes,), feed_image),
    **{
        f"bodies, {api}": Fuzzer(
            body_of(api), (worse_json, worse_json, worse_json, worse_bytes), feed_body, (EngineError,)
        )
        for api in BODIES
    },
    "bodies, JSONL": Fuzzer(lines, (worse_bytes, worse_lines), feed_lines),
    "templates": Fuzzer(templates, (worse_bytes, worse_lines, worse_json), feed_template, (EngineError,), "own.jinja"),
}

"""Jobs of the page Chat: counting the newest draft, reading and counting files of requests, and sizes of images."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gui.core.model_counts import RequestTokens
from gui.editor.offsets import document_text, stored_to_document
from gui.runtime.jobs import JobCancelled, Ticket

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.requests.bodies.reader import ReadBody
    from engine.requests.lines import LineCount, LinesReport, RequestLines
    from engine.requests.template import Template
    from engine.requests.types import CountedRequest, Grade, Image, Kind, Message, Request, SpecialText, Tally, Tool
    from engine.text.offsets import ByteMap
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding

MAX_SHOWN = 1_000_000
"""Maximum size of the rendered request shown, in UTF-8 bytes. All of it is counted."""
SLICE_SECONDS = 0.05
BODY_BYTES = 64 << 20
"""Maximum size of a body read as one request, in bytes. A larger file is read line by line, or not at all."""


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """Request as edited on the page.

    ``tools``: JSON text; ``tool_choice`` and ``forced_tool`` as in ``Request``. ``template``: a key; with
    ``template_file``, that file's template. ``image_rule``: empty for the model's rule. ``is_complete``: False if parts
    of the body it was read from are omitted. ``watched``: pairs of template key and encoding that the request is also
    counted with, for the models of the cost table; ``template_file`` replaces those templates.
    """

    revision: int
    messages: tuple[Message, ...]
    tools: str
    template: str
    template_file: Path | None
    encoding: str
    image_rule: str
    model: str
    watched: tuple[tuple[str, str], ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    forced_tool: str = ""
    is_complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class RequestPiece:
    """Span of the text shown, in UTF-16 offsets, with its kind."""

    start: int
    end: int
    kind: Kind
    message: int
    tokens: int | None


@dataclass(frozen=True, slots=True, eq=False)
class RequestReply:
    """Counts of a draft.

    ``text`` is the rendered request as an editor holds it, truncated if it is long, and ``patch`` its tokens.
    ``message_tokens``, ``message_grades``: tokens of each message, and the grade of that count. ``tool_names``: names
    of the tools counted. ``tallies``: counts of the whole request for each watched template and encoding.
    ``tools_problem``, ``problem``: a sentence each, empty if there is no problem; if ``tally`` is None, ``problem`` is
    set.
    """

    draft: RequestDraft
    tally: Tally | None = None
    text: str = ""
    patch: TokenPatch | None = None
    pieces: Sequence[RequestPiece] = ()
    message_tokens: tuple[int, ...] = ()
    message_grades: tuple[Grade, ...] = ()
    special_texts: tuple[SpecialText, ...] = ()
    tool_names: tuple[str, ...] = ()
    tallies: Mapping[tuple[str, str], Tally] = field(default_factory=dict)
    is_cut: bool = False
    tools_problem: str = ""
    problem: str = ""

    def for_models(self) -> RequestTokens:
        """Return the counts for each model."""
        images = tuple(image for message in self.draft.messages for image in message.images)
        template = self.draft.template if self.draft.template_file is not None else ""
        return RequestTokens(lambda *key: self.tallies.get(key), images, template, self.draft.image_rule)


@dataclass(frozen=True, slots=True)
class BodySource:
    """Source of a request: a file, or pasted text."""

    path: Path | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class LinesRequest:
    """File of requests, and how to count them."""

    path: Path
    template: str
    template_file: Path | None
    encoding: str
    image_rule: str


@dataclass(frozen=True, slots=True)
class LinesTable:
    """Counts of each line of a file, to be written to ``path``."""

    lines: LinesRequest
    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class CountedLines:
    """Counts of a file of requests. ``is_complete``: True if it was read to its end."""

    report: LinesReport
    is_complete: bool


def template_choices() -> tuple[Template, ...]:
    """Return the templates that come with Tokenloupe."""
    from engine.requests.templates import TEMPLATES

    return tuple(TEMPLATES.values())


def image_rules() -> tuple[str, ...]:
    """Return the names of the rules for counting images."""
    from engine.requests.images import RULES

    return tuple(RULES)


def template_for(model: str) -> str:
    """Return the key of a model's template; empty if its name does not determine one."""
    from engine.requests.templates import UNKNOWN, template_for_model

    key = template_for_model(model) if model else UNKNOWN
    return "" if key == UNKNOWN and not model.startswith(("claude", "gemini")) else key


@contextlib.contextmanager
def template_of(key: str, file: Path | None) -> Iterator[Template]:
    """Yield the template of a key, or of the user's file. Raises TemplateError and OSError."""
    from engine.requests.template_file import TemplateFile, read_source
    from engine.requests.templates import TEMPLATES

    if file is None:
        yield TEMPLATES[key]
        return
    with TemplateFile(read_source(file)) as opened:
        yield opened.template


def count_draft(open_encoding: OpenEncoding, draft: RequestDraft, _ticket: Ticket | None = None) -> RequestReply:
    """Count and render a draft. Errors in the draft are returned in the reply, not raised."""
    from engine.errors import EngineError
    from engine.requests.bodies.reader import read_tools
    from engine.requests.types import Request, RequestError
    from engine.text.offsets import ByteMap

    tools: tuple[Tool, ...] = ()
    tools_problem = ""
    try:
        tools = read_tools(draft.tools)
    except RequestError as error:
        tools_problem = str(error)
    request = Request(
        draft.messages, tools, draft.model, draft.tool_choice, draft.forced_tool, is_complete=draft.is_complete
    )
    try:
        counted, tallies = _counted(open_encoding, draft, request)
    except (EngineError, OSError) as error:
        return RequestReply(draft, tools_problem=tools_problem, problem=str(error))
    shown = counted.text.encode()[:MAX_SHOWN].decode("utf-8", "ignore")  # drops a character cut in half
    offsets = ByteMap(shown)
    return RequestReply(
        draft,
        counted.tally,
        document_text(shown),
        _patch(counted, shown, offsets),
        _pieces(counted, shown, offsets),
        _message_tokens(counted, len(draft.messages)),
        counted.message_grades,
        counted.special_texts,
        tuple(tool.name for tool in tools),
        tallies,
        len(shown) < len(counted.text),
        tools_problem,
    )


def _counted(
    open_encoding: OpenEncoding, draft: RequestDraft, request: Request
) -> tuple[CountedRequest, dict[tuple[str, str], Tally]]:
    from engine.requests.counting import RequestCounter
    from engine.requests.templates import TEMPLATES

    rule = draft.image_rule or None
    with template_of(draft.template, draft.template_file) as template:
        counted = RequestCounter(template, open_encoding(draft.encoding), image_rule=rule).count(request)
        tallies: dict[tuple[str, str], Tally] = {}
        for key, name in draft.watched:
            own = template if draft.template_file is not None else TEMPLATES[key]
            key = draft.template if draft.template_file is not None else key
            if (key, name) not in tallies:
                tallies[key, name] = RequestCounter(own, open_encoding(name), image_rule=rule).tally(request)
    return counted, tallies


def _patch(counted: CountedRequest, shown: str, offsets: ByteMap) -> TokenPatch:
    import numpy as np

    from engine.requests.counting import NO_ID
    from engine.types import TokenPatch

    count = int(counted.byte_ends.searchsorted(len(offsets), "right"))
    byte_ends = counted.byte_ends[:count]
    if (int(byte_ends[-1]) if count else 0) < len(offsets):  # a cut token, or text without tokens
        byte_ends = np.append(byte_ends, len(offsets))
    ends = _in_document(byte_ends, shown, offsets)
    length = int(ends[-1]) if len(ends) else 0
    ids = np.append(counted.ids, np.int32(NO_ID))[: len(ends)]
    return TokenPatch(0, length, length, ids, ends, offsets.continues(byte_ends))


def _in_document(byte_ends: NDArray[np.int64], shown: str, offsets: ByteMap) -> NDArray[np.int32]:
    """Convert byte offsets to UTF-16 offsets in the document. An offset inside a character moves to its end."""
    return stored_to_document(offsets.units_before[byte_ends], shown)


def _pieces(counted: CountedRequest, shown: str, offsets: ByteMap) -> tuple[RequestPiece, ...]:
    import numpy as np

    spans = [span for span in counted.spans if span.byte_start < len(offsets)]
    bounds = np.array([0, *(min(span.byte_end, len(offsets)) for span in spans)], np.int64)
    units = _in_document(bounds, shown, offsets).tolist()
    return tuple(
        RequestPiece(start, end, span.kind, span.message, span.tokens)
        for span, start, end in zip(spans, units[:-1], units[1:], strict=True)
    )


def _message_tokens(counted: CountedRequest, n_messages: int) -> tuple[int, ...]:
    """Return the tokens of each message, with template tokens and images: those that begin in its spans."""
    sums = [0] * n_messages
    for span, tokens in zip(counted.spans, counted.span_tokens, strict=True):
        if 0 <= span.message < n_messages:
            sums[span.message] += tokens
    return tuple(sums)


def read_source_of(source: BodySource, _ticket: Ticket | None = None) -> ReadBody | None:
    """Return the request of a file or text, None if each line is one. Raises RequestError and OSError."""
    from engine.requests.bodies.reader import read_body
    from engine.requests.types import RequestError

    if source.path is None:
        return read_body(source.text)
    if source.path.suffix.lower() in (".jsonl", ".ndjson"):
        return None
    with source.path.open("rb") as file:
        first = file.readline(BODY_BYTES)
        rest = file.read(BODY_BYTES)
    try:
        return read_body(first + rest)
    except RequestError:
        # Whatever the file's name: a request on the first line and more text after it.
        if rest.strip() and _is_request(first):
            return None
        raise


def _is_request(line: bytes) -> bool:
    from engine.requests.bodies.reader import read_body
    from engine.requests.types import RequestError

    try:
        read_body(line)
    except RequestError:
        return False
    return True


def count_lines(open_encoding: OpenEncoding, request: LinesRequest, ticket: Ticket) -> CountedLines:
    """Count a file line by line; if cancelled, return the counts so far. Raises EngineError and OSError."""
    with _counting(open_encoding, request) as (counting, size):
        try:
            _run(counting, size, ticket)
        except JobCancelled:
            return CountedLines(counting.report(), is_complete=False)
        return CountedLines(counting.report(), is_complete=True)


def list_lines(open_encoding: OpenEncoding, table: LinesTable, ticket: Ticket) -> None:
    """Write the counts of each line. The lines are counted again, so that memory does not grow with the file.

    Raises EngineError, OSError and, if cancelled, JobCancelled; then nothing is written.
    """
    from engine.requests.lines import written_table

    with written_table(table.path) as tell, _counting(open_encoding, table.lines, tell) as (counting, size):
        _run(counting, size, ticket)


@contextlib.contextmanager
def _counting(
    open_encoding: OpenEncoding, request: LinesRequest, tell: Callable[[LineCount], None] | None = None
) -> Iterator[tuple[RequestLines, int]]:
    """Yield the counter of a file, and the size of the file in bytes."""
    from engine.requests.counting import RequestCounter
    from engine.requests.lines import RequestLines

    with (
        template_of(request.template, request.template_file) as template,
        request.path.open("rb") as file,
    ):
        counter = RequestCounter(template, open_encoding(request.encoding), image_rule=request.image_rule or None)
        yield RequestLines(file, counter.tally, tell), os.fstat(file.fileno()).st_size


def _run(counting: RequestLines, size: int, ticket: Ticket) -> None:
    while not counting.done:
        counting.advance(SLICE_SECONDS)
        ticket.progress(min(1.0, counting.n_bytes / max(1, size)))


def size_image(path: Path, _ticket: Ticket) -> Image:
    """Return an image file as a message holds it; 0 by 0 if its format is unknown. Raises OSError."""
    from engine.requests.images import size_of_file
    from engine.requests.types import Image

    width, height = size_of_file(path) or (0, 0)
    return Image(width, height, name=path.name)

"""``count --request`` and ``cost --request``: files of API request bodies, either one body or one per line."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.counting import CountingBar
from commands.encodings import EncoderChoice, chosen_encoding, named_encoding
from commands.inputs import STANDARD_INPUT
from commands.program import BadInput, print_json, remark, say, usable
from engine.requests.bodies.reader import LARGEST_BODY, ReadBody, read_body
from engine.requests.counting import RequestCounter
from engine.requests.images import rule_for_model
from engine.requests.lines import LineCount, LinesReport, RequestLines, written_table
from engine.requests.template_file import TemplateFile, read_source
from engine.requests.templates import TEMPLATES, template_for_model
from engine.requests.types import KINDS, Part, Tally, TallySum
from gui.core.model_counts import LABELS, RequestTokens, token_count

if TYPE_CHECKING:
    from engine import Encoding
    from engine.requests.template import Template
    from pricing.types import Model, TokenCount

MANY = (".jsonl", ".ndjson")
SLICE_SECONDS = 0.5
MAX_SAID = 20
"""Maximum number of malformed lines that are reported one by one on standard error."""

DEFAULT = "openai"


@dataclass(frozen=True, slots=True)
class _Counted:
    """Count of one file. ``fields``: additional JSON fields."""

    path: str
    tally: Tally
    n_bytes: int
    fields: dict[str, Any]


@contextlib.contextmanager
def opened_template(name: str) -> Iterator[Template]:
    """Open the template with this name or file. Raises BadInput."""
    if name in TEMPLATES:
        yield TEMPLATES[name]
        return
    path = Path(name)
    if not path.is_file():
        raise BadInput(f"--template: {name!r} is neither a file nor one of {', '.join(TEMPLATES)}")
    with TemplateFile(usable(lambda: read_source(path), "--template")) as opened:
        yield opened.template


def count_requests(
    profile: Path | None,
    paths: tuple[str, ...],
    as_json: bool,
    template: str | None,
    table: str | None,
    **options: str | None,
) -> None:
    """Count the requests in files and print the result. ``table``: file to list each line's count in. ``options``: as
    for ``chosen_encoding``; without any, the encoding is that of the first request's model, else that of the template.
    Raises BadInput."""
    paths = paths or (STANDARD_INPUT,)
    if table is not None and (len(paths) > 1 or not _is_many(paths[0])):
        raise BadInput(f"--lines requires one file with many requests ({', '.join(MANY)})")
    bodies = {path: read_request(path) for path in paths if not _is_many(path)}
    named = next((read.request.model for read in bodies.values()), "")
    model = options["model"] or (named if not any(options.values()) else None)
    key = template or (template_for_model(model) if model else DEFAULT)
    with opened_template(key) as shown_by, EncoderChoice(profile) as choice:
        encoding, priced = _encoding(profile, shown_by, model, options)
        choice.expect(sum(Path(path).stat().st_size for path in paths if _is_many(path) and Path(path).is_file()), 1)
        better_encoder = partial(choice.make_for, encoding)
        better_encoder()
        counter = RequestCounter(shown_by, encoding, image_rule=rule_for_model(options["model"] or ""))
        counted = [
            _of_body(path, bodies[path], counter) if path in bodies else _of_lines(path, counter, better_encoder, table)
            for path in paths
        ]
    total = _sum(counted)
    figure = token_count(priced, total if template else total.without_encoding_range) if priced is not None else None
    if as_json:
        _print_json(counted, encoding, shown_by, priced, figure)
    else:
        _say(counted, encoding, shown_by, priced, figure)


def _encoding(
    profile: Path | None, template: Template, model: str | None, options: dict[str, str | None]
) -> tuple[Encoding, Model | None]:
    """Return the requested encoding, and the model if its count rule applies. Raises BadInput."""
    if any(options.values()):
        return chosen_encoding(profile, **options)
    if model:
        with contextlib.suppress(BadInput):  # a name that only the sender knows
            return chosen_encoding(profile, None, model, None, None)
    return named_encoding(template.encoding or "o200k_base", profile), None


def request_counts(
    profile: Path | None, paths: tuple[str, ...], template: str | None
) -> tuple[Callable[[Model], TokenCount | None], list[dict[str, str]]]:
    """Return a function that counts one request for a model, and the parts of it that are not counted, as JSON data.
    Uses the template and the image rule of each model, or ``template`` if given. Raises BadInput."""
    if len(paths) > 1 or any(map(_is_many, paths)):
        raise BadInput("cost --request takes one request; 'count --request' counts files of many")
    read = read_request(paths[0] if paths else STANDARD_INPUT)
    known: dict[tuple[str, str], Tally] = {}

    def tally_of(key: str, encoding: str) -> Tally:
        if (key, encoding) not in known:
            known[key, encoding] = _tally_in(profile, read, key, encoding)
        return known[key, encoding]

    images = tuple(image for message in read.request.messages for image in message.images)
    return RequestTokens(tally_of, images, template or "").count, _not_counted(read)


def read_request(path: str) -> ReadBody:
    """Return the request in a file, or in standard input for ``-``. Raises BadInput."""
    if path == STANDARD_INPUT:
        return usable(lambda: read_body(sys.stdin.buffer.read(LARGEST_BODY + 1)), "standard input")
    if Path(path).is_dir():
        raise BadInput(f"{path}: a folder, not a file with a request")
    return usable(lambda: read_body(_content(Path(path))), path)


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_BODY + 1)


def _is_many(path: str) -> bool:
    return Path(path).suffix.lower() in MANY


def _tally_in(profile: Path | None, read: ReadBody, template: str, encoding: str) -> Tally:
    """Count a request with a template and an encoding."""
    with opened_template(template) as shown_by:
        counter = RequestCounter(shown_by, named_encoding(encoding, profile))
        return usable(lambda: counter.tally(read.request))


def _sum(counted: list[_Counted]) -> Tally:
    """Return the sum of all files."""
    return TallySum(one.tally for one in counted).tally


def _of_body(path: str, read: ReadBody, counter: RequestCounter) -> _Counted:
    found = usable(lambda: counter.count(read.request), path)
    special = [
        {"message": one.message, "text": one.text, "occurrences": one.occurrences} for one in found.special_texts
    ]
    fields = {"requests": 1, "special_texts": special, "notes": list(found.tally.notes)}
    fields |= {"not_counted": _not_counted(read)}
    n_bytes = Path(path).stat().st_size if path != STANDARD_INPUT else 0
    return _Counted(path, found.tally, n_bytes, fields)


def _not_counted(read: ReadBody) -> list[dict[str, str]]:
    return [{"place": part.path, "what": part.what} for part in read.unknown]


@contextlib.contextmanager
def _listing(table: str) -> Iterator[Callable[[LineCount], None]]:
    """Open a table like ``written_table``. Raises BadInput with the table's name if it cannot be written."""
    what = f"--lines: {table}"
    from_outside: BaseException | None = None
    try:
        with written_table(Path(table)) as add:
            try:
                yield lambda count: usable(lambda: add(count), what)
            except BaseException as error:
                from_outside = error
                raise
    except OSError as error:
        if error is from_outside:
            raise
        raise BadInput(f"{what}: {error.strerror or error}") from error


def _of_lines(path: str, counter: RequestCounter, better_encoder: Callable[[], None], table: str | None) -> _Counted:
    """Count a file with one request per line. ``better_encoder``: called repeatedly to switch to compiled kernels once
    they are ready."""

    def run() -> LinesReport:
        with contextlib.ExitStack() as open_files:
            file = open_files.enter_context(Path(path).open("rb"))
            tell = open_files.enter_context(_listing(table)) if table else None
            bar = open_files.enter_context(CountingBar(Path(path).stat().st_size))
            counting = RequestLines(file, counter.tally, tell)
            while not counting.done:
                counting.advance(SLICE_SECONDS)
                bar.show(counting.n_bytes)
                better_encoder()
        return counting.report()

    report = usable(run, path)
    fields = {
        "requests": report.counted,
        "worst": [{"line": one.line, "tokens": one.tokens} for one in report.worst],
        "malformed": [{"line": one.line, "why": one.why} for one in report.malformed],
        "malformed_lines": report.n_malformed,
        "not_counted": [{"what": what, "times": times} for what, times in report.unknown],
    }
    return _Counted(path, report.tally, report.n_bytes, fields)


def _print_json(
    counted: list[_Counted], encoding: Encoding, template: Template, model: Model | None, figure: TokenCount | None
) -> None:
    files = [
        {
            "path": one.path,
            "tokens": one.tally.tokens,
            "bytes": one.n_bytes,
            "tokens_low": one.tally.low,
            "tokens_high": one.tally.high,
            "grade": one.tally.grade,
            "parts": {part.kind: _part_fields(part) for part in one.tally.parts},
            **one.fields,
        }
        for one in counted
    ]
    total = _sum(counted)
    document: dict[str, Any] = {"encoding": encoding.name, "template": template.key, "tokens": total.tokens}
    document |= {"tokens_low": total.low, "tokens_high": total.high, "label": LABELS[total.grade]}
    document |= {"files": files, "skipped": []}
    if model is not None and figure is not None:
        document |= {"tokens": figure.tokens, "model": model.id, "label": figure.label}
        document |= {"tokens_low": figure.low, "tokens_high": figure.high}
    print_json(document)


def _part_fields(part: Part) -> dict[str, Any]:
    """Return a part as JSON data, with its range if it has one."""
    spread = {"low": part.low, "high": part.high} if part.low < part.high else {}
    return {"tokens": part.tokens, "grade": part.grade, **spread}


def _say(
    counted: list[_Counted], encoding: Encoding, template: Template, model: Model | None, figure: TokenCount | None
) -> None:
    for one in counted:
        parts = ", ".join(
            f"{kind} {one.tally.of(kind).tokens:,} ({LABELS[one.tally.of(kind).grade]})"
            for kind in KINDS
            if one.tally.of(kind).tokens
        )
        lead = f"{one.path}: " if len(counted) > 1 else ""
        requests = one.fields["requests"]
        many = "" if requests == 1 else f" in {requests:,} requests"
        tokens = f"{one.tally.tokens:,} tokens{_spread(one.tally.low, one.tally.high)}"
        say(f"{lead}{tokens}{many}, {LABELS[one.tally.grade]}: {parts or 'nothing'}")
        for bad in one.fields.get("malformed", ())[:MAX_SAID]:
            remark(f"{one.path}: line {bad['line']:,} is not a request: {bad['why']}")
        if (more := one.fields.get("malformed_lines", 0) - MAX_SAID) > 0:
            remark(f"{one.path}: {more:,} more lines are not requests; --lines FILE lists all")
        for special in one.fields.get("special_texts", ()):
            remark(f"{one.path}: {special['text']} is counted as plain text, not as a special token")
        for part in one.fields["not_counted"]:
            where = f"{part['place']} ({part['what']})" if "place" in part else f"{part['what']} ({part['times']:,})"
            remark(f"{one.path}: not counted: {where}")
    total = _sum(counted)
    spread = _spread(total.low, total.high) if len(counted) > 1 else ""  # for one file it is printed above
    say(f"{total.tokens:,} tokens{spread} in {encoding.name}, by {template.label}")
    if model is None or figure is None:
        return
    if (figure.tokens, figure.low, figure.high) != (total.tokens, total.low, total.high):
        say(f"{figure.tokens:,} tokens{_spread(figure.low, figure.high)} of {model.id}, {figure.label}")


def _spread(low: int, high: int) -> str:
    """Return a range in parentheses, or "" if there is none."""
    return f" ({low:,} to {high:,})" if low < high else ""

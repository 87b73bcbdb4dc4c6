"""Single-file reports in HTML or Markdown: what was counted, at what cost, and by which prices. No Qt.

All content is untrusted: texts, names of files and models, URLs of sources. In HTML, everything is escaped, and nothing
is loaded or run; in Markdown, every character that could begin markup is escaped with a backslash. Only URLs that begin
with http:// or https:// become links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gui.core.api_keys import FoundKey, find_keys, key_sentence
from gui.core.exports import ExportTable, Value, markdown_table, plain
from gui.core.text_chunks import ChunkedText

if TYPE_CHECKING:
    from pricing.types import CostEstimate

HTML, MARKDOWN = "html", "markdown"
SCENARIO, COST, PRICES = "Scenario", "Cost", "Prices"
"""Titles of the sections that can be left out of a report."""
_SUFFIXES = {".html": HTML, ".htm": HTML, ".md": MARKDOWN, ".markdown": MARKDOWN}
_ADDRESS = re.compile(r"https?://[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]+")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$@^])")
_SELF_MADE_LINK = re.compile(r"(?i)(?<=http)(?=s?:)|(?<=www)(?=\.)|(?<=:)(?=//)")
_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.5em 0 1.5em; }
th, td { border-bottom: 1px solid #8888; padding: 0.25em 0.75em; text-align: left; vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8888; padding: 1em; }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a table, sentences or a text below it. ``verbatim`` keeps line breaks and spaces."""

    title: str
    table: ExportTable | None = None
    sentences: tuple[str, ...] = ()
    verbatim: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A title and its sections, in order."""

    title: str
    sections: tuple[Section, ...] = field(default=())


def report_format(path: Path) -> str | None:
    """Return ``HTML`` or ``MARKDOWN`` by the file suffix; None for any other."""
    return _SUFFIXES.get(path.suffix.casefold())


def rendered(report: Report, kind: str) -> str:
    """Render the report as HTML or Markdown."""
    return to_html(report) if kind == HTML else to_markdown(report)


def to_html(report: Report) -> str:
    """Return an HTML page that loads and runs nothing."""
    body = [f"<h1>{_escaped(report.title)}</h1>"]
    for section in report.sections:
        body.append(f"<h2>{_escaped(section.title)}</h2>")
        body += (f"<p>{_linked_html(sentence)}</p>" for sentence in section.sentences)
        if section.table is not None:
            body.append(_html_table(section.table))
        if section.verbatim is not None:
            # Browsers drop the first line feed after <pre>, so we add one.
            body.append(f"<pre>\n{html.escape(_without_nul(section.verbatim))}</pre>")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(_one_line(report.title))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def to_markdown(report: Report) -> str:
    """Return CommonMark with GitHub's tables."""
    parts = [f"# {_marked(report.title)}\n"]
    for section in report.sections:
        parts.append(f"## {_marked(section.title)}\n")
        parts += (f"{_linked_markdown(sentence)}\n" for sentence in section.sentences)
        if section.table is not None:
            parts.append(markdown_table(section.table, _marked, _linked_markdown))
        if section.verbatim is not None:
            longest = max((len(run) for run in re.findall("`+", section.verbatim)), default=0)
            fence = "`" * max(3, longest + 1)
            parts.append(f"{fence}text\n{section.verbatim}\n{fence}\n")
    return "\n".join(parts)


def _html_table(table: ExportTable) -> str:
    def cell(tag: str, name: str, content: str) -> str:
        return f'<{tag} class="number">{content}</{tag}>' if name in table.numeric else f"<{tag}>{content}</{tag}>"

    head = "".join(cell("th", name, _escaped(name)) for name in table.columns)
    rows = (
        "".join(cell("td", name, _linked_html(plain(value))) for name, value in zip(table.columns, row, strict=True))
        for row in table.rows
    )
    return f"<table>\n<tr>{head}</tr>\n" + "".join(f"<tr>{row}</tr>\n" for row in rows) + "</table>"


def _escaped(text: str) -> str:
    """Escape for HTML, on one line, isolated from the text direction around it."""
    return f"<bdi>{html.escape(_one_line(text))}</bdi>"


def _linked_html(text: str) -> str:
    if _ADDRESS.fullmatch(text) is None:
        return _escaped(text)
    address = html.escape(text)
    return f'<a href="{address}" rel="noreferrer">{address}</a>'


def _marked(text: str) -> str:
    """Escape for Markdown, on one line, so that nothing is read as markup."""
    return _SELF_MADE_LINK.sub(r"\\", _MARKUP.sub(r"\\\1", _one_line(text)))


def _linked_markdown(text: str) -> str:
    return f"<{text}>" if _ADDRESS.fullmatch(text) and "|" not in text else _marked(text)


def _one_line(text: str) -> str:
    return " ".join(_without_nul(text).split())


def _without_nul(text: str) -> str:
    """Replace NUL, which HTML and Markdown do not allow, and lone surrogates, which UTF-8 cannot encode."""
    return text.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Facts about a text. ``sha256``: digest of its UTF-8. ``size``: bytes of UTF-8. ``keys``: suspected API keys."""

    name: str
    sha256: str
    size: int
    characters: int
    lines: int
    keys: tuple[FoundKey, ...]


def facts_of(name: str, text: ChunkedText) -> TextFacts:
    """Return the facts of a text."""
    whole = text.text()
    return TextFacts(name, text.sha256(), text.size(), len(whole), whole.count("\n") + 1, find_keys(whole))


def text_section(facts: Sequence[TextFacts]) -> Section:
    """Return the section that identifies the texts of a report."""
    columns = ("text", "sha256", "bytes", "characters", "lines")
    rows: list[tuple[Value, ...]] = [(one.name, one.sha256, one.size, one.characters, one.lines) for one in facts]
    return Section("Text", ExportTable(columns, tuple(rows), numeric=frozenset(columns[2:])))


def counts_section(counts: Mapping[str, int], shown: str = "") -> Section:
    """Return token counts by encoding; ``shown``: the encoding in use in the window."""
    rows = tuple((name, tokens, "shown in the window" if name == shown else "") for name, tokens in counts.items())
    table = ExportTable(("encoding", "tokens", "remark"), rows, numeric=frozenset({"tokens"}))
    words = "Counted with the vocabulary itself. The cost table shows the count quality for each model."
    return Section("Tokens", table, (words,))


def pairs_section(title: str, pairs: Iterable[tuple[str, Value]]) -> Section:
    """Return a table of names and values."""
    return Section(title, ExportTable(("name", "value"), tuple((name, value) for name, value in pairs)))


def prices_section(rows: Iterable[tuple[str, CostEstimate]], on: date) -> Section:
    """Return when the prices of each model were last checked, and their sources."""
    table = ExportTable(
        ("model", "prices checked", "source"),
        tuple((name, estimate.price_checked or "never", estimate.source) for name, estimate in rows),
    )
    return Section(PRICES, table, (f"Prices of {on.isoformat()}, in US dollars.",))


def program_section(versions: Sequence[str], when: datetime) -> Section:
    """Return the versions and the time of the report. ``when`` has a time zone."""
    return Section("Program", sentences=(f"Written {when.isoformat(timespec='seconds')}.", *versions))


def key_warning(facts: Iterable[TextFacts]) -> str:
    """Return a sentence about suspected API keys; empty if there are none."""
    keys = [
        f"{key.issuer} (line {key.line} of {one.name})" if one.name else f"{key.issuer} (line {key.line})"
        for one in facts
        for key in one.keys
    ]
    return key_sentence("The text", keys) if keys else ""

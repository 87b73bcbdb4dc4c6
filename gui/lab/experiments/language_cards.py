"""Cards on languages: the same article of the Declaration of Human Rights, and what it takes in each."""

from __future__ import annotations

import functools
import json
from importlib import resources

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.types import Card, Claim, Inputs, Outcome, ResultTable, Tools
from gui.lab.experiments.words import tr

SUBJECT = QT_TRANSLATE_NOOP("Lab", "Languages")
NAMES = ("o200k_base", "cl100k_base", "r50k_base")
EXPECTED = {
    "English": (33, 33, 33),
    "Spanish": (38, 44, 58),
    "Chinese": (37, 52, 82),
    "Korean": (51, 85, 197),
    "Arabic": (42, 80, 112),
    "Hindi": (54, 180, 294),
}
SEPARATOR = ": "
NO_SPACES = frozenset({"Chinese", "Japanese", "Thai"})
"""Written without spaces between words, so that tokens per word mean nothing."""


@functools.cache
def article() -> tuple[tuple[str, str], ...]:
    """Language and text of each translation. Source: the file itself."""
    data = json.loads(resources.files("gui.lab").joinpath("data/human_rights_article_1.json").read_text("utf-8"))
    return tuple((one["name"], one["text"]) for one in data["languages"])


def _texts(inputs: Inputs) -> list[tuple[str, str]]:
    """Language and text of each line."""
    lines = [line.partition(SEPARATOR) for line in inputs.text.splitlines() if line.strip()]
    return [(name, text) if mark else ("?", name) for name, mark, text in lines]


def _languages(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    texts = _texts(inputs)
    counts = []
    for place, name in enumerate(NAMES):
        tools.progress(place / len(NAMES))
        encoding = tools.open_encoding(name)
        counts.append([encoding.count(text) for _, text in texts])
    claims = tuple(
        Claim(
            tr("{language}: tokens in {names}").format(language=language, names=", ".join(NAMES)),
            ", ".join(map(str, EXPECTED[language])),
            ", ".join(str(found[row]) for found in counts),
        )
        for row, (language, _) in enumerate(texts)
        if own
    )
    rows = tuple(
        (language, *(str(found[row]) for found in counts), *(_premium(found, row) for found in counts))
        for row, (language, _) in enumerate(texts)
    )
    columns = (
        tr("Language"),
        *NAMES,
        *(tr("Premium, {name}").format(name=name) for name in NAMES),
    )
    table = ResultTable(tr("Tokens, and how many times those of the first line"), columns, rows, frozenset(range(1, 7)))
    return Outcome(claims, (table,))


def _premium(found: list[int], row: int) -> str:
    from engine.metrics import premium

    value = premium(found[row], found[0])
    return tr("n/a") if value is None else f"{value:.2f}"


def _fertility(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    from engine.metrics import bytes_per_token, fertility

    encoding = tools.open_encoding(NAMES[0])
    rows = []
    for language, text in _texts(inputs):
        tokens, words = encoding.count(text), len(text.split())
        per_word = fertility(tokens, words)
        told = tr("means nothing here") if language in NO_SPACES else ""
        size = bytes_per_token(len(text.encode("utf-8", "surrogatepass")), tokens)
        rows.append(
            (
                language,
                str(tokens),
                str(words),
                tr("n/a") if per_word is None else f"{per_word:.1f}",
                tr("n/a") if size is None else f"{size:.2f}",
                told,
            )
        )
    columns = (tr("Language"), tr("Tokens"), tr("Words by spaces"), tr("Fertility"), tr("Bytes per token"), tr("Note"))
    claims = (
        Claim(
            tr("Chinese: tokens per “word” between spaces"), "37.0", {row[0]: row[3] for row in rows}.get("Chinese", "")
        ),
    )
    table = ResultTable(tr("In {name}").format(name=NAMES[0]), columns, tuple(rows), frozenset({1, 2, 3, 4}))
    return Outcome(claims if own else (), (table,))


def language_cards() -> tuple[Card, ...]:
    """The cards."""
    text = "\n".join(f"{name}{SEPARATOR}{line}" for name, line in article())
    return (
        Card(
            "E18",
            SUBJECT,
            QT_TRANSLATE_NOOP("Lab", "The same article in six languages"),
            QT_TRANSLATE_NOOP("Lab", "What do other languages pay for saying the same?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "The premium says how many times the tokens of English a text takes. In r50k_base Hindi paid nine "
                "times as much, in o200k_base 1.6 times. Text: Universal Declaration of Human Rights, article 1 "
                "(United Nations, OHCHR). A line is a language and its text.",
            ),
            _languages,
            text,
            encoding=NAMES[0],
        ),
        Card(
            "E19",
            SUBJECT,
            QT_TRANSLATE_NOOP("Lab", "Tokens per word"),
            QT_TRANSLATE_NOOP("Lab", "Is fertility, tokens for each word, a measure for every language?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "Only where words stand apart. Chinese has none between spaces, so its fertility is that of the whole "
                "text. The premium over a translation works for all.",
            ),
            _fertility,
            text,
            encoding=NAMES[0],
        ),
    )

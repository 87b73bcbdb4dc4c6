"""Cards on published vocabularies: how they split words, and the same article in several languages."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from functools import partial
from importlib import resources

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.card import Card, Claim, Inputs, Outcome, ResultTable, Tools, number, token_pieces, tr

SUBJECT = QT_TRANSLATE_NOOP("Lab", "Words in published vocabularies")
OLD, GPT4, GPT4O = "r50k_base", "cl100k_base", "o200k_base"

Expected = tuple[str, str, int | str]
"""A line, an encoding, and the true result: the number of its tokens, or the tokens themselves."""


def _lines(names: Sequence[str], expected: Sequence[Expected], inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    """Encode every line with every encoding."""
    rows, counts, splits = [], {}, {}
    for place, name in enumerate(names):
        tools.progress(place / len(names))
        encoding = tools.open_encoding(name)
        for line in inputs.text.split("\n"):
            ids = encoding.encode_ordinary(line)
            counts[line, name], splits[line, name] = str(len(ids)), token_pieces(encoding, ids)
    for line in inputs.text.split("\n"):
        rows += [(line, name, number(int(counts[line, name])), splits[line, name]) for name in names]
    claims = []
    if own:
        for line, name, wanted in expected:
            found = (counts if isinstance(wanted, int) else splits)[line, name]
            claims.append(Claim(tr("“{text}” in {name}").format(text=line, name=name), str(wanted), found))
    columns = (tr("Text"), tr("Encoding"), tr("Tokens"), tr("Split"))
    return Outcome(tuple(claims), (ResultTable(tr("Line by line"), columns, tuple(rows), frozenset({2})),))


def _card(key: str, title: str, question: str, truth: str, names: Sequence[str], expected: Sequence[Expected]) -> Card:
    text = "\n".join(dict.fromkeys(line for line, _, _ in expected))
    return Card(key, SUBJECT, title, question, truth, partial(_lines, names, expected), text, encoding=names[-1])


def _merges(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    """Show how a word is built, merge by merge, in two encodings."""
    rows, made = [], {}
    for name in (GPT4, GPT4O):
        encoding = tools.open_encoding(name)
        steps = encoding.merge_steps(inputs.text)
        for step in steps:
            pair = token_pieces(encoding, (step.left_id, step.right_id))
            rows.append((name, pair, token_pieces(encoding, (step.token_id,)), number(step.token_id)))
        made[name] = ", ".join(
            "+".join(encoding.decode([token]) for token in (step.left_id, step.right_id)) for step in steps
        )
    claims = (
        Claim(GPT4, "e+r, er+r, err+y, b+erry", made[GPT4]),
        Claim(GPT4O, "e+r, b+er, r+y, ber+ry", made[GPT4O]),
    )
    columns = (tr("Encoding"), tr("Pair"), tr("Becomes"), tr("ID"))
    return Outcome(claims if own else (), (ResultTable(tr("Merges"), columns, tuple(rows), frozenset({3})),))


def _words_and_tokens(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    rows = []
    for line in inputs.text.splitlines():
        words = str(len(line.split()))
        rows.append((line, words, *(str(tools.open_encoding(name).count(line)) for name in (GPT4, GPT4O))))
    expected = (("9", "9", "9"), ("7", "16", "15"))
    claims = tuple(
        Claim(tr("Words, tokens in cl100k_base, in o200k_base: “{text}”").format(text=row[0]), *map(", ".join, both))
        for row, *both in ((row, wanted, row[1:]) for row, wanted in zip(rows, expected, strict=False))
    )
    columns = (tr("Text"), tr("Words"), GPT4, GPT4O)
    return Outcome(
        claims if own else (), (ResultTable(tr("Words and tokens"), columns, tuple(rows), frozenset({1, 2, 3})),)
    )


def _glitch(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    rows = []
    for name in (OLD, GPT4, GPT4O):
        encoding = tools.open_encoding(name)
        ids = encoding.encode_ordinary(inputs.text)
        rows.append((name, number(len(ids)), " ".join(map(str, ids)), token_pieces(encoding, ids)))
    claims = (
        Claim(tr("ID in r50k_base"), "43453", rows[0][2]),
        Claim(tr("Tokens in cl100k_base"), "5", rows[1][1]),
        Claim(tr("Tokens in o200k_base"), "5", rows[2][1]),
    )
    columns = (tr("Encoding"), tr("Tokens"), tr("IDs"), tr("Split"))
    return Outcome(
        claims if own else (), (ResultTable(tr("A name of the past"), columns, tuple(rows), frozenset({1})),)
    )


FOX = "The quick brown fox jumps over the lazy dog"
HUMAN_EVAL = "GPT-4 achieves 96.3% accuracy on HumanEval benchmarks."
PARAGRAPH = "Machine learning is powerful. 机器学习很强大。 L'apprentissage automatique est puissant. 🤖💪"
FIRST_STEP = "Tokenization is the first step in any LLM pipeline."

CARDS = (
    _card(
        "E11",
        QT_TRANSLATE_NOOP("Lab", "Strawberry"),
        QT_TRANSLATE_NOOP("Lab", "What does a model see when asked to count the letters of this word?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Three tokens at the start of a text, one behind a space, and in neither case letters. Within a sentence "
            "the word is a single token in both vocabularies.",
        ),
        (GPT4, GPT4O),
        (
            ("strawberry", GPT4, "str │ aw │ berry"),
            ("strawberry", GPT4O, "st │ raw │ berry"),
            (" strawberry", GPT4, 1),
            (" strawberry", GPT4O, 1),
            ("berry", GPT4, 1),
            ("r", GPT4, 1),
            ("rr", GPT4, 1),
        ),
    ),
    Card(
        "E12",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Does the token “rr” explain it?"),
        QT_TRANSLATE_NOOP("Lab", "Is “rr” part of how “berry” comes about?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "No. A lesson claims that the r's hide in a token “rr”. The token exists but plays no part: its merge "
            "comes after those that take the letters.",
        ),
        _merges,
        "berry",
        encoding=GPT4,
    ),
    _card(
        "E13",
        QT_TRANSLATE_NOOP("Lab", "Letters of a word that is one token"),
        QT_TRANSLATE_NOOP("Lab", "How many e's are in a token?"),
        QT_TRANSLATE_NOOP("Lab", "“telephone” is one token in both: there are no letters in it for a model to count."),
        (GPT4, GPT4O),
        (("telephone", GPT4, 1), ("telephone", GPT4O, 1)),
    ),
    _card(
        "E14",
        QT_TRANSLATE_NOOP("Lab", "Capitals"),
        QT_TRANSLATE_NOOP("Lab", "Does it matter how a name is written?"),
        QT_TRANSLATE_NOOP("Lab", "Yes: different bytes, different tokens, and sometimes a different count."),
        (GPT4, GPT4O),
        (("ChatGPT", GPT4, 3), ("ChatGPT", GPT4O, 2), ("chatgpt", GPT4, 3), ("chatgpt", GPT4O, 3)),
    ),
    _card(
        "E15",
        QT_TRANSLATE_NOOP("Lab", "Digits"),
        QT_TRANSLATE_NOOP("Lab", "Where are numbers split?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "380 and 381 are one token each, though a lesson takes them for an example of the contrary. Four digits "
            "are: newer patterns cut after three.",
        ),
        (OLD, GPT4, GPT4O),
        (
            ("380", OLD, 1),
            ("381", OLD, 1),
            ("380", GPT4, 1),
            ("381", GPT4O, 1),
            ("1234", GPT4, "123 │ 4"),
            ("1234", GPT4O, "123 │ 4"),
        ),
    ),
    _card(
        "E16",
        QT_TRANSLATE_NOOP("Lab", "A rare word"),
        QT_TRANSLATE_NOOP("Lab", "What happens to a rare word?"),
        QT_TRANSLATE_NOOP("Lab", "It falls apart into pieces that are common elsewhere, and that mean nothing here."),
        (GPT4, GPT4O),
        (("xylitol", GPT4, "x │ yl │ itol"), ("xylitol", GPT4O, 3)),
    ),
    Card(
        "E17",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Words are not tokens"),
        QT_TRANSLATE_NOOP("Lab", "How many tokens are nine words, and seven?"),
        QT_TRANSLATE_NOOP(
            "Lab", "9 and 16, where lessons print 10 and 14: figures, marks and names cost more than plain words."
        ),
        _words_and_tokens,
        f"{FOX}\n{HUMAN_EVAL}",
        encoding=GPT4,
    ),
    _card(
        "E20",
        QT_TRANSLATE_NOOP("Lab", "Three languages and emoji"),
        QT_TRANSLATE_NOOP("Lab", "How have vocabularies become better at a mixed paragraph?"),
        QT_TRANSLATE_NOOP("Lab", "From 40 tokens to 33 to 23: nearly half, for the same text."),
        (OLD, GPT4, GPT4O),
        ((PARAGRAPH, OLD, 40), (PARAGRAPH, GPT4, 33), (PARAGRAPH, GPT4O, 23)),
    ),
    _card(
        "E21",
        QT_TRANSLATE_NOOP("Lab", "One sentence in two encodings"),
        QT_TRANSLATE_NOOP("Lab", "Does a vocabulary twice as large save tokens on plain English?"),
        QT_TRANSLATE_NOOP(
            "Lab", "Not here: 12 and 12. The lesson prints 10 and 9, with a token “pipeline.” that does not exist."
        ),
        (GPT4, GPT4O),
        ((FIRST_STEP, GPT4, 12), (FIRST_STEP, GPT4O, 12)),
    ),
    Card(
        "E23",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "A glitch token"),
        QT_TRANSLATE_NOOP("Lab", "Why did a forum name of 2021 confuse models?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "It was common in the tokenizer's training data and rare in the model's, so the token was hardly trained. "
            "Newer vocabularies need five tokens.",
        ),
        _glitch,
        " SolidGoldMagikarp",
        encoding=OLD,
    ),
)


LANGUAGES = QT_TRANSLATE_NOOP("Lab", "Languages")
COMPARED = ("o200k_base", "cl100k_base", "r50k_base")
PREMIUMS = {
    "English": (33, 33, 33),
    "Spanish": (38, 44, 58),
    "Chinese": (37, 52, 82),
    "Korean": (51, 85, 197),
    "Arabic": (42, 80, 112),
    "Hindi": (54, 180, 294),
}
SEPARATOR = ": "
NO_SPACES = frozenset({"Chinese", "Japanese", "Thai"})
"""Languages written without spaces between words, for which tokens per word are meaningless."""


@functools.cache
def article() -> tuple[tuple[str, str], ...]:
    """Return language and text of each translation. The JSON file names the source."""
    data = json.loads(resources.files("gui.lab").joinpath("data/human_rights_article_1.json").read_text("utf-8"))
    return tuple((one["name"], one["text"]) for one in data["languages"])


def _texts(inputs: Inputs) -> list[tuple[str, str]]:
    """Return language and text of each line."""
    lines = [line.partition(SEPARATOR) for line in inputs.text.splitlines() if line.strip()]
    return [(name, text) if mark else ("?", name) for name, mark, text in lines]


def _languages(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    texts = _texts(inputs)
    counts = []
    for place, name in enumerate(COMPARED):
        tools.progress(place / len(COMPARED))
        encoding = tools.open_encoding(name)
        counts.append([encoding.count(text) for _, text in texts])
    claims = tuple(
        Claim(
            tr("{language}: tokens in {names}").format(language=language, names=", ".join(COMPARED)),
            ", ".join(map(str, PREMIUMS[language])),
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
        *COMPARED,
        *(tr("Premium, {name}").format(name=name) for name in COMPARED),
    )
    table = ResultTable(tr("Tokens, and how many times those of the first line"), columns, rows, frozenset(range(1, 7)))
    return Outcome(claims, (table,))


def _premium(found: list[int], row: int) -> str:
    from engine.analysis.metrics import premium

    value = premium(found[row], found[0])
    return tr("n/a") if value is None else f"{value:.2f}"


def _fertility(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    from engine.analysis.metrics import bytes_per_token, fertility

    encoding = tools.open_encoding(COMPARED[0])
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
    table = ResultTable(tr("In {name}").format(name=COMPARED[0]), columns, tuple(rows), frozenset({1, 2, 3, 4}))
    return Outcome(claims if own else (), (table,))


def language_cards() -> tuple[Card, ...]:
    """Return the cards on languages."""
    text = "\n".join(f"{name}{SEPARATOR}{line}" for name, line in article())
    return (
        Card(
            "E18",
            LANGUAGES,
            QT_TRANSLATE_NOOP("Lab", "The same article in six languages"),
            QT_TRANSLATE_NOOP("Lab", "How many more tokens do other languages need to say the same?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "The premium says how many times the tokens of English a text takes. In r50k_base Hindi paid nine "
                "times as much, in o200k_base 1.6 times. Text: Universal Declaration of Human Rights, article 1 "
                "(United Nations, OHCHR). A line is a language and its text.",
            ),
            _languages,
            text,
            encoding=COMPARED[0],
        ),
        Card(
            "E19",
            LANGUAGES,
            QT_TRANSLATE_NOOP("Lab", "Tokens per word"),
            QT_TRANSLATE_NOOP("Lab", "Is fertility, tokens for each word, a measure for every language?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "Only where words stand apart. Chinese has none between spaces, so its fertility is that of the whole "
                "text. The premium over a translation works for all.",
            ),
            _fertility,
            text,
            encoding=COMPARED[0],
        ),
    )

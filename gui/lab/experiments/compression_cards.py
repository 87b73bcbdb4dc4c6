"""Cards on how far texts shrink: the curve over the vocabulary's size, and texts that repeat themselves."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.plain_training import BYTES, Learned, in_bytes, learn, split_words
from gui.lab.experiments.types import Card, Claim, Inputs, NumberField, Outcome, ResultTable, Tools
from gui.lab.experiments.words import number, tr, yes_or_no

if TYPE_CHECKING:
    from engine.training_types import TrainingCurve

SUBJECT = QT_TRANSLATE_NOOP("Lab", "How far a text shrinks")
LOOP = "for i in range(10):\n    print(i)\n"
COPIES = 400
GPT4_SPLIT = "cl100k_base"
SIZES = 4
"""At so many sizes, equally far apart, the curve is read off to see whether it bends."""


def _curve(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    words = [in_bytes(word) for word in split_words(inputs.text, GPT4_SPLIT)]
    learned = learn(words, inputs.number("entries") - len(BYTES), alphabet=BYTES, min_count=2)
    points = _points(learned)
    return Outcome(
        _curve_claims(learned, points) if own else (),
        (_curve_table(points),),
        _curve_of(points),
    )


def _points(learned: Learned) -> tuple[tuple[float, float], ...]:
    """Entries and bytes per token: at the alphabet, and after each merge. One run has all sizes: merges are nested."""
    after = ((len(BYTES) + place + 1, merge.tokens_left) for place, merge in enumerate(learned.merges))
    return tuple((float(size), learned.before / max(left, 1)) for size, left in ((len(BYTES), learned.before), *after))


def _curve_of(points: tuple[tuple[float, float], ...]) -> TrainingCurve:
    import numpy as np

    from engine.training_types import TrainingCurve

    sizes, values = zip(*points, strict=True)
    return TrainingCurve(np.array(sizes, dtype=np.int64), np.array(values))


def _curve_claims(learned: Learned, points: tuple[tuple[float, float], ...]) -> tuple[Claim, ...]:
    yes = tr("yes")
    rising = all(before[1] < after[1] for before, after in pairwise(points))
    counts = [merge.count for merge in learned.merges]
    read = points[:: max(1, (len(points) - 1) // SIZES)]
    slopes = [(after[1] - before[1]) / (after[0] - before[0]) for before, after in pairwise(read)]
    return (
        Claim(tr("Every merge raises it"), yes, yes_or_no(rising)),
        Claim(
            tr("No pair was seen more often than the one before"),
            yes,
            yes_or_no(counts == sorted(counts, reverse=True)),
        ),
        Claim(tr("It rises ever more slowly"), yes, yes_or_no(slopes == sorted(slopes, reverse=True))),
    )


def _curve_table(points: tuple[tuple[float, float], ...]) -> ResultTable:
    step = max(1, (len(points) - 1) // (2 * SIZES))
    shown = [*points[:-1:step], points[-1]]
    rows = tuple((number(int(size)), f"{value:.2f}") for size, value in shown)
    return ResultTable(tr("Read off"), (tr("Entries"), tr("Bytes per token")), rows, frozenset({0, 1}))


def _collapse(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    text = inputs.text * inputs.number("copies")
    most = inputs.number("entries") - len(BYTES)
    raw = learn([in_bytes(text)], most, alphabet=BYTES, min_count=2)
    tools.progress(0.7)
    split = learn([in_bytes(word) for word in split_words(text, GPT4_SPLIT)], most, alphabet=BYTES, min_count=2)
    rows = tuple(
        (title, number(len(found.merges)), number(found.tokens), number(max(map(len, found.symbols))))
        for title, found in ((tr("No split"), raw), (tr("Split as GPT-4 does"), split))
    )
    columns = (tr("Training"), tr("Merges"), tr("Tokens left"), tr("Longest token, bytes"))
    claims = (
        Claim(tr("Without a split: merges, tokens, longest"), "38, 3, 8,448", ", ".join(rows[0][1:])),
        Claim(tr("With the split: merges, tokens, longest"), "21, 4,400, 6", ", ".join(rows[1][1:])),
    )
    title = tr("{n} bytes").format(n=number(len(text.encode("utf-8", "surrogatepass"))))
    return Outcome(claims if own else (), (ResultTable(title, columns, rows, frozenset({1, 2, 3})),))


def compression_cards(text: str) -> tuple[Card, ...]:
    """The cards; ``text`` is what the curve is drawn from at first."""
    return (
        Card(
            "E9",
            SUBJECT,
            QT_TRANSLATE_NOOP("Lab", "The compression curve"),
            QT_TRANSLATE_NOOP("Lab", "How many bytes does a token stand for, by the size of the vocabulary?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "Ever more, and each entry adds less than the one before. One training gives all sizes: a smaller "
                "vocabulary is the beginning of a larger one. The text is what the cards of this Lab say.",
            ),
            _curve,
            text,
            (NumberField("entries", QT_TRANSLATE_NOOP("Lab", "Entries"), 640, 257, 1_200),),
            trainable=True,
        ),
        Card(
            "E10",
            SUBJECT,
            QT_TRANSLATE_NOOP("Lab", "Repetitive code collapses"),
            QT_TRANSLATE_NOOP("Lab", "What becomes of two lines of code, repeated four hundred times?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "Without a split, three tokens, one of them 8,448 bytes long: learned by heart, of no use elsewhere. "
                "The split keeps tokens within words, and the training stops by itself.",
            ),
            _collapse,
            LOOP,
            (
                NumberField("copies", QT_TRANSLATE_NOOP("Lab", "Copies"), COPIES, 1, 1_000),
                NumberField("entries", QT_TRANSLATE_NOOP("Lab", "Most entries"), 2_048, 257, 4_096),
            ),
            trainable=True,
        ),
    )

"""Cards that measure: compression of texts, sizes of vocabularies, the cost of a prompt, and speed."""

from __future__ import annotations

import contextlib
import time
from decimal import Decimal
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.card import (
    Card,
    Claim,
    Inputs,
    NumberField,
    Outcome,
    ResultTable,
    Tools,
    number,
    tr,
    yes_or_no,
)
from gui.lab.experiments.training_cards import BYTES, Learned, in_bytes, learn, split_words

if TYPE_CHECKING:
    from engine.training.types import TrainingCurve

SHRINKING = QT_TRANSLATE_NOOP("Lab", "Compression of a text")
LOOP = "for i in range(10):\n    print(i)\n"
COPIES = 400
GPT4_SPLIT = "cl100k_base"
READINGS = 4
"""Number of equidistant sizes at which the curve is sampled to see whether it bends."""


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
    """Return size and bytes per token of the alphabet, and after each merge: merges are nested, so one run has all."""
    after = ((len(BYTES) + place + 1, merge.tokens_left) for place, merge in enumerate(learned.merges))
    return tuple((float(size), learned.before / max(left, 1)) for size, left in ((len(BYTES), learned.before), *after))


def _curve_of(points: tuple[tuple[float, float], ...]) -> TrainingCurve:
    import numpy as np

    from engine.training.types import TrainingCurve

    sizes, values = zip(*points, strict=True)
    return TrainingCurve(np.array(sizes, dtype=np.int64), np.array(values))


def _curve_claims(learned: Learned, points: tuple[tuple[float, float], ...]) -> tuple[Claim, ...]:
    yes = tr("yes")
    rising = all(before[1] < after[1] for before, after in pairwise(points))
    counts = [merge.count for merge in learned.merges]
    read = points[:: max(1, (len(points) - 1) // READINGS)]
    slopes = [(after[1] - before[1]) / (after[0] - before[0]) for before, after in pairwise(read)]
    return (
        Claim(tr("Every merge raises it"), yes, yes_or_no(rising)),
        Claim(
            tr("Pair counts never increase"),
            yes,
            yes_or_no(counts == sorted(counts, reverse=True)),
        ),
        Claim(tr("It rises ever more slowly"), yes, yes_or_no(slopes == sorted(slopes, reverse=True))),
    )


def _curve_table(points: tuple[tuple[float, float], ...]) -> ResultTable:
    step = max(1, (len(points) - 1) // (2 * READINGS))
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


def training_speed_card() -> Card:
    """Return the card that trains 2,000 entries on 33 KB."""
    return Card(
        "E26",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "2,000 entries from 33 KB of text"),
        QT_TRANSLATE_NOOP("Lab", "A lesson says that takes about three seconds. How long does it take here?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "A fraction of that. A plain trainer counts every pair again for each merge; this one keeps the counts and "
            "changes only those that a merge touches. The text is the beginning of the GNU General Public License.",
        ),
        _training_speed,
        licence(),
        (NumberField("entries", QT_TRANSLATE_NOOP("Lab", "Entries"), 2_000, 257, 20_000),),
        trainable=True,
    )


def compression_cards(text: str) -> tuple[Card, ...]:
    """Return the cards. ``text``: the initial text of the curve."""
    return (
        Card(
            "E9",
            SHRINKING,
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
            SHRINKING,
            QT_TRANSLATE_NOOP("Lab", "Repetitive code collapses"),
            QT_TRANSLATE_NOOP("Lab", "What happens to two lines of code, repeated 400 times?"),
            QT_TRANSLATE_NOOP(
                "Lab",
                "Without a split, three tokens, one of them 8,448 bytes long: memorized, and useless elsewhere. With "
                "a split, tokens stay within words, and training stops by itself.",
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


SUBJECT = QT_TRANSLATE_NOOP("Lab", "Sizes, costs, speed")
PROMPT = """\
You are a helpful assistant. Analyze the following text
and provide a summary in 3 bullet points. Focus on the key findings
and their implications for the field of machine learning."""
USD_PER_1000 = Decimal("0.03")
"""Price of GPT-4's input tokens in the lesson, in USD per thousand. For current prices see the table."""
SIZES = (
    ("r50k_base", 50_257),
    ("p50k_base", 50_281),
    ("cl100k_base", 100_277),
    ("o200k_base", 200_019),
    ("o200k_harmony", 201_088),
)
RANKED = {"cl100k_base": 100_256, "o200k_base": 199_998}
"""Number of entries that are tokens of texts; the others are special tokens and unused IDs."""
GIGA = 10**9
MIN_SECONDS = 0.2
CORPUS_TOKENS = 15 * 10**12
"""Size of the corpus of a large model of 2024: 15 trillion tokens (Llama 3, Meta)."""
SECONDS_A_DAY = 86_400
CORPUS_BYTES = 33_000
SLICE_SECONDS = 0.03


def _bill(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    tokens = {name: tools.open_encoding(name).count(inputs.text) for name in ("cl100k_base", "o200k_base")}
    cost = tokens["cl100k_base"] * USD_PER_1000 / 1000
    claims = (
        Claim(tr("Tokens in cl100k_base"), "38", str(tokens["cl100k_base"])),
        Claim(tr("Tokens in o200k_base"), "37", str(tokens["o200k_base"])),
        Claim(tr("Cost with GPT-4 at $0.03 for 1,000"), "$0.00114", f"${cost.normalize():f}"),
    )
    rows = tuple((name, number(count)) for name, count in tokens.items())
    return Outcome(
        claims if own else (),
        (ResultTable(tr("The prompt"), (tr("Encoding"), tr("Tokens")), rows, frozenset({1})),),
        remark=tr("At $0.03 for 1,000 tokens: ${cost}.").format(cost=f"{cost.normalize():f}"),
    )


def _embedding(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    entries, width, size = (inputs.number(key) for key in ("entries", "width", "bytes"))
    weights = entries * width
    rows = (
        (tr("Weights of the table"), number(weights)),
        (tr("Memory, GB"), f"{weights * size / GIGA:.2f}"),
        (tr("Memory with untied output embeddings, GB"), f"{2 * weights * size / GIGA:.2f}"),
    )
    claims = (
        Claim(tr("Weights of 200,000 × 4,096"), "819,200,000", number(weights)),
        Claim(tr("Memory at 2 bytes each, GB"), "1.64", rows[1][1]),
    )
    table = ResultTable(tr("The table of embeddings"), (tr("Figure"), tr("Value")), rows, frozenset({1}))
    return Outcome(claims if own else (), (table,))


def _sizes(_inputs: Inputs, tools: Tools, _own: bool) -> Outcome:
    from engine.vocabulary.entries.table import BYTE, MERGE, entries_of

    rows, claims = [], []
    for place, (name, size) in enumerate(SIZES):
        tools.progress(place / len(SIZES))
        encoding = tools.open_encoding(name)
        special = len(encoding.special_tokens_set)
        rows.append((name, number(encoding.n_vocab), number(special)))
        claims.append(Claim(tr("IDs of {name}").format(name=name), number(size), number(encoding.n_vocab)))
        if name in RANKED:
            kinds = entries_of(encoding).kinds
            ranked = int(((kinds == BYTE) | (kinds == MERGE)).sum())
            claims.append(
                Claim(tr("Tokens of texts in {name}").format(name=name), number(RANKED[name]), number(ranked))
            )
    columns = (tr("Encoding"), tr("IDs"), tr("Special tokens"))
    return Outcome(tuple(claims), (ResultTable(tr("Loaded"), columns, tuple(rows), frozenset({1, 2})),))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _speed(inputs: Inputs, tools: Tools, _own: bool) -> Outcome:
    encoding = tools.open_encoding("o200k_base")
    line = inputs.text + "\n"
    copies = max(1, inputs.number("megabytes") * 10**6 // _size(line))
    text, size = line * copies, _size(line) * copies
    encoding.count(text)
    began, rounds = time.perf_counter(), 0
    while rounds == 0 or time.perf_counter() - began < MIN_SECONDS:
        tokens = encoding.count(text)
        rounds += 1
        tools.progress(0.5)
    seconds = (time.perf_counter() - began) / rounds
    per_second = tokens / seconds
    rows = (
        (tr("Text counted, MB"), f"{size / 10**6:.1f}"),
        (tr("MB per second, one thread"), f"{size / seconds / 10**6:,.0f}"),
        (tr("Tokens per second"), f"{per_second:,.0f}"),
        (tr("Days for 15 trillion tokens"), f"{CORPUS_TOKENS / per_second / SECONDS_A_DAY:,.1f}"),
    )
    table = ResultTable(tr("Measured just now, on this machine"), (tr("Figure"), tr("Value")), rows, frozenset({1}))
    remark = tr(
        "The text repeats itself, which is the best case. In the first seconds of a first start tiktoken counts."
    )
    return Outcome((), (table,), remark=remark)


def licence() -> str:
    """Return the training corpus: the first 33 KB of a text that every copy of the program contains."""
    text = resources.files("gui.core").joinpath("licence_texts/GPL-3.0.txt").read_text("utf-8")
    return text[:CORPUS_BYTES]  # ASCII


def _training_speed(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    """Train with the program's trainer. Kernels that are not compiled yet are compiled in another process."""
    import engine
    from engine.encoding import compiling
    from engine.kernels.cache_folder import kept_in

    if not inputs.text:
        return Outcome(remark=tr("No text to train on."))
    folder = compiling.folder_with(compiling.TRAIN, tools.kernels)
    if not compiling.keeps_nothing(folder) and not compiling.is_compiled(folder, compiling.TRAIN):
        with contextlib.suppress(compiling.CompilingFailedError):  # then they are compiled here, slowly
            compiling.compile_in_child(folder, [compiling.TRAIN], lambda: tools.progress(0.1))
    entries = inputs.number("entries")
    with kept_in(folder):
        engine.train(["load the trainer"], vocab_size=260, pattern=GPT4_SPLIT, min_count=1)
        began = time.perf_counter()
        run = engine.TrainingRun([inputs.text], vocab_size=entries, pattern=GPT4_SPLIT, min_count=1)
        while not run.done:
            progress = run.advance(seconds=SLICE_SECONDS)
            tools.progress(0.2 + 0.8 * progress.fraction)
        seconds = time.perf_counter() - began
        learned = run.encoding("lab")
    size, tokens = _size(inputs.text), learned.count(inputs.text)
    rows = (
        (tr("Corpus, bytes"), number(size)),
        (tr("Entries"), number(learned.n_vocab)),
        (tr("Seconds"), f"{seconds:.3f}"),
        (tr("Entries learned per second"), f"{max(0, learned.n_vocab - len(BYTES)) / max(seconds, 1e-6):,.0f}"),
        (tr("Bytes per token"), f"{size / max(tokens, 1):.2f}"),
    )
    table = ResultTable(tr("Measured just now, on this machine"), (tr("Figure"), tr("Value")), rows, frozenset({1}))
    claims = (Claim(tr("Entries"), "2,000", number(learned.n_vocab)),)
    return Outcome(claims if own else (), (table,), remark=tr("Loading the trainer is not included."))


CARDS = (
    Card(
        "E22",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Cost of a prompt"),
        QT_TRANSLATE_NOOP("Lab", "How many tokens is a short instruction, and what was it with GPT-4?"),
        QT_TRANSLATE_NOOP(
            "Lab", "38 and 37 tokens; the lesson prints 35 and 34. Today's prices are in the cost table."
        ),
        _bill,
        PROMPT,
        encoding="cl100k_base",
    ),
    Card(
        "E25",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Memory of a vocabulary in a model"),
        QT_TRANSLATE_NOOP("Lab", "How much memory do the embeddings of all tokens take?"),
        QT_TRANSLATE_NOOP(
            "Lab", "Entries × width × bytes per weight; twice that where input and output embeddings are not tied."
        ),
        _embedding,
        fields=(
            NumberField("entries", QT_TRANSLATE_NOOP("Lab", "Entries"), 200_000, 1, 10_000_000),
            NumberField("width", QT_TRANSLATE_NOOP("Lab", "Width"), 4_096, 1, 1_000_000),
            NumberField("bytes", QT_TRANSLATE_NOOP("Lab", "Bytes per weight"), 2, 1, 8),
        ),
        takes_text=False,
    ),
    Card(
        "sizes",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Sizes of known vocabularies"),
        QT_TRANSLATE_NOOP("Lab", "How many IDs do the published encodings have?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Read from the vocabularies themselves. Figures in lessons are often off by a few, depending on whether "
            "special tokens and unused IDs are counted.",
        ),
        _sizes,
        takes_text=False,
    ),
    Card(
        "speed",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Counting speed"),
        QT_TRANSLATE_NOOP("Lab", "How long would the corpus of a large model take?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "At a million tokens per second, 15 trillion take 174 days. "
            "Measure the speed of this machine, on one thread.",
        ),
        _speed,
        PROMPT,
        (NumberField("megabytes", QT_TRANSLATE_NOOP("Lab", "Megabytes"), 5, 1, 100),),
    ),
)

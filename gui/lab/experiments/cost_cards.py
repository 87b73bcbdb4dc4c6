"""Cards on what vocabularies weigh and cost, and how fast this program counts."""

from __future__ import annotations

import time
from decimal import Decimal

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.types import Card, Claim, Inputs, NumberField, Outcome, ResultTable, Tools
from gui.lab.experiments.words import number, tr

SUBJECT = QT_TRANSLATE_NOOP("Lab", "Sizes, costs, speed")
PROMPT = """\
You are a helpful assistant. Analyze the following text
and provide a summary in 3 bullet points. Focus on the key findings
and their implications for the field of machine learning."""
USD_PER_1000 = Decimal("0.03")
"""Price of GPT-4's input tokens, in USD for a thousand, as the lesson gives it. For today's prices see the table."""
SIZES = (
    ("r50k_base", 50_257),
    ("p50k_base", 50_281),
    ("cl100k_base", 100_277),
    ("o200k_base", 200_019),
    ("o200k_harmony", 201_088),
)
RANKED = {"cl100k_base": 100_256, "o200k_base": 199_998}
"""How many of the entries are tokens of texts; the others are special tokens and ids that nothing has."""
GIGA = 10**9
LEAST_SECONDS = 0.2
CORPUS_TOKENS = 15 * 10**12
"""Size of the corpus of a large model of 2024: 15 trillion tokens (Llama 3, Meta)."""
SECONDS_A_DAY = 86_400


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
        (tr("Memory with an output layer of its own, GB"), f"{2 * weights * size / GIGA:.2f}"),
    )
    claims = (
        Claim(tr("Weights of 200,000 × 4,096"), "819,200,000", number(weights)),
        Claim(tr("Memory at 2 bytes each, GB"), "1.64", rows[1][1]),
    )
    table = ResultTable(tr("The table of embeddings"), (tr("Figure"), tr("Value")), rows, frozenset({1}))
    return Outcome(claims if own else (), (table,))


def _sizes(_inputs: Inputs, tools: Tools, _own: bool) -> Outcome:
    from engine.entries.table import BYTE, MERGE, entries_of

    rows, claims = [], []
    for place, (name, size) in enumerate(SIZES):
        tools.progress(place / len(SIZES))
        encoding = tools.open_encoding(name)
        special = len(encoding.special_tokens_set)
        rows.append((name, number(encoding.n_vocab), number(special)))
        claims.append(Claim(tr("Ids of {name}").format(name=name), number(size), number(encoding.n_vocab)))
        if name in RANKED:
            kinds = entries_of(encoding).kinds
            ranked = int(((kinds == BYTE) | (kinds == MERGE)).sum())
            claims.append(
                Claim(tr("Tokens of texts in {name}").format(name=name), number(RANKED[name]), number(ranked))
            )
    columns = (tr("Encoding"), tr("Ids"), tr("Special tokens"))
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
    while rounds == 0 or time.perf_counter() - began < LEAST_SECONDS:
        tokens = encoding.count(text)
        rounds += 1
        tools.progress(0.5)
    seconds = (time.perf_counter() - began) / rounds
    per_second = tokens / seconds
    rows = (
        (tr("Text counted, MB"), f"{size / 10**6:.1f}"),
        (tr("MB a second, one thread"), f"{size / seconds / 10**6:,.0f}"),
        (tr("Tokens a second"), f"{per_second:,.0f}"),
        (tr("Days for 15 trillion tokens"), f"{CORPUS_TOKENS / per_second / SECONDS_A_DAY:,.1f}"),
    )
    table = ResultTable(tr("Measured just now, on this machine"), (tr("Figure"), tr("Value")), rows, frozenset({1}))
    remark = tr(
        "The text repeats itself, which is the best case. In the first seconds of a first start tiktoken counts."
    )
    return Outcome((), (table,), remark=remark)


CARDS = (
    Card(
        "E22",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "What a prompt costs"),
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
        QT_TRANSLATE_NOOP("Lab", "What a vocabulary weighs in a model"),
        QT_TRANSLATE_NOOP("Lab", "How much memory do the embeddings of all tokens take?"),
        QT_TRANSLATE_NOOP(
            "Lab", "Entries × width × bytes of a weight; twice that where input and output do not share it."
        ),
        _embedding,
        fields=(
            NumberField("entries", QT_TRANSLATE_NOOP("Lab", "Entries"), 200_000, 1, 10_000_000),
            NumberField("width", QT_TRANSLATE_NOOP("Lab", "Width"), 4_096, 1, 1_000_000),
            NumberField("bytes", QT_TRANSLATE_NOOP("Lab", "Bytes of a weight"), 2, 1, 8),
        ),
        takes_text=False,
    ),
    Card(
        "sizes",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "How large known vocabularies are"),
        QT_TRANSLATE_NOOP("Lab", "How many ids do the published encodings have?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Read from the vocabularies themselves. The figures printed in lessons are often off by a few: special "
            "tokens and ids that nothing has are counted by some and not by others.",
        ),
        _sizes,
        takes_text=False,
    ),
    Card(
        "E26",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "How fast this program counts"),
        QT_TRANSLATE_NOOP("Lab", "How long would the corpus of a large model take?"),
        QT_TRANSLATE_NOOP(
            "Lab", "At a million tokens a second 15 trillion take 174 days. Measure what it is here, on one thread."
        ),
        _speed,
        PROMPT,
        (NumberField("megabytes", QT_TRANSLATE_NOOP("Lab", "Megabytes"), 5, 1, 100),),
    ),
)

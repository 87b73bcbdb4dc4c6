"""Cards that train: small texts whose merges can be followed by hand, compression of a text, and training speed.

The texts are those of published lessons on byte-pair encoding. Among equally frequent pairs these lessons choose the
one seen first, and so do the cards; the trainer of this program chooses the pair with the smaller IDs. The results that
the lessons print are not always the actual ones.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
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
    Run,
    Tools,
    number,
    pieces,
    tr,
    yes_or_no,
)

if TYPE_CHECKING:
    from engine.training.reference import PlainMerge
    from engine.training.types import TrainingCurve


# --- small texts ------------------------------------------------------------------------------------------------------

WORD_END = "</w>"
BYTES = tuple(bytes([value]) for value in range(256))
MAX_CHARACTERS = 40_000
"""Maximum number of symbols: this trainer scans the whole text for every merge. Longer texts are for the Train page."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Result of a training. ``symbols``: bytes of every ID, alphabet first. ``before``: tokens of the texts
    unmerged."""

    merges: tuple[PlainMerge, ...]
    symbols: tuple[bytes, ...]
    before: int

    @property
    def alphabet(self) -> int:
        """Number of symbols before the first merge."""
        return len(self.symbols) - len(self.merges)

    @property
    def tokens(self) -> int:
        """Number of tokens of the texts after the last merge."""
        return self.merges[-1].tokens_left if self.merges else self.before

    def name(self, index: int) -> str:
        """Return the symbol that merge number ``index`` made, as text."""
        return self.symbols[self.alphabet + index].decode("utf-8", "backslashreplace")

    def steps(self) -> list[tuple[str, int]]:
        """Return for each merge the symbol it made and the count of its pair."""
        return [(self.name(index), merge.count) for index, merge in enumerate(self.merges)]

    def encode(self, word: Sequence[bytes]) -> list[int]:
        """Return the IDs of a pretoken by replaying the merges in training order.

        Raises KeyError if a symbol is not in the alphabet.
        """
        from engine.training.reference import merge_pair

        symbol_ids = {symbol: index for index, symbol in enumerate(self.symbols[: self.alphabet])}
        ids = [symbol_ids[symbol] for symbol in word]
        for index, merge in enumerate(self.merges):
            merge_pair(ids, (merge.left_id, merge.right_id), self.alphabet + index)
        return ids


def learn(
    words: Sequence[Sequence[bytes]],
    merges: int,
    *,
    alphabet: Sequence[bytes] | None = None,
    min_count: int = 1,
    first_seen: bool = False,
) -> Learned:
    """Train on pretokens, each a sequence of symbols. ``alphabet``: all symbols; None: those of the pretokens, sorted.

    Raises ValueError if there are more than ``MAX_CHARACTERS`` symbols.
    """
    from engine.training.reference import learn_merges

    if sum(map(len, words)) > MAX_CHARACTERS:
        raise ValueError(f"The Lab trains on up to {MAX_CHARACTERS:,} symbols. Use the Train page for more.")
    symbols = list(alphabet) if alphabet is not None else sorted({symbol for word in words for symbol in word})
    symbol_ids = {symbol: index for index, symbol in enumerate(symbols)}
    counted = Counter(tuple(symbol_ids[symbol] for symbol in word) for word in words)
    found = learn_merges(counted, symbols, merges, min_count=min_count, first_seen=first_seen)
    for merge in found:
        symbols.append(symbols[merge.left_id] + symbols[merge.right_id])
    return Learned(tuple(found), tuple(symbols), sum(map(len, words)))


def in_bytes(word: str) -> list[bytes]:
    """Return a pretoken as single bytes."""
    data = word.encode("utf-8", "surrogatepass")
    return [data[index : index + 1] for index in range(len(data))]


def in_characters(word: str, *, marked: bool = False) -> list[bytes]:
    """Return a pretoken as characters. ``marked``: append the end-of-word marker."""
    symbols = [character.encode("utf-8", "surrogatepass") for character in word]
    return [*symbols, WORD_END.encode()] if marked else symbols


def size_of(text: str) -> int:
    """Return the size of a text in UTF-8, in bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


def split_words(text: str, pattern: str) -> list[str]:
    """Return the pretokens of a text, split with the pattern of this name."""
    from engine.split.patterns import split_named
    from engine.split.pretokenization import pretokenizer

    return pretokenizer(split_named(pattern).expression).pretokens(text)


SUBJECT = QT_TRANSLATE_NOOP("Lab", "Training on a few words")
CATS_SENTENCES = "the cat in the hat sat on the mat. the cat and the hat."
CATS = f"{CATS_SENTENCES} the cat is a fat cat."
RHYMES = "the cat sat on the mat the cat and the bat the rat sat on the flat mat that the cat sat on"
LOW = "low lower lowest new newer"
HUGS = " ".join(["hug"] * 10 + ["pug"] * 5 + ["pun"] * 12 + ["bun"] * 4 + ["hugs"] * 5)
SIMPLE_SPLIT = re.compile(r" ?\w+|[^\w\s]")


def _merges_field(value: int) -> tuple[NumberField, ...]:
    return (NumberField("merges", QT_TRANSLATE_NOOP("Lab", "Merges"), value, 1, 500),)


def merge_table(learned: Learned) -> ResultTable:
    """Return a table of all merges of a training, in order."""
    rows = tuple(
        (
            number(index + 1),
            pieces([learned.symbols[merge.left_id], learned.symbols[merge.right_id]]),
            pieces([learned.symbols[learned.alphabet + index]]),
            number(merge.count),
            number(merge.tokens_left),
        )
        for index, merge in enumerate(learned.merges)
    )
    columns = (tr("Merge"), tr("Pair"), tr("Becomes"), tr("Seen"), tr("Tokens left"))
    return ResultTable(tr("Learned tokens"), columns, rows, frozenset({0, 3, 4}))


def _steps(learned: Learned, most: int | None = None) -> str:
    return ", ".join(f"{name.replace(' ', '␠')} {count}" for name, count in learned.steps()[:most])


def _in_bytes(inputs: Inputs, merges: int) -> Learned:
    """Train on the whole text as one pretoken of bytes."""
    return learn([in_bytes(inputs.text)], merges, alphabet=BYTES, first_seen=True)


def _two_merges(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    learned = _in_bytes(inputs, inputs.number("merges"))
    ids = learned.encode(in_bytes(inputs.text))
    claims = (
        Claim(
            tr("Merged pairs"),
            "(97, 98) ×3, (97, 256) ×2",
            ", ".join(f"({m.left_id}, {m.right_id}) ×{m.count}" for m in learned.merges),
        ),
        Claim(
            tr("Tokens before and after each merge"),
            "10, 7, 5",
            ", ".join(map(str, (learned.before, *(m.tokens_left for m in learned.merges)))),
        ),
        Claim(tr("Final IDs"), "257 32 257 32 256", " ".join(map(str, ids))),
    )
    return Outcome(claims if own else (), (merge_table(learned),))


def _ten_merges(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    learned = _in_bytes(inputs, inputs.number("merges"))
    claims = (
        Claim(
            tr("Merges with their counts"),
            "at 6, th 5, the 5, the␠ 5, at␠ 4, ␠the␠ 4, cat␠ 2, n␠the␠ 2, at. 2, the␠cat␠ 1",
            _steps(learned),
        ),
        Claim(
            tr("Tokens after each merge"),
            "49, 44, 39, 34, 30, 26, 24, 22, 20, 19",
            ", ".join(str(merge.tokens_left) for merge in learned.merges),
        ),
    )
    return Outcome(claims if own else (), (merge_table(learned),))


def _two_sizes(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    *corpus, sentence = inputs.text.splitlines() or [""]
    sizes = (inputs.number("small"), inputs.number("large"))
    rows, counts = [], []
    for size in sizes:
        learned = learn([in_bytes("\n".join(corpus))], size - 256, alphabet=BYTES, first_seen=True)
        ids = learned.encode(in_bytes(sentence))
        counts.append(len(ids))
        rows.append((number(size), number(len(ids)), pieces(learned.symbols[token] for token in ids)))
    table = ResultTable(
        tr("The last line, in both vocabularies"),
        (tr("Entries"), tr("Tokens"), tr("Split")),
        tuple(rows),
        frozenset({0, 1}),
    )
    claims = tuple(
        Claim(tr("Tokens with {n} entries").format(n=size), str(expected), str(found))
        for size, expected, found in zip(sizes, (16, 10), counts, strict=True)
    )
    return Outcome(claims if own else (), (table,))


def _with_and_without_split(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    *corpus, sentence = inputs.text.splitlines() or [""]
    text, merges = "\n".join(corpus), inputs.number("merges")
    plain = learn([in_bytes(text)], merges, alphabet=BYTES, first_seen=True)
    words = learn([in_bytes(word) for word in SIMPLE_SPLIT.findall(text)], merges, alphabet=BYTES, first_seen=True)
    whole = [plain.symbols[token] for token in plain.encode(in_bytes(sentence))]
    split = [words.symbols[token] for word in SIMPLE_SPLIT.findall(sentence) for token in words.encode(in_bytes(word))]
    rows = (
        (tr("No split: merges cross the spaces"), number(len(whole)), pieces(whole)),
        (tr("Words with the space before them"), number(len(split)), pieces(split)),
    )
    table = ResultTable(
        tr("The last line, both ways"), (tr("Training"), tr("Tokens"), tr("Split")), rows, frozenset({1})
    )
    claims = (
        Claim(tr("Tokens without a split"), "8", str(len(whole))),
        Claim(tr("Tokens with words kept apart"), "6", str(len(split))),
    )
    return Outcome(claims if own else (), (table,))


def _rhymes(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    words = [in_characters(word) for word in inputs.text.split()]
    learned = learn(words, inputs.number("merges"), first_seen=True)
    claims = (
        Claim(tr("The first seven merges"), "at 12, th 8, the 7, cat 3, sat 3, on 3, mat 2", _steps(learned, 7)),
        Claim(tr("Possible merges"), "14", str(len(learned.merges))),
    )
    return Outcome(claims if own else (), (merge_table(learned),))


def _counted_words(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    words = [in_characters(word) for word in inputs.text.split()]
    learned = learn(words, inputs.number("merges"), first_seen=True)
    claims = (Claim(tr("Merges"), "ug 20, un 16, hug 15, pun 12", _steps(learned)),)
    return Outcome(claims if own else (), (merge_table(learned),))


def _marked(inputs: Inputs) -> Learned:
    """Train on the words of the first line, with end-of-word markers; the alphabet has the characters of all lines."""
    first, *_ = inputs.text.splitlines() or [""]
    words = [in_characters(word, marked=True) for word in first.split()]
    alphabet = sorted({symbol for word in inputs.text.split() for symbol in in_characters(word, marked=True)})
    return learn(words, inputs.number("merges"), alphabet=alphabet, first_seen=True)


def _shared_stem(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    learned = _marked(inputs)
    rest = {count for _, count in learned.steps()[2:]}
    claims = (
        Claim(tr("The first two merges"), "ea 3, eat 3", _steps(learned, 2)),
        Claim(tr("How often every later pair was seen"), "1", ", ".join(map(str, sorted(rest)))),
    )
    return Outcome(claims if own else (), (merge_table(learned),))


def _stem_before_ending(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    learned = _marked(inputs)
    claims = (
        Claim(
            tr("Merges"),
            "lo 3, low 3, lowe 2, r</w> 2, ne 2, new 2, low</w> 1, lower</w> 1",
            _steps(learned),
        ),
    )
    return Outcome(claims if own else (), (merge_table(learned),))


def _seen_and_unseen(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    learned = _marked(inputs)
    rows = []
    for word in " ".join(inputs.text.splitlines()[1:]).split():
        ids = learned.encode(in_characters(word, marked=True))
        rows.append((word, pieces(learned.symbols[token] for token in ids)))
    expected = ("lower</w>", "lowe │ s │ t │ </w>", "low │ l │ y │ </w>")
    claims = tuple(Claim(word, split, found) for (word, found), split in zip(rows, expected, strict=False))
    table = ResultTable(tr("The words of the last line"), (tr("Word"), tr("Split")), tuple(rows))
    return Outcome(claims if own else (), (table,))


def _left_to_right(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    from engine.training.reference import merge_pair

    rows = []
    for line in inputs.text.splitlines():
        word, _, pair = line.partition(" ")
        if len(pair) != 2:
            continue
        symbols = [*map(ord, word)]
        merge_pair(symbols, (ord(pair[0]), ord(pair[1])), ord("Z"))
        rows.append((word, pair, " ".join(map(chr, symbols))))
    expected = ("Z b", "Z a", "Z Z a")
    claims = tuple(
        Claim(f"{word}, {pair} → Z", symbols, found)
        for (word, pair, found), symbols in zip(rows, expected, strict=False)
    )
    columns = (tr("Symbols"), tr("Pair"), tr("After merging it into Z"))
    return Outcome(claims if own else (), (ResultTable(tr("Merging"), columns, tuple(rows)),))


def _unseen_script(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    *corpus, unseen = inputs.text.splitlines() or [""]
    words = SIMPLE_SPLIT.findall("\n".join(corpus))
    learned = learn([in_bytes(word) for word in words], inputs.number("merges"), alphabet=BYTES)
    ids = learned.encode(in_bytes(unseen))
    back = b"".join(learned.symbols[token] for token in ids).decode("utf-8", "replace")
    rows = ((tr("Characters"), number(len(unseen))), (tr("Tokens"), number(len(ids))), (tr("Decoded again"), back))
    claims = (
        Claim(tr("Tokens per character"), "3", f"{len(ids) / max(len(unseen), 1):g}"),
        Claim(tr("Decoded text"), unseen, back),
    )
    return Outcome(claims if own else (), (ResultTable(tr("The last line"), (tr("Figure"), tr("Value")), rows),))


def _card(key: str, title: str, question: str, truth: str, run: Run, text: str, merges: int) -> Card:
    return Card(key, SUBJECT, title, question, truth, run, text, _merges_field(merges), trainable=True)


TRAINING_CARDS = (
    _card(
        "E1",
        QT_TRANSLATE_NOOP("Lab", "Two merges of a toy text"),
        QT_TRANSLATE_NOOP("Lab", "What do the first two merges do to ten bytes?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "The pair (97, 256) and the pair (256, 32) both occur twice: a tie. Here the lower pair wins, which is "
            "what makes training repeatable.",
        ),
        _two_merges,
        "aab aab ab",
        2,
    ),
    _card(
        "E2",
        QT_TRANSLATE_NOOP("Lab", "Ten merges of two sentences"),
        QT_TRANSLATE_NOOP("Lab", "Which byte pairs are merged first, and how fast does the text shrink?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Without a split, merges cross spaces: after a few steps “the␠” and even “␠the␠” are tokens. The list "
            "printed in the lesson this comes from is another one and is wrong.",
        ),
        _ten_merges,
        CATS_SENTENCES,
        10,
    ),
    Card(
        "E3",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "A larger vocabulary, fewer tokens"),
        QT_TRANSLATE_NOOP("Lab", "What do twenty more entries save on a sentence like those trained on?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "All lines but the last are trained on. More merges can only shorten the texts they were learned from.",
        ),
        _two_sizes,
        f"{CATS}\nthe fat cat sat on the mat",
        (
            NumberField("small", QT_TRANSLATE_NOOP("Lab", "Entries"), 260, 256, 700),
            NumberField("large", QT_TRANSLATE_NOOP("Lab", "Entries, larger"), 280, 256, 700),
        ),
        trainable=True,
    ),
    _card(
        "E4",
        QT_TRANSLATE_NOOP("Lab", "With and without a split"),
        QT_TRANSLATE_NOOP("Lab", "What changes when words are kept apart before anything is merged?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "8 tokens against 6. The lesson prints 10 for both. On a text this small a split wins, because no merge is "
            "spent on pairs across a space.",
        ),
        _with_and_without_split,
        f"{CATS}\nthe cat sat on the mat",
        20,
    ),
    _card(
        "E5",
        QT_TRANSLATE_NOOP("Lab", "Rhyming words run out of pairs"),
        QT_TRANSLATE_NOOP("Lab", "Fifteen merges are asked for. How many are there?"),
        QT_TRANSLATE_NOOP(
            "Lab", "Fourteen: when every word is one token, there are no pairs left. A trainer has to stop."
        ),
        _rhymes,
        RHYMES,
        15,
    ),
    _card(
        "hug",
        QT_TRANSLATE_NOOP("Lab", "Words are weighted by frequency"),
        QT_TRANSLATE_NOOP("Lab", "Which pair is most frequent in hug ×10, pug ×5, pun ×12, bun ×4, hugs ×5?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Pairs are weighed by how often their word occurs: “ug” 20 before “un” 16, though both are in three words.",
        ),
        _counted_words,
        HUGS,
        4,
    ),
    _card(
        "E6",
        QT_TRANSLATE_NOOP("Lab", "A shared stem comes first"),
        QT_TRANSLATE_NOOP("Lab", "What is learned from eat, eater, eating?"),
        QT_TRANSLATE_NOOP(
            "Lab", "“ea” and “eat”; after that every pair occurs once, and which comes next is a matter of ties."
        ),
        _shared_stem,
        "eat eater eating",
        20,
    ),
    _card(
        "E7",
        QT_TRANSLATE_NOOP("Lab", "The stem before the ending"),
        QT_TRANSLATE_NOOP("Lab", "Is “er” the first merge of low, lower, lowest, new, newer?"),
        QT_TRANSLATE_NOOP("Lab", "No, though the lesson says so: “er” occurs twice, “lo” three times."),
        _stem_before_ending,
        LOW,
        8,
    ),
    _card(
        "E8",
        QT_TRANSLATE_NOOP("Lab", "Seen and unseen words"),
        QT_TRANSLATE_NOOP("Lab", "How are lower, lowest and lowly split after those eight merges?"),
        QT_TRANSLATE_NOOP("Lab", "Words seen whole are one token; others fall back to known subwords."),
        _seen_and_unseen,
        f"{LOW}\nlower lowest lowly",
        8,
    ),
    Card(
        "left-to-right",
        SUBJECT,
        QT_TRANSLATE_NOOP("Lab", "Merging goes from left to right"),
        QT_TRANSLATE_NOOP("Lab", "What happens to aaa when aa is merged?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "“aaa” holds the pair twice, and it is merged once: what a merge has taken, no other can have. Each line "
            "is a word and a pair.",
        ),
        _left_to_right,
        "abb ab\naaa aa\naaaaa aa",
    ),
    _card(
        "E27",
        QT_TRANSLATE_NOOP("Lab", "An unseen script"),
        QT_TRANSLATE_NOOP("Lab", "What does a vocabulary learned from English make of Chinese?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Every character falls back to its three bytes. Nothing fails and nothing is lost; it is just expensive.",
        ),
        _unseen_script,
        "All of this is English, and nothing else is.\nSo far it is English still.\n敏捷的棕色狐狸",
        40,
    ),
)


# --- compression and speed --------------------------------------------------------------------------------------------

MEASURES = QT_TRANSLATE_NOOP("Lab", "Sizes, costs, speed")
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
    after = ((len(BYTES) + index + 1, merge.tokens_left) for index, merge in enumerate(learned.merges))
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
    title = tr("{n} bytes").format(n=number(size_of(text)))
    return Outcome(claims if own else (), (ResultTable(title, columns, rows, frozenset({1, 2, 3})),))


CORPUS_BYTES = 33_000
SLICE_SECONDS = 0.03


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
    size, tokens = size_of(inputs.text), learned.count(inputs.text)
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


def training_speed_card() -> Card:
    """Return the card that trains 2,000 entries on 33 KB."""
    return Card(
        "E26",
        MEASURES,
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

"""Cards that encode texts with published encodings, under four headings.

From text to IDs: a vocabulary of whole words, and the five stages of a real tokenizer. Words in published vocabularies.
Languages: the same article in several of them. Sizes, costs, speed.
"""

from __future__ import annotations

import functools
import json
import re
import time
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from importlib import resources

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
    pieces,
    token_pieces,
    tr,
    yes_or_no,
)
from gui.lab.experiments.training_cards import MEASURES, size_of, split_words

# --- from text to ids -------------------------------------------------------------------------------------------------

PIPELINE = QT_TRANSLATE_NOOP("Lab", "From text to IDs")
WORDS_AND_MARKS = re.compile(r"\w+|[^\w\s]")
UNKNOWN = "[UNK]"
OLD, GPT4, GPT4O = "r50k_base", "cl100k_base", "o200k_base"
LIGATURES = "\ufb01nance o\ufb03ce"
DECOMPOSED = "cafe\u0301 re\u0301sume\u0301"


def _three_splits(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    *known, unseen = inputs.text.splitlines() or [""]
    encoding = tools.open_encoding(GPT4O)
    vocabulary = set(WORDS_AND_MARKS.findall("\n".join(known)))
    words = [word if word in vocabulary else UNKNOWN for word in WORDS_AND_MARKS.findall(unseen)]
    characters = list(unseen)
    ids = encoding.encode_ordinary(unseen)
    rows = (
        (tr("Words"), number(len(vocabulary)), number(len(words)), number(words.count(UNKNOWN)), pieces(words)),
        (
            tr("Characters"),
            number(len(set("".join(known)))),
            number(len(characters)),
            number(len(set(characters) - set("".join(known)))),
            pieces(characters),
        ),
        (
            tr("Subwords, {name}").format(name=GPT4O),
            number(encoding.n_vocab),
            number(len(ids)),
            "0",
            token_pieces(encoding, ids),
        ),
    )
    columns = (tr("Split by"), tr("Vocabulary"), tr("Length"), tr("Unknown"), tr("Split"))
    claims = (
        Claim(tr("Words missing from a word vocabulary"), "2", rows[0][3]),
        Claim(tr("Unknown subwords"), "0", rows[2][3]),
        Claim(
            tr("Shorter than characters, longer than words"),
            tr("yes"),
            yes_or_no(len(words) <= len(ids) < len(characters)),
        ),
    )
    table = ResultTable(tr("The last line, which was not seen before"), columns, rows, frozenset({1, 2, 3}))
    return Outcome(claims if own else (), (table,))


def _five_stages(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    encoding = tools.open_encoding(GPT4)
    normal = unicodedata.normalize("NFKC", inputs.text)
    special = sorted(encoding.special_tokens_set, key=len, reverse=True)
    segments = re.split("(" + "|".join(map(re.escape, special)) + ")", normal)
    pretokens: list[str] = []
    for index, segment in enumerate(segments):
        pretokens += [segment] if index % 2 else split_words(segment, GPT4)
    ids = encoding.encode(normal, allowed_special="all")
    ordinary = [
        token for index, segment in enumerate(segments) if not index % 2 for token in encoding.encode_ordinary(segment)
    ]
    rows = (
        (tr("1. Normalize (NFKC)"), number(len(normal)), pieces([normal])),
        (tr("2. Special tokens, found first, never merged"), number(len(segments) // 2), pieces(segments[1::2])),
        (tr("3. Split into pretokens"), number(len(pretokens)), pieces(pretokens)),
        (tr("4. Merge within each"), number(len(ordinary)), token_pieces(encoding, ordinary)),
        (tr("5. IDs"), number(len(ids)), " ".join(map(str, ids))),
    )
    claims = (
        Claim(tr("Special tokens"), "1", rows[1][1]),
        Claim(tr("Decoding gives the normalized text"), tr("yes"), yes_or_no(encoding.decode(ids) == normal)),
        Claim(tr("Decoding gives the original text"), tr("no"), yes_or_no(encoding.decode(ids) == inputs.text)),
    )
    return Outcome(
        claims if own else (),
        (ResultTable(tr("Stage by stage"), (tr("Stage"), tr("Number"), tr("Result")), rows, frozenset({1})),),
        remark=tr("OpenAI's encodings do not normalize; the first stage is shown because others do."),
    )


def _special(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    encoding = tools.open_encoding(GPT4)
    text, token = encoding.encode_ordinary(inputs.text), encoding.encode(inputs.text, allowed_special="all")
    rows = (
        (tr("As text"), number(len(text)), token_pieces(encoding, text), " ".join(map(str, text))),
        (tr("As a special token"), number(len(token)), token_pieces(encoding, token), " ".join(map(str, token))),
    )
    claims = (
        Claim(tr("Tokens as text"), "7", rows[0][1]),
        Claim(tr("As a special token: its ID"), "100257", rows[1][3]),
    )
    columns = (tr("Taken"), tr("Tokens"), tr("Split"), tr("IDs"))
    return Outcome(claims if own else (), (ResultTable(GPT4, columns, rows, frozenset({1})),))


def _bytes(inputs: Inputs, _tools: Tools, own: bool) -> Outcome:
    data = inputs.text.encode("utf-8", "surrogatepass")
    rows = tuple(
        (pieces([character]), f"U+{ord(character):04X}", character.encode("utf-8", "surrogatepass").hex(" "))
        for character in inputs.text
    )
    claims = (Claim(tr("Bytes of UTF-8"), "63 61 66 c3 a9 20 f0 9f 9a 80", data.hex(" ")),)
    columns = (tr("Character"), tr("Code point"), tr("Bytes"))
    return Outcome(claims if own else (), (ResultTable(tr("Character by character"), columns, rows),))


def _partial(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    encoding = tools.open_encoding(GPT4)
    ids = encoding.encode_ordinary(inputs.text)
    rows = tuple(
        (number(token), encoding.decode_single_token_bytes(token).hex(" "), encoding.decode([token])) for token in ids
    )
    claims = (
        Claim(tr("Tokens that are no whole character"), "3", str(sum("\ufffd" in row[2] for row in rows))),
        Claim(tr("All together, decoded"), inputs.text, encoding.decode(ids)),
    )
    columns = (tr("ID"), tr("Bytes"), tr("Decoded alone"))
    return Outcome(claims if own else (), (ResultTable(GPT4, columns, rows, frozenset({0})),))


def _normal_forms(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    encoding = tools.open_encoding(GPT4O)
    rows = []
    for line in inputs.text.splitlines():
        normal = unicodedata.normalize("NFKC", line)
        rows.append((line, number(encoding.count(line)), normal, number(encoding.count(normal))))
    expected = (("6", "2"), ("7", "3"))
    claims = tuple(
        Claim(
            tr("Tokens as written and normalized: “{text}”").format(text=row[2]),
            ", ".join(counts),
            f"{row[1]}, {row[3]}",
        )
        for row, counts in zip(rows, expected, strict=False)
    )
    columns = (tr("As written"), tr("Tokens"), tr("In NFKC"), tr("Tokens"))
    return Outcome(claims if own else (), (ResultTable(GPT4O, columns, tuple(rows), frozenset({1, 3})),))


PIPELINE_CARDS = (
    Card(
        "splits",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "Words, characters, subwords"),
        QT_TRANSLATE_NOOP("Lab", "Why not simply number all words, or all characters?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "A vocabulary of words knows nothing of a new one, one of characters makes texts long. Parts of words lose "
            "nothing and stay short. All lines but the last are what the first two have seen.",
        ),
        _three_splits,
        "the cat sat on the mat\nthe cat and the hat\nthe caterpillar sat on the mattress",
        encoding=GPT4O,
    ),
    Card(
        "pipeline",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "Five stages"),
        QT_TRANSLATE_NOOP("Lab", "What happens to a text before it is a list of IDs?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Each stage sees only the output of the one before. Decoding does not undo normalization.",
        ),
        _five_stages,
        f"The {LIGATURES} opens at 10:30.<|endoftext|>Don't be late!",
        encoding=GPT4,
    ),
    Card(
        "special",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "Text that looks like a special token"),
        QT_TRANSLATE_NOOP("Lab", "What if a prompt contains <|endoftext|>?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "As text it is seven tokens and harmless; as a token it is one, and ends the text. It is counted as text "
            "here.",
        ),
        _special,
        "<|endoftext|>",
        encoding=GPT4,
    ),
    Card(
        "E24",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "Bytes of a text"),
        QT_TRANSLATE_NOOP("Lab", "What does a byte-level vocabulary start from?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "Letters of English take one byte, é two, most emoji four. Whatever can be written has bytes.",
        ),
        _bytes,
        "café 🚀",
    ),
    Card(
        "partial",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "A character in several tokens"),
        QT_TRANSLATE_NOOP("Lab", "What is a token that holds a part of a character?"),
        QT_TRANSLATE_NOOP(
            "Lab", "On its own it cannot be decoded, and is shown as � or as bytes. Together the tokens are the text."
        ),
        _partial,
        "🦥",
        encoding=GPT4,
    ),
    Card(
        "normal-forms",
        PIPELINE,
        QT_TRANSLATE_NOOP("Lab", "The same text, written in another way"),
        QT_TRANSLATE_NOOP("Lab", "What do ligatures and accents apart from their letters cost?"),
        QT_TRANSLATE_NOOP(
            "Lab", "Three times as much: 6 tokens for 2, 7 for 3. Text copied from PDF files is often like that."
        ),
        _normal_forms,
        f"{LIGATURES}\n{DECOMPOSED}",
        encoding=GPT4O,
    ),
)


# --- words ------------------------------------------------------------------------------------------------------------

WORDS = QT_TRANSLATE_NOOP("Lab", "Words in published vocabularies")

Expected = tuple[str, str, int | str]
"""A line, an encoding, and the true result: the number of its tokens, or the tokens themselves."""


def _lines(names: Sequence[str], expected: Sequence[Expected], inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    """Encode every line with every encoding."""
    rows, counts, splits = [], {}, {}
    for index, name in enumerate(names):
        tools.progress(index / len(names))
        encoding = tools.open_encoding(name)
        for line in inputs.text.split("\n"):
            ids = encoding.encode_ordinary(line)
            counts[line, name], splits[line, name] = str(len(ids)), token_pieces(encoding, ids)
    for line in inputs.text.split("\n"):
        rows += [(line, name, number(int(counts[line, name])), splits[line, name]) for name in names]
    claims = []
    if own:
        for line, name, result in expected:
            found = (counts if isinstance(result, int) else splits)[line, name]
            claims.append(Claim(tr("{name}: “{text}”").format(text=line, name=name), str(result), found))
    columns = (tr("Text"), tr("Encoding"), tr("Tokens"), tr("Split"))
    return Outcome(tuple(claims), (ResultTable(tr("Line by line"), columns, tuple(rows), frozenset({2})),))


def _word_card(
    key: str, title: str, question: str, truth: str, names: Sequence[str], expected: Sequence[Expected]
) -> Card:
    text = "\n".join(dict.fromkeys(line for line, _, _ in expected))
    return Card(key, WORDS, title, question, truth, partial(_lines, names, expected), text, encoding=names[-1])


def _berry_merges(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
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
        for row, *both in ((row, counts, row[1:]) for row, counts in zip(rows, expected, strict=False))
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


# --- languages --------------------------------------------------------------------------------------------------------

FIRST_STEP = "Tokenization is the first step in any LLM pipeline."

WORD_CARDS = (
    _word_card(
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
        WORDS,
        QT_TRANSLATE_NOOP("Lab", "Does the token “rr” explain it?"),
        QT_TRANSLATE_NOOP("Lab", "Is “rr” part of how “berry” comes about?"),
        QT_TRANSLATE_NOOP(
            "Lab",
            "No. A lesson claims that the r's hide in a token “rr”. The token exists but plays no part: its merge "
            "comes after those that take the letters.",
        ),
        _berry_merges,
        "berry",
        encoding=GPT4,
    ),
    _word_card(
        "E13",
        QT_TRANSLATE_NOOP("Lab", "Letters of a word that is one token"),
        QT_TRANSLATE_NOOP("Lab", "How many e's are in a token?"),
        QT_TRANSLATE_NOOP("Lab", "“telephone” is one token in both: there are no letters in it for a model to count."),
        (GPT4, GPT4O),
        (("telephone", GPT4, 1), ("telephone", GPT4O, 1)),
    ),
    _word_card(
        "E14",
        QT_TRANSLATE_NOOP("Lab", "Capitals"),
        QT_TRANSLATE_NOOP("Lab", "Does it matter how a name is written?"),
        QT_TRANSLATE_NOOP("Lab", "Yes: different bytes, different tokens, and sometimes a different count."),
        (GPT4, GPT4O),
        (("ChatGPT", GPT4, 3), ("ChatGPT", GPT4O, 2), ("chatgpt", GPT4, 3), ("chatgpt", GPT4O, 3)),
    ),
    _word_card(
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
    _word_card(
        "E16",
        QT_TRANSLATE_NOOP("Lab", "A rare word"),
        QT_TRANSLATE_NOOP("Lab", "What happens to a rare word?"),
        QT_TRANSLATE_NOOP("Lab", "It falls apart into pieces that are common elsewhere, and that mean nothing here."),
        (GPT4, GPT4O),
        (("xylitol", GPT4, "x │ yl │ itol"), ("xylitol", GPT4O, 3)),
    ),
    Card(
        "E17",
        WORDS,
        QT_TRANSLATE_NOOP("Lab", "Words are not tokens"),
        QT_TRANSLATE_NOOP("Lab", "How many tokens are nine words, and seven?"),
        QT_TRANSLATE_NOOP(
            "Lab", "9 and 16, where lessons print 10 and 14: figures, marks and names cost more than plain words."
        ),
        _words_and_tokens,
        f"{FOX}\n{HUMAN_EVAL}",
        encoding=GPT4,
    ),
    _word_card(
        "E20",
        QT_TRANSLATE_NOOP("Lab", "Three languages and emoji"),
        QT_TRANSLATE_NOOP("Lab", "How have vocabularies become better at a mixed paragraph?"),
        QT_TRANSLATE_NOOP("Lab", "From 40 tokens to 33 to 23: nearly half, for the same text."),
        (OLD, GPT4, GPT4O),
        ((PARAGRAPH, OLD, 40), (PARAGRAPH, GPT4, 33), (PARAGRAPH, GPT4O, 23)),
    ),
    _word_card(
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
        WORDS,
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
    for index, name in enumerate(COMPARED):
        tools.progress(index / len(COMPARED))
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
    from engine.analysis.comparison import premium

    value = premium(found[row], found[0])
    return tr("n/a") if value is None else f"{value:.2f}"


def _fertility(inputs: Inputs, tools: Tools, own: bool) -> Outcome:
    from engine.analysis.comparison import bytes_per_token, fertility

    encoding = tools.open_encoding(COMPARED[0])
    rows = []
    for language, text in _texts(inputs):
        tokens, words = encoding.count(text), len(text.split())
        per_word = fertility(tokens, words)
        note = tr("means nothing here") if language in NO_SPACES else ""
        size = bytes_per_token(len(text.encode("utf-8", "surrogatepass")), tokens)
        rows.append(
            (
                language,
                str(tokens),
                str(words),
                tr("n/a") if per_word is None else f"{per_word:.1f}",
                tr("n/a") if size is None else f"{size:.2f}",
                note,
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


# --- figures ----------------------------------------------------------------------------------------------------------

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
    from engine.vocabulary.entries import BYTE, MERGE, entries_of

    rows, claims = [], []
    for index, (name, size) in enumerate(SIZES):
        tools.progress(index / len(SIZES))
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


def _speed(inputs: Inputs, tools: Tools, _own: bool) -> Outcome:
    encoding = tools.open_encoding("o200k_base")
    line = inputs.text + "\n"
    copies = max(1, inputs.number("megabytes") * 10**6 // size_of(line))
    text, size = line * copies, size_of(line) * copies
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


MEASURE_CARDS = (
    Card(
        "E22",
        MEASURES,
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
        MEASURES,
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
        MEASURES,
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
        MEASURES,
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

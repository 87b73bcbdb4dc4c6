"""Cards on the way from text to IDs: a vocabulary of whole words, and the five stages of a real tokenizer."""

from __future__ import annotations

import re
import unicodedata

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.lab.experiments.card import (
    Card,
    Claim,
    Inputs,
    Outcome,
    ResultTable,
    Tools,
    number,
    pieces,
    token_pieces,
    tr,
    yes_or_no,
)
from gui.lab.experiments.training_cards import split_words

SUBJECT = QT_TRANSLATE_NOOP("Lab", "From text to IDs")
WORDS_AND_MARKS = re.compile(r"\w+|[^\w\s]")
UNKNOWN = "[UNK]"
GPT4, GPT4O = "cl100k_base", "o200k_base"
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
    parts = re.split("(" + "|".join(map(re.escape, special)) + ")", normal)
    pretokens: list[str] = []
    for place, part in enumerate(parts):
        pretokens += [part] if place % 2 else split_words(part, GPT4)
    ids = encoding.encode(normal, allowed_special="all")
    ordinary = [token for place, part in enumerate(parts) if not place % 2 for token in encoding.encode_ordinary(part)]
    rows = (
        (tr("1. Normalize (NFKC)"), number(len(normal)), pieces([normal])),
        (tr("2. Special tokens, found first, never merged"), number(len(parts) // 2), pieces(parts[1::2])),
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
            ", ".join(wanted),
            f"{row[1]}, {row[3]}",
        )
        for row, wanted in zip(rows, expected, strict=False)
    )
    columns = (tr("As written"), tr("Tokens"), tr("In NFKC"), tr("Tokens"))
    return Outcome(claims if own else (), (ResultTable(GPT4O, columns, tuple(rows), frozenset({1, 3})),))


CARDS = (
    Card(
        "splits",
        SUBJECT,
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
        SUBJECT,
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
        SUBJECT,
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
        SUBJECT,
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
        SUBJECT,
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
        SUBJECT,
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

"""What can be chosen for a training run, declared as data: split patterns, alphabets, normal forms, orders of ties."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtWidgets import QComboBox

LEAST_VOCAB = {"bytes": 257}
"""The smallest vocabulary that leaves room for a merge, by alphabet; with characters it depends on the texts."""
DEFAULT_VOCAB = 8192
MOST_VOCAB = 2_000_000


class Choice(NamedTuple):
    """A value of ``TrainingSettings``, what it is called, and a sentence on what it does."""

    value: str
    title: str
    hint: str


PATTERNS = (
    Choice(
        "cl100k_base",
        "cl100k_base",
        QT_TRANSLATE_NOOP("TrainingChoices", "GPT-4: words with the space before them, digits in groups of three"),
    ),
    Choice(
        "gpt2",
        "gpt2",
        QT_TRANSLATE_NOOP("TrainingChoices", "GPT-2: words with the space before them, digits in one run"),
    ),
    Choice(
        "o200k_base",
        "o200k_base",
        QT_TRANSLATE_NOOP("TrainingChoices", "GPT-4o: as GPT-4, and words are cut where capitals begin"),
    ),
    Choice("llama3", "llama3", QT_TRANSLATE_NOOP("TrainingChoices", "Llama 3: as GPT-4")),
    Choice("qwen2", "qwen2", QT_TRANSLATE_NOOP("TrainingChoices", "Qwen 2: as GPT-4, but every digit by itself")),
    Choice(
        "whitespace",
        "whitespace",
        QT_TRANSLATE_NOOP("TrainingChoices", "Words, and the white space between them, apart"),
    ),
    Choice(
        "sentencepiece",
        "sentencepiece",
        QT_TRANSLATE_NOOP(
            "TrainingChoices", "SentencePiece without its split at spaces: a space is ▁, and tokens may span words"
        ),
    ),
    Choice(
        "none",
        "none",
        QT_TRANSLATE_NOOP("TrainingChoices", "No cuts: any neighbours may merge, across words and lines"),
    ),
)

ALPHABETS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Bytes"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Begins with the 256 bytes: every text can be encoded"),
    ),
    Choice(
        "characters",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Begins with the characters of the texts; others are written in bytes"),
    ),
    Choice(
        "characters+</w>",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters + </w>"),
        QT_TRANSLATE_NOOP("TrainingChoices", "As characters, with a mark at the end of each word"),
    ),
)

NORMAL_FORMS = (
    Choice("", QT_TRANSLATE_NOOP("TrainingChoices", "As it is"), ""),
    Choice(
        "NFC",
        "NFC",
        QT_TRANSLATE_NOOP(
            "TrainingChoices", "é of two characters becomes one. Looks the same, but is not byte for byte"
        ),
    ),
    Choice(
        "NFD",
        "NFD",
        QT_TRANSLATE_NOOP("TrainingChoices", "é becomes e and an accent. Looks the same, but is not byte for byte"),
    ),
    Choice(
        "NFKC",
        "NFKC",
        QT_TRANSLATE_NOOP("TrainingChoices", "As NFC, and ﬁ becomes fi, ² becomes 2, wide forms narrow: not undone"),
    ),
    Choice(
        "NFKD",
        "NFKD",
        QT_TRANSLATE_NOOP("TrainingChoices", "As NFD, and ﬁ becomes fi, ² becomes 2, wide forms narrow: not undone"),
    ),
)

TIE_ORDERS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Smaller ids"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Of pairs that are equally common, the one of smaller ids comes first"),
    ),
    Choice(
        "huggingface",
        QT_TRANSLATE_NOOP("TrainingChoices", "As Hugging Face"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Gives the same merges as the trainer of the library tokenizers"),
    ),
)


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingChoices", text)


def hint_of(choices: tuple[Choice, ...], value: str) -> str:
    """The sentence on a value, empty for one that is not among them."""
    return next((tr(choice.hint) for choice in choices if choice.value == value), "")


def choice_box(name: str, choices: tuple[Choice, ...]) -> QComboBox:
    """A list of choices, each with its hint as a tool tip. As narrow as it must be: the form is a column."""
    box = QComboBox(objectName=name)
    for choice in choices:
        box.addItem(tr(choice.title), choice.value)
        box.setItemData(box.count() - 1, tr(choice.hint), Qt.ItemDataRole.ToolTipRole)
        spoken = f"{tr(choice.title)}: {tr(choice.hint)}" if choice.hint else tr(choice.title)
        box.setItemData(box.count() - 1, spoken, Qt.ItemDataRole.AccessibleTextRole)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box

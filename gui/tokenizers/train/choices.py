"""Options of a training run, declared as data: split patterns, alphabets, normalization forms, orders of ties."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtWidgets import QComboBox

from gui.tokenizers.train.corpus_service import PUBLISHED_PATTERNS

MIN_VOCAB = {"bytes": 257}
"""Smallest vocabulary that leaves room for a merge, by alphabet; for characters it depends on the texts."""
DEFAULT_VOCAB = 8192
MAX_VOCAB = 2_000_000


class Choice(NamedTuple):
    """A value of ``TrainingSettings``, its label, and a sentence that explains it."""

    value: str
    title: str
    hint: str


PATTERNS = (
    *(Choice(name, name, description) for name, description in PUBLISHED_PATTERNS),
    Choice(
        "whitespace",
        "whitespace",
        QT_TRANSLATE_NOOP("TrainingChoices", "Words and the whitespace between them, separately"),
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
        QT_TRANSLATE_NOOP("TrainingChoices", "No split: any adjacent symbols may merge, across words and lines"),
    ),
)

ALPHABETS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Bytes"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Starts from the 256 bytes: any text can be encoded"),
    ),
    Choice(
        "characters",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Starts from the characters of the texts; others are encoded as bytes"),
    ),
    Choice(
        "characters+</w>",
        QT_TRANSLATE_NOOP("TrainingChoices", "Characters + </w>"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Like characters, with a mark at the end of each word"),
    ),
)

NORMAL_FORMS = (
    Choice("", QT_TRANSLATE_NOOP("TrainingChoices", "None"), ""),
    Choice(
        "NFC",
        "NFC",
        QT_TRANSLATE_NOOP("TrainingChoices", "Composes e + accent into é. Looks the same, but the bytes differ"),
    ),
    Choice(
        "NFD",
        "NFD",
        QT_TRANSLATE_NOOP("TrainingChoices", "Decomposes é into e + accent. Looks the same, but the bytes differ"),
    ),
    Choice(
        "NFKC",
        "NFKC",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like NFC; also ﬁ → fi, ² → 2, wide forms → narrow. Irreversible"),
    ),
    Choice(
        "NFKD",
        "NFKD",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like NFD; also ﬁ → fi, ² → 2, wide forms → narrow. Irreversible"),
    ),
)

TIE_ORDERS = (
    Choice(
        "bytes",
        QT_TRANSLATE_NOOP("TrainingChoices", "Smaller IDs"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Of equally frequent pairs, the one with the smaller IDs comes first"),
    ),
    Choice(
        "huggingface",
        QT_TRANSLATE_NOOP("TrainingChoices", "Like Hugging Face"),
        QT_TRANSLATE_NOOP("TrainingChoices", "Same merges as the trainer of the tokenizers library"),
    ),
)


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingChoices", text)


def hint_of(choices: tuple[Choice, ...], value: str) -> str:
    """Return the explanation of a value; empty for an unknown one."""
    return next((tr(choice.hint) for choice in choices if choice.value == value), "")


def choice_box(name: str, choices: tuple[Choice, ...]) -> QComboBox:
    """Return a combo box of choices, as narrow as possible for its column. Each choice has its hint as a tooltip."""
    box = QComboBox(objectName=name)
    for choice in choices:
        box.addItem(tr(choice.title), choice.value)
        box.setItemData(box.count() - 1, tr(choice.hint), Qt.ItemDataRole.ToolTipRole)
        spoken = f"{tr(choice.title)}: {tr(choice.hint)}" if choice.hint else tr(choice.title)
        box.setItemData(box.count() - 1, spoken, Qt.ItemDataRole.AccessibleTextRole)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box

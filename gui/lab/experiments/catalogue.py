"""All cards of the Lab, in the order in which they are shown."""

from __future__ import annotations

import functools

from gui.lab.experiments.compression_cards import compression_cards
from gui.lab.experiments.cost_cards import CARDS as COST_CARDS
from gui.lab.experiments.language_cards import language_cards
from gui.lab.experiments.pipeline_cards import CARDS as PIPELINE_CARDS
from gui.lab.experiments.training_cards import CARDS as TRAINING_CARDS
from gui.lab.experiments.types import Card
from gui.lab.experiments.word_cards import CARDS as WORD_CARDS


@functools.cache
def cards() -> tuple[Card, ...]:
    """Every card."""
    others = (*PIPELINE_CARDS, *TRAINING_CARDS, *WORD_CARDS, *language_cards(), *COST_CARDS)
    said = "\n".join(f"{card.title}. {card.question} {card.truth}" for card in others)
    return (
        *PIPELINE_CARDS,
        *TRAINING_CARDS,
        *compression_cards(said),
        *WORD_CARDS,
        *language_cards(),
        *COST_CARDS,
    )


def card(key: str) -> Card:
    """The card of that key. KeyError."""
    return {one.key: one for one in cards()}[key]

"""What the user says about a conversation, as one value that the session keeps. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

MOST_TURNS = 500
"""More than a plot shows, and few enough that a worker is done with them before anybody waits."""
MOST_MODELS = 6
"""Lines that can be told apart."""
MOST_TOKENS = 10_000_000

Caching = Literal["none", "minutes", "hour"]
CACHING: tuple[Caching, ...] = ("none", "minutes", "hour")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChoices:
    """Turns that are all alike. Tokens are per turn, ``system`` once: 0 and ``system_is_prompt`` for the text in the
    editor. Before every ``pause_every``-th turn there is a pause in which the cache is lost; 0: none. ``least_cached``
    is the shortest prompt that a vendor caches.
    """

    turns: int = 20
    system_is_prompt: bool = True
    system: int = 2_000
    user: int = 150
    answer: int = 500
    reasoning: int = 0
    caching: Caching = "minutes"
    pause_every: int = 0
    least_cached: int = 1_024

    def late_turns(self) -> frozenset[int]:
        """The numbers of turns that find the cache empty."""
        if not self.pause_every:
            return frozenset()
        return frozenset(range(self.pause_every, self.turns + 1, self.pause_every)) - {1}

    def plain(self) -> dict[str, Any]:
        """The choices as JSON holds them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def conversation_of(plain: Mapping[str, Any]) -> ConversationChoices:
    """Take back what ``plain`` gave. What is missing or of no use has its value of a first start."""
    known: dict[str, Any] = {}
    for field in fields(ConversationChoices):
        value = plain.get(field.name)
        if field.name == "caching":
            right = value in CACHING
        elif field.name == "system_is_prompt":
            right = isinstance(value, bool)
        else:
            most = MOST_TURNS if field.name in ("turns", "pause_every") else MOST_TOKENS
            least = 1 if field.name == "turns" else 0
            right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        if right:
            known[field.name] = value
    return ConversationChoices(**known)

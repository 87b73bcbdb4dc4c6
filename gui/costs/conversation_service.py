"""Conversations with several models, turn by turn: the user's choices, and the job that prices them. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.runtime.jobs import Ticket
    from pricing.scenarios import Turn
    from pricing.types import Model, Scenario, TokenCount


MAX_TURNS = 500
"""Maximum number of turns: more than a plot shows, and few enough that a worker finishes without noticeable delay."""
MAX_MODELS = 6
"""Maximum number of models: lines that can be told apart."""
MAX_TOKENS = 10_000_000

Caching = Literal["none", "minutes", "hour"]
CACHING: tuple[Caching, ...] = ("none", "minutes", "hour")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChoices:
    """Conversation in which all turns are alike. Token counts are per turn, but ``system`` counts once: 0 and
    ``system_is_prompt`` for the text in the editor. Before every ``pause_every``-th turn there is a pause in which the
    cache expires; 0 for none. ``least_cached`` is the shortest prompt that a vendor caches."""

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
        """Return the numbers of the turns that find the cache empty."""
        if not self.pause_every:
            return frozenset()
        return frozenset(range(self.pause_every, self.turns + 1, self.pause_every)) - {1}

    def plain(self) -> dict[str, Any]:
        """Return the choices as JSON data."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def conversation_of(plain: Mapping[str, Any]) -> ConversationChoices:
    """Restore what ``plain`` returned. Missing and invalid values get their defaults."""
    known: dict[str, Any] = {}
    for field in fields(ConversationChoices):
        value = plain.get(field.name)
        if field.name == "caching":
            right = value in CACHING
        elif field.name == "system_is_prompt":
            right = isinstance(value, bool)
        else:
            most = MAX_TURNS if field.name in ("turns", "pause_every") else MAX_TOKENS
            least = 1 if field.name == "turns" else 0
            right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        if right:
            known[field.name] = value
    return ConversationChoices(**known)


class Talker(NamedTuple):
    """Model, with the tokens of the editor's prompt in its encoding: the figure and its range."""

    model: Model
    prompt: TokenCount | None


@dataclass(frozen=True, slots=True)
class TalkRequest:
    """Request to price conversations. ``revision`` grows with each; day, batch and factor are those of ``scenario``."""

    revision: int
    talkers: tuple[Talker, ...]
    choices: ConversationChoices
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Talk:
    """Conversation with one model. ``without`` is the same without a cache, empty if it has no cache anyway.

    ``pays_from`` is the turn from which the cache pays off, None for never or unknown; ``full_at`` is the first turn
    that exceeds the context window, None if all fit or the window is unknown.
    """

    model: Model
    turns: tuple[Turn, ...]
    without: tuple[Turn, ...]
    pays_from: int | None
    full_at: int | None


def converse_with_all(request: TalkRequest, ticket: Ticket) -> tuple[Talk, ...]:
    """Return a conversation for each model, in order; models whose prompt count is missing are omitted."""
    talks = []
    for number, talker in enumerate(request.talkers):
        talk = _talk(talker, request, partial(ticket.progress, number / len(request.talkers), talker.model.name))
        if talk is not None:
            talks.append(talk)
    return tuple(talks)


def _talk(talker: Talker, request: TalkRequest, cancel_check: Callable[[], None]) -> Talk | None:
    from pricing.rates import RateCards
    from pricing.scenarios import Conversation, caching_pays_from, converse, exactly

    choices = request.choices
    system = talker.prompt if choices.system_is_prompt else exactly(choices.system)
    if system is None:
        return None
    conversation = Conversation(
        turns=choices.turns,
        system=system,
        # Guessed tokens do not improve the quality of the count, so they take that of the text.
        user=replace(exactly(choices.user), label=system.label),
        answer=exactly(choices.answer),
        reasoning=exactly(choices.reasoning),
        caching=choices.caching,
        late_turns=choices.late_turns(),
        least_cached=choices.least_cached,
    )
    cards = RateCards()
    turns = converse(talker.model, conversation, request.scenario, cards, cancel_check)
    without: tuple[Turn, ...] = ()
    pays_from = None
    if choices.caching != "none":
        uncached = replace(conversation, caching="none")
        without = converse(talker.model, uncached, request.scenario, cards, cancel_check)
        pays_from = caching_pays_from(turns, without)
    full_at = next((turn.number for turn in turns if turn.estimate.over_context), None)
    return Talk(talker.model, turns, without, pays_from, full_at)


def talker_of(model: Model, tokens: tuple[int | None, int | None, int | None], label: str | None) -> Talker:
    """Return a model with the tokens of the prompt: figure, low and high, as in a row of the cost table."""
    from pricing.types import TokenCount

    figure, low, high = tokens
    if figure is None or low is None or high is None or label is None:
        return Talker(model, None)
    return Talker(model, TokenCount(figure, low, high, label))  # type: ignore[arg-type]

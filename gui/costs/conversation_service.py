"""Conversations with a few models, turn by turn: what is chosen, and the work of a lane. No Qt."""

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


class Talker(NamedTuple):
    """A model, and the tokens of the prompt in the editor as it counts them: the figure and its range."""

    model: Model
    prompt: TokenCount | None


@dataclass(frozen=True, slots=True)
class TalkRequest:
    """``revision`` grows with every request; day, batch and factor are those of ``scenario``."""

    revision: int
    talkers: tuple[Talker, ...]
    choices: ConversationChoices
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation with one model. ``without`` is the same without a cache, empty where there is none anyway.

    ``pays_from`` is the turn from which the cache pays, None for never or unknown; ``full_at`` the first turn that does
    not fit into the context window, None where all do or nothing is known of it.
    """

    model: Model
    turns: tuple[Turn, ...]
    without: tuple[Turn, ...]
    pays_from: int | None
    full_at: int | None


def converse_with_all(request: TalkRequest, ticket: Ticket) -> tuple[Talk, ...]:
    """A talk for each model in order; those for which the prompt has not been counted are left out."""
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
        # What is guessed beside a counted text is no better known than that.
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
    """A model with the tokens of the prompt: figure, low and high, as a row of the cost table has them."""
    from pricing.types import TokenCount

    figure, low, high = tokens
    if figure is None or low is None or high is None or label is None:
        return Talker(model, None)
    return Talker(model, TokenCount(figure, low, high, label))  # type: ignore[arg-type]

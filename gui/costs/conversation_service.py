"""Conversations with a few models, turn by turn: the work of a lane. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gui.costs.conversation_choices import ConversationChoices

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.jobs import Ticket
    from pricing.scenarios import Turn
    from pricing.types import Model, Scenario, TokenCount


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


def _talk(talker: Talker, request: TalkRequest, between: Callable[[], None]) -> Talk | None:
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
    turns = converse(talker.model, conversation, request.scenario, cards, between)
    without: tuple[Turn, ...] = ()
    pays_from = None
    if choices.caching != "none":
        uncached = replace(conversation, caching="none")
        without = converse(talker.model, uncached, request.scenario, cards, between)
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

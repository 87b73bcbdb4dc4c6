"""What a conversation costs: each turn sends again all that was said before, so the prompts grow.

The prompt of a turn is the system text, all turns of before (what the user said and what was answered; hidden reasoning
is not sent again) and what the user says now. With caching, the end of each prompt is a breakpoint: a turn reads what
the prompt of the turn before ended with, and writes the rest. A turn that comes too late finds nothing and writes all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from pricing.between import Between, go_on
from pricing.estimation import EXACT, estimate
from pricing.rates import RateCards
from pricing.types import CostEstimate, Model, Scenario, ScenarioError, TokenCount

MOST_TURNS = 10_000

Caching = Literal["none", "minutes", "hour"]
End = Literal["tokens", "low", "high"]


def exactly(tokens: int) -> TokenCount:
    """A count without a range."""
    return TokenCount(tokens, tokens, tokens, "exact")


NOTHING = exactly(0)
_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Conversation:
    """So many turns of the same size: tokens of the system text, of what the user says and is answered each time.

    ``late_turns`` are the numbers (from 1) of turns that find the cache empty. ``least_cached`` is the length from
    which a vendor caches prompts at all.
    """

    turns: int
    system: TokenCount
    user: TokenCount
    answer: TokenCount
    reasoning: TokenCount = NOTHING
    caching: Caching = "none"
    late_turns: frozenset[int] = frozenset()
    least_cached: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its prompt with the parts read from and written to the cache, its cost, and that of all up to it.

    The range of ``total_usd`` is that of conversations with the fewest and the most tokens everywhere. None: unknown.
    """

    number: int
    prompt_tokens: int
    cached_tokens: int
    written_tokens: int
    estimate: CostEstimate
    total_usd: Decimal | None
    total_usd_low: Decimal | None
    total_usd_high: Decimal | None


def converse(
    model: Model,
    conversation: Conversation,
    scenario: Scenario,
    cards: RateCards | None = None,
    between: Between = go_on,
) -> tuple[Turn, ...]:
    """The turns in order. Day, batch and factor are the scenario's; what it says of output and cache does not count.
    ``between`` is called before each turn is priced; what it raises ends that.

    Raises ScenarioError for fewer than one or more than 10,000 turns, and for what ``estimate`` refuses.
    """
    if not 1 <= conversation.turns <= MOST_TURNS:
        raise ScenarioError(f"a conversation has 1 to {MOST_TURNS:,} turns (got {conversation.turns:,})")
    cards = cards or RateCards()
    runs = [_run(model, conversation, scenario, end, cards, between) for end in _ends(conversation)]
    turns = []
    for alike in zip(*runs, strict=True):
        totals = [total for turn in alike for total in (turn.total_usd_low, turn.total_usd_high)]
        known = [total for total in totals if total is not None]
        low, high = (min(known), max(known)) if len(known) == len(totals) else (None, None)
        turns.append(replace(alike[0], total_usd_low=low, total_usd_high=high))
    return tuple(turns)


def caching_pays_from(cached: Sequence[Turn], without: Sequence[Turn]) -> int | None:
    """The turn from which on a conversation with the cache costs less, all turns up to it together; None: never, or a
    price is unknown. Both are the same conversation but for the cache.
    """
    pays: int | None = None
    for turn, plain in zip(cached, without, strict=True):
        if turn.total_usd is None or plain.total_usd is None:
            return None
        if turn.total_usd >= plain.total_usd:
            pays = None
        elif pays is None:
            pays = turn.number
    return pays


def _ends(conversation: Conversation) -> tuple[End, ...]:
    parts = (conversation.system, conversation.user, conversation.answer, conversation.reasoning)
    return ("tokens",) if all(part.low == part.high for part in parts) else ("tokens", "low", "high")


def _run(
    model: Model,
    conversation: Conversation,
    scenario: Scenario,
    end: End,
    cards: RateCards,
    between: Between,
) -> list[Turn]:
    """The conversation with every part at one end of its range."""
    answer, reasoning = getattr(conversation.answer, end), getattr(conversation.reasoning, end)
    totals: tuple[Decimal | None, ...] = (_NOTHING,) * 3
    turns = []
    for number, prompt, cached in _prompts(conversation, end):
        between()
        written = 0 if conversation.caching == "none" or prompt < conversation.least_cached else prompt - cached
        cost = estimate(
            model,
            TokenCount(prompt, prompt, prompt, conversation.user.label),
            replace(
                scenario,
                output_tokens=answer,
                reasoning_tokens=reasoning,
                output_range=None,
                reasoning_range=None,
                cached_share=None,
                cached_tokens=cached,
                cache_write_tokens=written if conversation.caching == "minutes" else 0,
                cache_write_1h_tokens=written if conversation.caching == "hour" else 0,
            ),
            cards,
        )
        totals = tuple(map(_plus, totals, (cost.usd, cost.usd_low, cost.usd_high)))
        turns.append(Turn(number, prompt, cached, written, cost, *totals))
    return turns


def _plus(total: Decimal | None, usd: Decimal | None) -> Decimal | None:
    return None if total is None or usd is None else EXACT.add(total, usd)


def _prompts(conversation: Conversation, end: End) -> Iterator[tuple[int, int, int]]:
    """For each turn: its number, the tokens of its prompt, and how many of them the cache holds."""
    system, user = getattr(conversation.system, end), getattr(conversation.user, end)
    answer = getattr(conversation.answer, end)
    in_cache = 0
    for number in range(1, conversation.turns + 1):
        prompt = system + number * user + (number - 1) * answer
        cached = 0 if number in conversation.late_turns else in_cache
        yield number, prompt, cached
        in_cache = prompt if conversation.caching != "none" and prompt >= conversation.least_cached else 0

"""The sum behind a cost, line by line, for people who want to check it."""

from __future__ import annotations

from pricing.money import exact_usd
from pricing.types import CostEstimate, CostPart

_NAMES = {
    "input": "fresh input",
    "cached": "input read from the cache",
    "cache_write": "input written to the cache",
    "cache_write_1h": "input written to the cache for an hour",
    "output": "output",
    "reasoning": "reasoning",
    "audio_input": "audio input",
    "audio_output": "audio output",
    "per_search": "searches",
    "per_request": "fee per request",
}

_CHECKED_IN = {"vendor": " at the vendor's page", "table": " in published price tables"}


def explain(estimate: CostEstimate) -> tuple[str, ...]:
    """One line for each part of the cost, then total, range, calls, tier, remarks and source."""
    if estimate.input_tokens is None:
        return ("the tokens of the prompt are not known",)
    lines = [_part(part) for part in estimate.parts]
    if estimate.factor != 1:
        lines.append(f"times {exact_usd(estimate.factor)}")
    if estimate.usd is None:
        lines.append(f"total: unknown, no price is known for {', '.join(estimate.unknown)}")
    else:
        lines.append(f"one call: ${exact_usd(estimate.usd)}")
        lines.extend(_ranges(estimate))
    if estimate.tier:
        lines.append(f"prices for {estimate.tier} hold for the whole request")
    lines.extend(filter(None, (estimate.context_note, estimate.price_note)))
    lines.extend(estimate.notes)
    if estimate.price_checked:
        where = _CHECKED_IN.get(estimate.price_checked_in, "")
        lines.append(f"prices checked on {estimate.price_checked.isoformat()}{where}")
    if estimate.source:
        lines.append(f"source: {estimate.source}")
    return tuple(lines)


def _part(part: CostPart) -> str:
    name = _NAMES.get(part.name, part.name)
    note = f" ({part.note})" if part.note else ""
    if part.tokens is None:
        return f"{name}: ${exact_usd(part.usd)}{note}" if part.usd is not None else f"{name}: unknown{note}"
    if part.usd is None or part.usd_per_mtok is None:
        return f"{name}: {part.tokens:,} tokens, price unknown{note}"
    sum_text = f"{part.tokens:,} tokens × ${exact_usd(part.usd_per_mtok)} / 1,000,000 = ${exact_usd(part.usd)}"
    return f"{name}: {sum_text}{note}"


def _ranges(estimate: CostEstimate) -> list[str]:
    lines = []
    prompts = outputs = ""
    if estimate.input_low is not None and estimate.input_high is not None and estimate.input_low < estimate.input_high:
        prompts = f"{estimate.input_low:,} to {estimate.input_high:,} prompt tokens"
    if estimate.output_low < estimate.output_high:
        outputs = f"{estimate.output_low:,} to {estimate.output_high:,} tokens of output and reasoning"
    tokens = " and ".join(filter(None, (prompts, outputs)))
    if estimate.price_note and estimate.usd_low != estimate.usd_high:
        tokens = " and ".join(filter(None, (tokens, "one of the possible prices")))
    if tokens and (estimate.usd_low is None or estimate.usd_high is None):
        lines.append(f"for {tokens}: unknown, a price at one end is not known")
    elif tokens and estimate.usd_low is not None and estimate.usd_high is not None:
        lines.append(f"for {tokens}: ${exact_usd(estimate.usd_low)} to ${exact_usd(estimate.usd_high)}")
    if estimate.calls != 1 and estimate.usd_calls is not None:
        lines.append(f"{estimate.calls:,} calls: ${exact_usd(estimate.usd_calls)}")
    return lines

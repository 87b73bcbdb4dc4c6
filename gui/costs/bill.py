"""Bill of one model: its lines, their total, and why a figure is a range or assumed.

``explanation`` returns the same as text with exact amounts, for the clipboard and for screen readers.

``pricing`` has the same in English (``CostEstimate.explanation``); its remarks are used as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.core.exports import plain
from gui.core.figures import Run, amount_places, amount_runs, price_places
from gui.core.token_text import visible_line
from gui.costs.columns import CostView, excess, excess_text, unknown_prices, why_not_counted
from gui.costs.rows import CostRow

if TYPE_CHECKING:
    from pricing.scenarios import CallKind, MixedCost
    from pricing.types import CostEstimate, CostPart

_PARTS = {
    "input": QT_TRANSLATE_NOOP("CostExplanation", "Uncached input"),
    "cached": QT_TRANSLATE_NOOP("CostExplanation", "Cached input"),
    "cache_write": QT_TRANSLATE_NOOP("CostExplanation", "Cache write"),
    "cache_write_1h": QT_TRANSLATE_NOOP("CostExplanation", "Cache write, 1 hour"),
    "output": QT_TRANSLATE_NOOP("CostExplanation", "Output"),
    "reasoning": QT_TRANSLATE_NOOP("CostExplanation", "Reasoning"),
    "per_request": QT_TRANSLATE_NOOP("CostExplanation", "Fee for the request"),
}
_SHORT = {
    "input": QT_TRANSLATE_NOOP("CostExplanation", "Input"),
    "cached": QT_TRANSLATE_NOOP("CostExplanation", "Cached"),
    "cache_write": QT_TRANSLATE_NOOP("CostExplanation", "Cache write"),
    "cache_write_1h": QT_TRANSLATE_NOOP("CostExplanation", "Cache write, 1 h"),
    "audio_input": QT_TRANSLATE_NOOP("CostExplanation", "Audio input"),
    "audio_output": QT_TRANSLATE_NOOP("CostExplanation", "Audio output"),
    "per_search": QT_TRANSLATE_NOOP("CostExplanation", "Searches"),
}
"""Names of the lines of a bill that are shorter than in ``_PARTS``."""


class BillLine(NamedTuple):
    """Line of a bill: name, quantity and price, and amount. A heading has only a name."""

    name: str
    detail: str = ""
    amount: tuple[Run, ...] = ()
    total: bool = False


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("CostExplanation", text)


def bill_lines(row: CostRow, view: CostView) -> list[BillLine]:
    """Return the terms of the sum and the total. Amounts have the same number of decimals in all lines."""
    estimate = row.estimate
    if estimate.input_tokens is None:
        return []
    kinds = [(None, estimate)] if row.mixed is None else [(kind, kind.estimate) for kind in row.mixed.kinds]
    amounts = [part.usd for _, one in kinds for part in one.parts if part.usd is not None]
    places = amount_places(map(view.text.converted, [*amounts, *([estimate.usd] if estimate.usd else [])]))
    lines = []
    for kind, one in kinds:
        if kind is not None:
            lines.append(BillLine(_kind_words(kind, view)))
        lines += [_bill_line(part, one, places, view) for part in one.parts]
    if estimate.factor != 1:
        lines.append(BillLine(tr("Multiplier"), f"× {_exact(estimate.factor, view)}"))
    one_call = tr("One call") if row.mixed is None else tr("Average call")
    ends = (estimate.usd, estimate.usd_low, estimate.usd_high)
    lines.append(BillLine(one_call, "", _amount(*ends, places, view), total=True))
    if estimate.calls != 1:
        ends = (estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high)
        calls = tr("{calls} calls").format(calls=view.text.localised(f"{estimate.calls:,}"))
        lines.append(BillLine(tr("Per month"), calls, _amount(*ends, None, view)))
    if view.calls_a_day and estimate.usd is not None:
        calls = tr("{calls} calls").format(calls=view.text.localised(f"{view.calls_a_day:,}"))
        usd = estimate.usd * view.calls_a_day
        lines.append(BillLine(tr("Per day"), calls, _amount(usd, usd, usd, None, view)))
    return lines


def _bill_line(part: CostPart, estimate: CostEstimate, places: int, view: CostView) -> BillLine:
    """Return the line of a term; those of prompt and output have ranges."""
    name, detail = tr(_SHORT.get(part.name, _PARTS.get(part.name, part.name))), ""
    low = high = part.usd
    if part.tokens is not None:
        first = last = part.tokens
        if part.name == "input" and estimate.input_low is not None and estimate.input_high is not None:
            # Only the fresh part of the prompt has a range: the number of cached tokens is known.
            first = max(part.tokens + estimate.input_low - (estimate.input_tokens or 0), 0)
            last = part.tokens + estimate.input_high - (estimate.input_tokens or 0)
        tokens = view.text.tokens(None, part.tokens, first, last)
        if part.usd_per_mtok is None:
            detail = tr("{tokens} × unknown price").format(tokens=tokens)
        else:
            detail = f"{tokens} × {_price(part.usd_per_mtok, view)}"
            if first != last:
                low, high = (Decimal(end) * part.usd_per_mtok / 1_000_000 for end in (first, last))
    return BillLine(name, detail, _amount(part.usd, low, high, places, view))


def _amount(
    usd: Decimal | None, low: Decimal | None, high: Decimal | None, places: int | None, view: CostView
) -> tuple[Run, ...]:
    if usd is None:
        return (Run(view.text.unknown(), strong=False),)
    ends = [view.text.converted(end) for end in ((usd, usd) if low is None or high is None else (low, high))]
    decimals = amount_places([ends[1]], 3) if places is None else places
    return amount_runs(*ends, decimals, view.text.currency.sign, view.text.localised)


def why_not_exact(row: CostRow, view: CostView) -> tuple[str, str]:
    """Return a heading and a sentence on how the tokens are counted, or why the cost is a range."""
    rule, estimate = row.model.count, row.estimate
    tokenizer = rule.tokenizer or ""
    if estimate.input_tokens is None:
        return tr("Why is there no cost?"), why_not_counted(row)
    if row.calibrated:
        return tr("Why a range?"), tr("Calibrated with the usage that you were billed for similar text.")
    label = estimate.label or rule.label
    if label == "estimated":
        low, high = (view.text.localised(f"{factor:.2f}") for factor in (rule.low, rule.high))
        words = tr(
            "The vendor does not publish this tokenizer. On measured texts, such tokenizers give {low} to {high} "
            "times the count of {tokenizer}."
        )
        return tr("Why a range?"), words.format(low=low, high=high, tokenizer=tokenizer)
    if label == "reconstructed":
        return tr("Why a range?"), tr("Counted with a tested reconstruction of the vendor's tokenizer.")
    if label == "assumed":
        words = tr("The vendor does not name the tokenizer of this model. Reliable sources say it is {tokenizer}.")
        return tr("Why assumed?"), words.format(tokenizer=tokenizer)
    if label == "formula":
        return tr("Why assumed?"), tr("A published rule gives this count; the vendor's own count may differ.")
    if estimate.output_low != estimate.output_high:
        return tr("Why a range?"), tr("The scenario expects a range of output tokens.")
    if estimate.usd_low != estimate.usd_high:
        return tr("Why a range?"), _sentence(estimate.price_note or tr("the price depends on the time of day")) + "."
    if label == "counted":
        return tr("Exact count"), tr("Counted by the vendor.")
    return tr("Exact count"), tr("Counted with the vendor's own tokenizer, {tokenizer}.").format(tokenizer=tokenizer)


def remarks(row: CostRow, view: CostView) -> list[str]:
    """Return further remarks on a bill: limits, notes, announced prices, savings of a cache."""
    estimate = row.estimate
    if estimate.input_tokens is None:
        return []
    lines = []
    if estimate.usd is None:
        lines.append(tr("No known price for {prices}.").format(prices=", ".join(unknown_prices(row))))
    if not view.text.currency.is_dollar:
        rate = _usd(view.text.currency.usd, view)
        lines.append(tr("1 {code} = {rate}, from your price file").format(code=view.text.currency.code, rate=rate))
    parts = [part for one in _estimates(row) for part in one.parts]
    lines += dict.fromkeys(_sentence(part.note) for part in parts if part.note)
    return [*lines, *_plans(row, view), *_notes(row, view)]


def _estimates(row: CostRow) -> list[CostEstimate]:
    return [row.estimate] if row.mixed is None else [kind.estimate for kind in row.mixed.kinds]


def provider_line(row: CostRow, view: CostView) -> str:
    """Return the provider of the model, the unit, and the age of its prices."""
    checked = row.estimate.price_checked
    parts = [visible_line(row.model.provider), tr("US$ per million")]
    if checked is not None:
        parts.append(tr("checked {age}").format(age=view.text.age(checked, view.today)))
    else:
        parts.append(view.text.age(None, view.today))
    if row.model.is_yours:
        parts.append(tr("your price file"))
    return " · ".join(part for part in parts if part)


def explanation(row: CostRow, view: CostView) -> list[str]:
    """Return the model's ID, then a line for each term, total, range, calls, remarks and source. Amounts are exact."""
    estimate = row.estimate
    lines = [row.model_id]
    if estimate.input_tokens is None:
        return [*lines, why_not_counted(row)]
    lines += _kinds(row.mixed, view) if row.mixed is not None else [_part_line(part, view) for part in estimate.parts]
    if estimate.factor != 1:
        lines.append(tr("Multiplied by {factor}").format(factor=_exact(estimate.factor, view)))
    lines += _totals(row, view)
    return [*lines, *_plans(row, view), *_notes(row, view), *_source(row)]


def _source(row: CostRow) -> Iterator[str]:
    if row.estimate.source:
        yield tr("Source: {source}").format(source=row.estimate.source)


def _notes(row: CostRow, view: CostView) -> list[str]:
    """Return the notes that apply to the whole request."""
    lines, estimate = [], row.estimate
    if row.cached_cut:
        lines.append(tr("The scenario caches more tokens than this prompt has; the whole prompt counts as cached."))
    if estimate.tier:
        lines.append(tr("Prices for {condition} apply to the whole request.").format(condition=estimate.tier))
    if estimate.over_context:
        lines.append(_too_long(row, view))
    elif estimate.context_note:
        lines.append(_sentence(estimate.context_note) + ".")
    if estimate.price_note:
        lines.append(_sentence(estimate.price_note) + ".")
    lines += dict.fromkeys(_sentence(note) for note in (*estimate.notes, *row.model.notes))
    return lines


def _too_long(row: CostRow, view: CostView) -> str:
    """Return a sentence for each limit that the request exceeds."""
    estimate, context = row.estimate, row.model.context
    parts = row.mixed.kinds[0].estimate.parts if row.mixed is not None else estimate.parts
    output = sum(part.tokens or 0 for part in parts if part.name in ("output", "reasoning"))
    needed = (estimate.input_tokens or 0) + output
    if context is None or needed <= context:
        return _sentence(estimate.context_note) + "."
    return tr("Too long for the model: context window {context} tokens, prompt and output {needed}.").format(
        context=view.text.localised(f"{context:,}"), needed=view.text.localised(f"{needed:,}")
    )


def _sentence(note: str) -> str:
    """Return a remark of the price table as a sentence of its own."""
    return note[:1].upper() + note[1:]


def _part_line(part: CostPart, view: CostView) -> str:
    name = tr(_PARTS[part.name]) if part.name in _PARTS else part.name
    note = f" ({part.note})" if part.note else ""
    usd = tr("price unknown") if part.usd is None else _usd(part.usd, view)
    if part.tokens is None:
        return f"{name}: {usd}{note}"
    tokens = view.text.localised(f"{part.tokens:,}")
    if part.usd is None or part.usd_per_mtok is None:
        return tr("{name}: {tokens} tokens, price unknown{note}").format(name=name, tokens=tokens, note=note)
    return tr("{name}: {tokens} tokens × {price} / million = {usd}{note}").format(
        name=name, tokens=tokens, price=_usd(part.usd_per_mtok, view), usd=usd, note=note
    )


def _totals(row: CostRow, view: CostView) -> Iterator[str]:
    estimate = row.estimate
    if estimate.usd is None:
        prices = ", ".join(unknown_prices(row))
        yield tr("One call: unknown (no price for {prices})").format(prices=prices)
        return
    words = tr("One call: {usd}") if row.mixed is None else tr("Average call: {usd}")
    yield words.format(usd=_usd(estimate.usd, view))
    currency = view.text.currency
    if not currency.is_dollar:
        shown = view.text.usd(None, estimate.usd, None, None)
        rate = _usd(currency.usd, view)
        yield tr("That is {shown}, at {rate} for 1 {code}").format(shown=shown, rate=rate, code=currency.code)
    if row.has_range:
        yield _range_line(estimate, view)
    if estimate.calls != 1 and estimate.usd_calls is not None:
        yield _calls_line(estimate.calls, estimate.usd_calls, view)
    if view.calls_a_day:
        calls = view.text.localised(f"{view.calls_a_day:,}")
        usd = _usd(estimate.usd * view.calls_a_day, view)
        yield tr("Per day, {calls} calls: {usd}").format(calls=calls, usd=usd)


def _calls_line(calls: int, usd: Decimal, view: CostView) -> str:
    return tr("{calls} calls: {usd}").format(calls=view.text.localised(f"{calls:,}"), usd=_usd(usd, view))


def _kinds(mixed: MixedCost, view: CostView) -> Iterator[str]:
    """Yield the terms of each kind of call, below its share."""
    for kind in mixed.kinds:
        yield _kind_words(kind, view) + ":"
        for part in kind.estimate.parts:
            yield "  " + _part_line(part, view)


def _kind_words(kind: CallKind, view: CostView) -> str:
    words = {
        None: tr("{share} of the calls"),
        True: tr("{share} of calls, cache hits"),
        False: tr("{share} of calls, cache writes"),
    }[kind.hit]
    if kind.in_batch:
        words += tr(", in batch")
    return words.format(share=view.text.percent(kind.share, kind.share))


def _plans(row: CostRow, view: CostView) -> Iterator[str]:
    """Yield the effects of a cache and of a budget for this model."""
    caching = row.mixed.caching if row.mixed is not None else None
    if caching is not None and caching.saves is not None:
        words = tr("Caching saves {usd} per call") if caching.saves >= 0 else tr("Caching adds {usd} per call")
        yield words.format(usd=_usd(abs(caching.saves), view))
    share = caching.break_even if caching is not None else None
    if share is not None:
        words = tr("Caching pays off from a hit rate of {share}") if share < 1 else tr("Caching never pays off")
        yield words.format(share=view.text.percent(share, share))
    over = excess(row, view)
    if over is not None:
        yield tr("⚠ Over the monthly budget by {usd}").format(usd=excess_text(row, view, over))


def _range_line(estimate: CostEstimate, view: CostView) -> str:
    """Return the ranges of tokens and of the cost. A single number is not listed as a range."""
    prompt = _tokens(estimate.input_low, estimate.input_high, view)
    output = _tokens(estimate.output_low, estimate.output_high, view)
    if not prompt and not output:
        words = tr("At one possible price: {usd}")
    elif prompt and output:
        words = tr("With {prompt} prompt tokens and {output} output and reasoning tokens: {usd}")
    elif output:
        words = tr("With {output} output and reasoning tokens: {usd}")
    else:
        words = tr("With {prompt} prompt tokens: {usd}")
    usd = tr("unknown")
    if estimate.usd_low is not None and estimate.usd_high is not None:
        usd = tr("{low} to {high}").format(low=_usd(estimate.usd_low, view), high=_usd(estimate.usd_high, view))
    return words.format(prompt=prompt, output=output, usd=usd)


def _tokens(low: int | None, high: int | None, view: CostView) -> str:
    if low is None or high is None or low == high:
        return ""
    first, last = (view.text.localised(f"{tokens:,}") for tokens in (low, high))
    return tr("{first} to {last}").format(first=first, last=last)


def _price(price: Decimal, view: CostView) -> str:
    """Format a price per million tokens with all its digits, and at least to the cent."""
    return "$" + view.text.localised(f"{price:,.{price_places([price])}f}")


def _usd(amount: Decimal, view: CostView) -> str:
    return "$" + _exact(amount, view)


def _exact(amount: Decimal, view: CostView) -> str:
    return view.text.localised(plain(amount))

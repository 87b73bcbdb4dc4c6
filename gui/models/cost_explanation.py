"""The sum behind a cost, line by line, in the user's words and numbers.

``pricing`` can say the same in English (``CostEstimate.explanation``); its remarks are taken over as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.models.cost_columns import CostColumn, CostView, unknown_prices
from gui.models.cost_row import CostRow
from gui.services.exports import plain

if TYPE_CHECKING:
    from pricing.types import CostEstimate, CostPart

_PARTS = {
    "input": QT_TRANSLATE_NOOP("CostExplanation", "Fresh input"),
    "cached": QT_TRANSLATE_NOOP("CostExplanation", "Input read from the cache"),
    "cache_write": QT_TRANSLATE_NOOP("CostExplanation", "Input written to the cache"),
    "cache_write_1h": QT_TRANSLATE_NOOP("CostExplanation", "Input written to the cache for an hour"),
    "output": QT_TRANSLATE_NOOP("CostExplanation", "Output"),
    "reasoning": QT_TRANSLATE_NOOP("CostExplanation", "Reasoning"),
    "per_request": QT_TRANSLATE_NOOP("CostExplanation", "Fee for the request"),
}


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("CostExplanation", text)


def why_unknown(column: CostColumn, row: CostRow, view: CostView) -> str:
    """Why the cell of a figure says that it is not known; empty where it is."""
    estimate = row.estimate
    if not column.numeric or column.text(row, view) != view.text.unknown():
        return ""
    if column.key == "context" and not row.model.context:
        return tr("The size of the model's context window is not known.")
    if estimate.input_tokens is None:
        return _why_not_counted(row)
    if column.key == "ratio" and estimate.usd is not None:
        return tr("The baseline's total is not known, or nothing.")
    prices = ", ".join(unknown_prices(row))
    if estimate.tier:
        return tr("No price is known for: {prices}, with {condition}.").format(prices=prices, condition=estimate.tier)
    return tr("No price is known for: {prices}.").format(prices=prices)


def _why_not_counted(row: CostRow) -> str:
    if row.model.count.tokenizer is None:
        return tr("No tokenizer is known for this model: the tokens of the prompt cannot be counted.")
    if row.pending:
        return tr("The tokens of the prompt are being counted.")
    return tr("The tokens of the prompt are not known.")


def explanation(row: CostRow, view: CostView) -> list[str]:
    """The model's id, a line for each term of the sum, total, range, calls, remarks and source. Amounts are exact."""
    estimate = row.estimate
    lines = [row.model_id]
    if estimate.input_tokens is None:
        return [*lines, _why_not_counted(row)]
    lines += [_part_line(part, view) for part in estimate.parts]
    if estimate.factor != 1:
        lines.append(tr("All of it × {factor}").format(factor=_exact(estimate.factor, view)))
    lines += _totals(row, view)
    if row.cached_cut:
        lines.append(tr("More cached tokens were asked for than this prompt has: all of it counts as cached."))
    if estimate.tier:
        lines.append(tr("Prices for {condition} hold for the whole request.").format(condition=estimate.tier))
    if estimate.over_context:
        lines.append(_too_long(row, view))
    lines += dict.fromkeys(_sentence(note) for note in (*estimate.notes, *row.model.notes))
    if estimate.source:
        lines.append(tr("Source: {source}").format(source=estimate.source))
    return lines


def _too_long(row: CostRow, view: CostView) -> str:
    """What does not fit: the limit of the prompt alone is among the estimate's notes."""
    estimate, context = row.estimate, row.model.context
    output = sum(part.tokens or 0 for part in estimate.parts if part.name in ("output", "reasoning"))
    needed = (estimate.input_tokens or 0) + output
    if context is None or needed <= context:
        return tr("This is too long for the model.")
    return tr("Too long for the model: it has room for {context} tokens, prompt and output take {needed}.").format(
        context=view.text.localised(f"{context:,}"), needed=view.text.localised(f"{needed:,}")
    )


def _sentence(note: str) -> str:
    """A remark of the price table, which stands alone here."""
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
        yield tr("One call: unknown, for no price is known for: {prices}").format(prices=prices)
        return
    yield tr("One call: {usd}").format(usd=_usd(estimate.usd, view))
    if row.has_range:
        yield _range_line(estimate, view)
    if estimate.calls != 1 and estimate.usd_calls is not None:
        calls = view.text.localised(f"{estimate.calls:,}")
        yield tr("{calls} calls: {usd}").format(calls=calls, usd=_usd(estimate.usd_calls, view))


def _range_line(estimate: CostEstimate, view: CostView) -> str:
    first, last = (view.text.localised(f"{tokens:,}") for tokens in (estimate.input_low, estimate.input_high))
    if estimate.usd_low is None or estimate.usd_high is None:
        return tr("With {first} to {last} tokens: unknown").format(first=first, last=last)
    return tr("With {first} to {last} tokens: {low} to {high}").format(
        first=first, last=last, low=_usd(estimate.usd_low, view), high=_usd(estimate.usd_high, view)
    )


def _usd(amount: Decimal, view: CostView) -> str:
    return "$" + _exact(amount, view)


def _exact(amount: Decimal, view: CostView) -> str:
    return view.text.localised(plain(amount))

"""Columns of the cost table, declared as data, and the texts of their cells.

A column defines the text of a row (``text``), its sort value (``sort``, None if unknown), the exact values in exports
(``exported``), and how the table shows it. Adding a column takes one entry in ``COLUMNS``. Keys are saved in the
settings and name the fields of exports, so they must not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.core.figures import QUALITIES, Run, amount_places, amount_runs, price_places
from gui.core.token_text import visible_line
from gui.costs.money_text import SIGNS, CostText, age_tone
from gui.costs.prices_service import OWN_VENDOR, amount_text, typed_amount
from gui.costs.rows import CostRow, natural, usd_middle
from gui.widgets.table_model import Cell, Column

if TYPE_CHECKING:
    from pricing.types import CostEstimate


def tr(text: str) -> str:
    """Translate in the context of the columns of the cost table."""
    return QCoreApplication.translate("CostColumns", text)


_PRICES = {
    "input": QT_TRANSLATE_NOOP("CostColumns", "input"),
    "output": QT_TRANSLATE_NOOP("CostColumns", "output"),
    "batch": QT_TRANSLATE_NOOP("CostColumns", "the batch service"),
    "batch.input": QT_TRANSLATE_NOOP("CostColumns", "batch input"),
    "batch.output": QT_TRANSLATE_NOOP("CostColumns", "batch output"),
    "cache_write_1h": QT_TRANSLATE_NOOP("CostColumns", "1-hour cache write"),
    "audio_input": QT_TRANSLATE_NOOP("CostColumns", "audio input"),
    "audio_output": QT_TRANSLATE_NOOP("CostColumns", "audio output"),
    "per_search": QT_TRANSLATE_NOOP("CostColumns", "searches"),
}


# --- columns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CostView:
    """Settings that the text of a row depends on besides the row.

    ``today`` is the current day, from which ages count; ``on`` is the day whose prices the scenario uses. ``budget`` is
    the limit for all calls in US dollars, None without; ``calls_a_day`` is 0 if not given. ``current`` is the ID of the
    model whose figures the window shows; ``places`` are the decimals of each column of amounts.
    """

    text: CostText
    today: date
    on: date
    calls: int = 1
    calls_a_day: int = 0
    budget: Decimal | None = None
    baseline: CostRow | None = None
    favourites: frozenset[str] = field(default_factory=frozenset)
    current: str = ""
    places: Mapping[str, int] = field(default_factory=dict)


Ends = Callable[[CostRow, CostView], tuple[Decimal, Decimal] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostColumn(Column):
    """Column of the cost table; ``{calls}`` in its title and hint is filled in.

    ``widest`` is a text of the column's usual maximum width, for which a fresh column has room. ``counted`` cells
    depend on the text. ``painted`` names how the delegate draws a column that is more than text: ``star``, ``name``,
    ``tokens``, ``amount``, ``price``, ``share``. ``ends`` returns the range of an amount or a price. ``edits`` is the
    path in a price file of the value that the cell edits.
    """

    widest: str
    shown: bool = True
    counted: bool = False
    painted: str = ""
    edits: str = ""
    ends: Ends | None = None


def title_of(column: CostColumn, view: CostView) -> str:
    """Return the title for the header."""
    return tr(column.title).format(calls=view.text.number(view.calls))


def hint_of(column: CostColumn, view: CostView) -> str:
    """Return a sentence on the content of the column."""
    return tr(column.hint).format(calls=view.text.number(view.calls))


def context_ends(row: CostRow) -> tuple[Decimal, Decimal] | None:
    """Return the ends of the share of the context window that the prompt takes; None if unknown."""
    estimate, context = row.estimate, row.model.context
    if not context or estimate.input_low is None or estimate.input_high is None:
        return None
    return Decimal(estimate.input_low) / context, Decimal(estimate.input_high) / context


def unknown_prices(row: CostRow) -> list[str]:
    """Return the names of the prices that were needed and are unknown."""
    found = []
    for name in row.estimate.unknown:
        block, _, service = name.partition(".")
        if block == "services":
            found.append(tr("the {service} tier").format(service=service.replace(".", ", ")))
        elif name != "tokens":
            found.append(tr(_PRICES.get(name, name)))
    return found


def excess(row: CostRow, view: CostView) -> tuple[Decimal, Decimal] | None:
    """Return by how many US dollars all calls exceed the budget: minimum (0 or less if perhaps not at all) and maximum.

    Returns None if they do not, if there is no budget, or if the cost is unknown.
    """
    low, high = row.estimate.usd_calls_low, row.estimate.usd_calls_high
    if view.budget is None or low is None or high is None or high <= view.budget:
        return None
    return low - view.budget, high - view.budget


def excess_text(row: CostRow, view: CostView, over: tuple[Decimal, Decimal]) -> str:
    """Return the excess over the budget as text: ``$3.20``, ``≈ $2.1–2.6``, ``up to $0.40``."""
    if over[0] <= 0:
        return tr("up to {usd}").format(usd=view.text.amount(over[1]))
    return view.text.usd(row.estimate.usd_label, *((over[0] + over[1]) / 2, *over))


# --- texts of cells ---------------------------------------------------------------------------------------------------


def _favourite_text(row: CostRow, view: CostView) -> str:
    return tr("Favourite") if row.model_id in view.favourites else ""


def _model_text(row: CostRow, view: CostView) -> str:
    words = tr("{model} (retired)") if row.estimate.retired else "{model}"
    if view.baseline is not None and view.baseline.model_id == row.model_id:
        words = tr("{model} (baseline)")
    return words.format(model=visible_line(row.model.name))


def _tokenizer_text(row: CostRow, view: CostView) -> str:
    return row.model.count.tokenizer or tr("none")


def _label_text(row: CostRow, view: CostView) -> str:
    words = tr("{label}, calibrated") if row.calibrated else "{label}"
    return words.format(label=view.text.label(_label(row)))


def _label(row: CostRow) -> str | None:
    """Return the quality of the count, or of any count with the model; None if it cannot be counted."""
    return row.estimate.label or row.model.count.label if row.model.count.tokenizer else None


def _tokens_text(row: CostRow, view: CostView) -> str:
    estimate = row.estimate
    if estimate.input_tokens is None and row.pending:
        return tr("counting…")
    return view.text.tokens(estimate.label, estimate.input_tokens, estimate.input_low, estimate.input_high)


def _context_text(row: CostRow, view: CostView) -> str:
    ends = context_ends(row)
    if ends is None:
        return view.text.unknown()
    share = view.text.percent(*ends)
    if ends[0] > 1 or _over_input(row, row.estimate.input_low):
        return tr("{share}, over").format(share=share)
    if ends[1] > 1 or _over_input(row, row.estimate.input_high):
        return tr("{share}, possibly over").format(share=share)
    if row.estimate.over_context:
        return tr("{share}, over with output").format(share=share)
    return share


def _over_input(row: CostRow, tokens: int | None) -> bool:
    """Return True if a prompt of this size exceeds the model's input limit, where that is below its context window."""
    limit = row.model.max_input
    return limit is not None and tokens is not None and tokens > limit


def _context_tone(row: CostRow, view: CostView) -> str:
    return "error" if row.estimate.over_context else ""


def _checked_text(row: CostRow, view: CostView) -> str:
    checked = row.estimate.price_checked
    age = view.text.age(checked, view.today)
    return age if checked is None else f"{view.text.day(checked)} · {age}"


def _retires_text(row: CostRow, view: CostView) -> str:
    day = row.model.retires
    if day is None:
        return ""
    words = tr("retired on {day}") if row.estimate.retired else tr("retires on {day}")
    return words.format(day=view.text.day(day))


def _retires_tone(row: CostRow, view: CostView) -> str:
    day = row.model.retires
    if day is None or row.estimate.retired:
        return "error" if day is not None else ""
    return "warning" if (day - view.today).days <= 60 else ""


def _notes_text(row: CostRow, view: CostView) -> str:
    change = row.model.next_change(view.on)
    notes = [tr("price changes on {day}").format(day=view.text.day(change.from_date))] if change else []
    notes += [tr("whole prompt counts as cached")] if row.cached_cut else []
    missing = unknown_prices(row) if row.model.has_price_on(view.on) else []
    notes += [tr("no known price for {prices}").format(prices=", ".join(missing))] if missing else []
    notes += [row.estimate.price_note] if row.estimate.price_note else []
    notes += [] if row.estimate.is_complete else [tr("not all parts of the request are counted")]
    return " · ".join([*notes, *row.model.notes])


def _origin(row: CostRow, _view: CostView) -> str:
    return "yours" if row.model.is_yours else "bundled"


def _origin_text(row: CostRow, view: CostView) -> str:
    return tr("your price file") if row.model.is_yours else tr("built in")


def _accessible_model(row: CostRow, view: CostView) -> str:
    text = _model_text(row, view)
    return tr("{model}, current model").format(model=text) if row.model_id == view.current else text


def _accessible_tokens(row: CostRow, view: CostView) -> str:
    return f"{_tokens_text(row, view)}, {_label_text(row, view)}"


def _label_rank(row: CostRow, view: CostView) -> int | None:
    label = _label(row)
    return list(SIGNS).index(label) if label in SIGNS else None


def _tokens_middle(row: CostRow, view: CostView) -> Decimal | None:
    estimate = row.estimate
    if estimate.input_low is None or estimate.input_high is None:
        return None
    return Decimal(estimate.input_low + estimate.input_high) / 2


_Usd = tuple[Decimal | None, Decimal | None, Decimal | None]
"""Amount in US dollars, and the ends of its range."""


@cache
def _usd_getter(name: str) -> Callable[[CostEstimate], _Usd]:
    return attrgetter(name, f"{name}_low", f"{name}_high")


def _usd_of(row: CostRow, name: str) -> _Usd:
    """Return an amount of the estimate and the ends of its range."""
    return _usd_getter(name)(row.estimate)


def usd_ends(row: CostRow, _view: CostView, name: str) -> tuple[Decimal, Decimal] | None:
    """Return the ends of an amount of the estimate; None if it is unknown."""
    usd, low, high = _usd_of(row, name)
    if usd is None:
        return None
    return (usd, usd) if low is None or high is None else (low, high)


def _usd_text(row: CostRow, view: CostView, name: str) -> str:
    return view.text.usd(row.estimate.usd_label, *_usd_of(row, name))


def _output_text(row: CostRow, view: CostView) -> str:
    """Return the cost of output and reasoning, with a sign only if the price is uncertain: the user set the count."""
    label = row.estimate.usd_label if row.estimate.price_note else None
    return view.text.usd(label, *_usd_of(row, "output_usd"))


def _calls_text(row: CostRow, view: CostView) -> str:
    usd = _usd_text(row, view, "usd_calls")
    return f"⚠ {usd}" if excess(row, view) else usd


def _calls_tone(row: CostRow, view: CostView) -> str:
    return "warning" if excess(row, view) else ""


def _calls_middle(row: CostRow, view: CostView) -> Decimal | None:
    middle = usd_middle(row)
    return None if middle is None or row.estimate.usd_calls is None else middle * row.estimate.calls


def _ratio_middle(row: CostRow, view: CostView) -> Decimal | None:
    """Return the ratio of the middles of both totals; None if one is unknown or the pinned row is free."""
    mine = usd_middle(row)
    other = usd_middle(view.baseline) if view.baseline else None
    return mine / other if mine is not None and other else None


def _ratio_text(row: CostRow, view: CostView) -> str:
    """Return the ratio of this row's total to the pinned row's, as a range if a total is one."""
    if view.baseline is None:
        return ""
    if row.model_id == view.baseline.model_id:
        return tr("baseline")
    mine, other = row.estimate, view.baseline.estimate
    if None in (mine.usd, mine.usd_low, mine.usd_high, other.usd) or not other.usd_low or not other.usd_high:
        return view.text.unknown()
    return view.text.ratio(mine.usd_low / other.usd_high, mine.usd_high / other.usd_low)


def _break_even(row: CostRow, _view: CostView) -> Decimal | None:
    """Return the share of calls from which caching pays off; None if all calls are alike or a price is unknown."""
    return row.mixed.caching.break_even if row.mixed is not None and row.mixed.caching is not None else None


def _break_even_text(row: CostRow, view: CostView) -> str:
    share = _break_even(row, view)
    if share is None:
        return view.text.unknown()
    return tr("never") if share >= 1 else view.text.percent(share, share)


def _price(row: CostRow, _view: CostView, name: str) -> Decimal | None:
    """Return a price on the scenario's day, below any tier of long prompts."""
    return getattr(row.rates, name) if row.rates is not None else None


def _price_ends(row: CostRow, view: CostView, name: str) -> tuple[Decimal, Decimal] | None:
    """Return the lowest and highest price in effect, which differ if the price depends on an hour that is not set."""
    usd = _price(row, view, name)
    if usd is None:
        return None
    other = getattr(row.off_peak_rates, name) if row.off_peak_rates is not None else usd
    return min(usd, other), max(usd, other)


def _price_text(row: CostRow, view: CostView, name: str) -> str:
    """Return every published digit of a price, or of both prices if they depend on an hour that is not set."""
    ends = _price_ends(row, view, name)
    if ends is None:
        return view.text.unknown()
    return view.text.localised("–".join(f"${amount_text(end)}" for end in dict.fromkeys(ends)))


def _typed_price(row: CostRow, _view: CostView, name: str) -> str | None:
    """Return a price as the user would type it, in the currency of the user's file; None if it cannot be edited.

    User tokenizers have no prices, and while an announced change is in effect, editing would change the earlier price.
    """
    price = getattr(row.model.price.rates, name)
    if row.model.vendor == OWN_VENDOR or row.rates is None or getattr(row.rates, name) != price:
        return None
    return "" if price is None else typed_amount(row.model, price, row.model.origin.get(f"price.{name}", ""))


def _estimated(*names: str) -> tuple[tuple[str, Cell], ...]:
    """Return fields of the estimate as exact values of an export, under their own names."""
    return tuple((name, lambda row, _view, name=name: getattr(row.estimate, name)) for name in names)


def _usd_column(key: str, name: str, title: str, hint: str, **more: Any) -> CostColumn:
    """Return a column with an amount of the estimate."""
    usual: dict[str, Any] = {
        "text": partial(_usd_text, name=name),
        "sort": lambda row, _view: getattr(row.estimate, name),
        "exported": _estimated(name, f"{name}_low", f"{name}_high"),
        "widest": "$0.000132–136",
        "counted": True,
    }
    ends = partial(usd_ends, name=name)
    return CostColumn(key, title, hint, numeric=True, painted="amount", ends=ends, **(usual | more))


def _price_column(name: str, title: str, *, shown: bool = True) -> CostColumn:
    """Return a column with a price per million tokens, which can be edited in its cell."""
    return CostColumn(
        f"{name}_price",
        title,
        QT_TRANSLATE_NOOP(
            "CostColumns", "US dollars per million tokens. Double-click or press F2 to set your own price."
        ),
        partial(_price_text, name=name),
        partial(_price, name=name),
        ((f"{name}_usd_per_mtok", partial(_price, name=name)),),
        widest="$0.0375",
        numeric=True,
        shown=shown,
        painted="price",
        edits=f"price.{name}",
        edit=partial(_typed_price, name=name),
        ends=partial(_price_ends, name=name),
    )


# --- the columns ------------------------------------------------------------------------------------------------------

COLUMNS: tuple[CostColumn, ...] = (
    CostColumn(
        "favourite",
        QT_TRANSLATE_NOOP("CostColumns", "Favourite"),
        QT_TRANSLATE_NOOP("CostColumns", "Favourites stay on top. Click the star, or press Space."),
        _favourite_text,
        lambda row, view: row.model_id not in view.favourites,
        (("favourite", lambda row, view: row.model_id in view.favourites),),
        widest="000",
        painted="star",
        spoken=lambda row, view: _favourite_text(row, view) or tr("Not a favourite"),
    ),
    CostColumn(
        "model",
        QT_TRANSLATE_NOOP("CostColumns", "Model"),
        QT_TRANSLATE_NOOP("CostColumns", "Name of the model. The tooltip shows its full ID."),
        _model_text,
        lambda row, view: natural(row.model.name),
        (("model", lambda row, view: row.model_id), ("name", lambda row, view: row.model.name)),
        widest="Claude Sonnet 4.5 Am",
        painted="name",
        spoken=_accessible_model,
    ),
    CostColumn(
        "provider",
        QT_TRANSLATE_NOOP("CostColumns", "Provider"),
        QT_TRANSLATE_NOOP("CostColumns", "Who serves the model at this price."),
        lambda row, view: row.model.provider,
        lambda row, view: natural(row.model.provider),
        (("provider", lambda row, view: row.model.provider),),
        widest="Amazon Bedrock",
    ),
    CostColumn(
        "tokens",
        QT_TRANSLATE_NOOP("CostColumns", "Input tokens"),
        QT_TRANSLATE_NOOP("CostColumns", "Tokens of the whole prompt. A range if estimated."),
        _tokens_text,
        _tokens_middle,
        _estimated("input_tokens", "input_low", "input_high"),
        widest="1,000–1,300 ●",
        numeric=True,
        counted=True,
        painted="tokens",
        spoken=_accessible_tokens,
    ),
    _usd_column(
        "total",
        "usd",
        QT_TRANSLATE_NOOP("CostColumns", "One call"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost of one call. Sorted by the midpoint of the range."),
        sort=lambda row, view: usd_middle(row),
        exported=_estimated("usd", "usd_low", "usd_high", "usd_label"),
    ),
    CostColumn(
        "ratio",
        QT_TRANSLATE_NOOP("CostColumns", "× baseline"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost relative to the baseline. Set one in a row's menu."),
        _ratio_text,
        _ratio_middle,
        (("ratio", _ratio_middle),),
        widest="×0.00012–0.00013",
        shown=False,
        numeric=True,
        counted=True,
    ),
    _usd_column(
        "calls",
        "usd_calls",
        QT_TRANSLATE_NOOP("CostColumns", "Per month"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost of {calls} calls. ⚠: over budget, or possibly over."),
        text=_calls_text,
        sort=_calls_middle,
        exported=_estimated("calls", "usd_calls", "usd_calls_low", "usd_calls_high"),
        widest="$0.13–0.14",
        tone=_calls_tone,
    ),
    CostColumn(
        "break_even",
        QT_TRANSLATE_NOOP("CostColumns", "Cache pays off from"),
        QT_TRANSLATE_NOOP(
            "CostColumns",
            "Cache hit rate from which caching is cheaper than no caching. Needs a scenario with cache misses.",
        ),
        _break_even_text,
        _break_even,
        (("cache_break_even", _break_even),),
        widest="100.0%",
        numeric=True,
        shown=False,
    ),
    CostColumn(
        "context",
        QT_TRANSLATE_NOOP("CostColumns", "Context"),
        QT_TRANSLATE_NOOP(
            "CostColumns", "Share of the model's context window that the prompt takes. Over: too long for the model."
        ),
        _context_text,
        lambda row, view: row.estimate.context_share,
        (
            ("context_share", lambda row, view: row.estimate.context_share),
            ("context_window", lambda row, view: row.model.context),
            ("context_exceeded", lambda row, view: row.estimate.over_context),
        ),
        widest="0.1–0.3%",
        numeric=True,
        counted=True,
        painted="share",
        tone=_context_tone,
    ),
    _price_column("input", QT_TRANSLATE_NOOP("CostColumns", "Input / M")),
    _price_column("output", QT_TRANSLATE_NOOP("CostColumns", "Output / M")),
    _price_column("cached", QT_TRANSLATE_NOOP("CostColumns", "Cached / M"), shown=False),
    _usd_column(
        "input_cost",
        "input_usd",
        QT_TRANSLATE_NOOP("CostColumns", "Input cost"),
        QT_TRANSLATE_NOOP("CostColumns", "Prompt of one call, including its cached part."),
    ),
    _usd_column(
        "output_cost",
        "output_usd",
        QT_TRANSLATE_NOOP("CostColumns", "Output cost"),
        QT_TRANSLATE_NOOP("CostColumns", "Expected output of one call, including reasoning."),
        text=_output_text,
        widest="$0.0000123",
        counted=False,
    ),
    CostColumn(
        "label",
        QT_TRANSLATE_NOOP("CostColumns", "Count quality"),
        QT_TRANSLATE_NOOP(
            "CostColumns",
            "How reliable the count is. Exact: the vendor's own tokenizer. Formula (~): a published rule. Assumed "
            "(~): reliable sources name this tokenizer. Reconstructed (≈): a tested reconstruction. Estimated (≈): a "
            "measured ratio, with its range. A sum is as reliable as its least reliable part.",
        ),
        _label_text,
        _label_rank,
        _estimated("label"),
        widest="≈ reconstructed",
    ),
    CostColumn(
        "tokenizer",
        QT_TRANSLATE_NOOP("CostColumns", "Tokenizer"),
        QT_TRANSLATE_NOOP("CostColumns", "Encoding behind the count or the estimate."),
        _tokenizer_text,
        lambda row, view: natural(row.model.count.tokenizer) if row.model.count.tokenizer else None,
        (("tokenizer", lambda row, view: row.model.count.tokenizer),),
        widest="o200k_harmony",
    ),
    CostColumn(
        "checked",
        QT_TRANSLATE_NOOP("CostColumns", "Price checked"),
        QT_TRANSLATE_NOOP("CostColumns", "Date on which the price was last checked against its source."),
        _checked_text,
        lambda row, view: row.estimate.price_checked,
        _estimated("price_checked"),
        widest="12/12/2026 · 12 days ago",
        tone=lambda row, view: age_tone(row.estimate.price_checked, view.today),
    ),
    CostColumn(
        "retires",
        QT_TRANSLATE_NOOP("CostColumns", "Retirement"),
        QT_TRANSLATE_NOOP("CostColumns", "Date from which the vendor no longer serves the model."),
        _retires_text,
        lambda row, view: row.model.retires,
        (("retires", lambda row, view: row.model.retires),),
        widest="retires on 12/12/2026",
        tone=_retires_tone,
    ),
    CostColumn(
        "origin",
        QT_TRANSLATE_NOOP("CostColumns", "Prices from"),
        QT_TRANSLATE_NOOP("CostColumns", "Built-in table or your own price file."),
        _origin_text,
        _origin,
        (("origin", _origin),),
        widest="your price file",
    ),
    CostColumn(
        "source",
        QT_TRANSLATE_NOOP("CostColumns", "Source"),
        QT_TRANSLATE_NOOP("CostColumns", "Where the price was published."),
        lambda row, view: row.model.source,
        lambda row, view: natural(row.model.source) if row.model.source else None,
        (("source", lambda row, view: row.model.source),),
        widest="https://platform.claude.com/docs",
    ),
    CostColumn(
        "notes",
        QT_TRANSLATE_NOOP("CostColumns", "Notes"),
        QT_TRANSLATE_NOOP("CostColumns", "Other facts about the price."),
        _notes_text,
        lambda row, view: natural(_notes_text(row, view)) or None,
        (
            ("unknown", lambda row, view: " ".join(row.estimate.unknown)),
            ("price_note", lambda row, view: row.estimate.price_note),
            ("notes", lambda row, view: " · ".join(row.model.notes)),
        ),
        widest="a cache write that is kept for more than 12 hours",
    ),
)
"""All columns, in the order of a fresh table."""

COLUMN_INDEX = {column.key: index for index, column in enumerate(COLUMNS)}


# --- reasons and quality ----------------------------------------------------------------------------------------------


def why_not_counted(row: CostRow) -> str:
    """Return why the tokens of a row are unknown."""
    if row.model.count.tokenizer is None:
        return tr("No tokenizer is known for this model, so its tokens cannot be counted.")
    if row.pending:
        return tr("Counting the prompt…")
    return tr("The token count of the prompt is unknown.")


def why_unknown(column: CostColumn, row: CostRow, view: CostView) -> str:
    """Return why a cell shows an unknown figure; "" if it is known."""
    estimate = row.estimate
    if not column.numeric or column.text(row, view) != view.text.unknown():
        return ""
    if column.key == "context" and not row.model.context:
        return tr("Context window unknown.")
    if estimate.input_tokens is None:
        return why_not_counted(row)
    if column.key == "ratio" and estimate.usd is not None:
        return tr("The total of the baseline is unknown or zero.")
    known_from = row.model.price.known_from
    if known_from is not None and view.on < known_from:
        return tr("No known price before {day}.").format(day=view.text.day(known_from))
    prices = ", ".join(unknown_prices(row))
    if estimate.tier:
        return tr("No known price for {prices}, with {condition}.").format(prices=prices, condition=estimate.tier)
    return tr("No known price for {prices}.").format(prices=prices)


def quality_of(row: CostRow) -> str:
    """Return the quality of the prompt's count: a key of ``figures``; "" if there is no count."""
    return QUALITIES.get(row.estimate.label or "", "") if row.estimate.input_tokens is not None else ""


class Priced(NamedTuple):
    """Details of a model in the picker: cost of one call, quality of its count, and the user's star."""

    price: tuple[Run, ...] = ()
    quality: str = ""
    spoken: str = ""
    favourite: bool = False


def drawn_runs(column: CostColumn, row: CostRow, view: CostView) -> tuple[Run, ...]:
    """Return the parts of a cell as drawn, without the sign that its dot replaces."""
    if column.key == "model":
        provider = visible_line(row.model.provider)
        # Some names end with their provider, which is drawn after them anyway.
        return Run(_model_text(row, view).replace(f" ({provider})", "", 1)), Run(provider, strong=False)
    if column.painted == "tokens":
        estimate = row.estimate
        if estimate.input_tokens is None:
            return (Run(_tokens_text(row, view), strong=False),)
        return (Run(view.text.tokens(None, estimate.input_tokens, estimate.input_low, estimate.input_high)),)
    ends = column.ends(row, view) if column.ends is not None else None
    if ends is None:
        return (Run(column.text(row, view), strong=False),)
    places = view.places.get(column.key, 2)
    if column.painted == "price":
        return amount_runs(*ends, places, "$", view.text.localised)
    runs = drawn_amount(ends, view, places)
    return (Run("⚠ "), *runs) if column.key == "calls" and excess(row, view) else runs


def drawn_amount(ends: tuple[Decimal, Decimal] | None, view: CostView, places: int | None = None) -> tuple[Run, ...]:
    """Return the parts of an amount in US dollars as drawn, in the currency shown; ``ends`` is None if it is unknown.

    ``places``: number of decimals; by default as many as give three significant digits.
    """
    if ends is None:
        return (Run(view.text.unknown(), strong=False),)
    low, high = map(view.text.converted, ends)
    decimals = amount_places([high], 3) if places is None else places
    return amount_runs(low, high, decimals, view.text.currency.sign, view.text.localised)


def column_places(rows: Iterable[CostRow], view: CostView) -> dict[str, int]:
    """Return the decimals of each column of amounts, from the amounts in it."""
    rows = list(rows)
    places = {}
    for column in COLUMNS:
        if column.ends is not None:
            found = [ends for row in rows if (ends := column.ends(row, view)) is not None]
            if column.painted == "price":
                places[column.key] = price_places(end for ends in found for end in ends)
            else:
                positive = [high for _, high in found if high > 0]
                smallest = [view.text.converted(min(positive))] if positive else []  # only one is converted
                places[column.key] = amount_places(smallest)
    return places


def break_even_words(rows: Sequence[CostRow], view: CostView) -> str:
    """Return a sentence on the hit rate from which caching pays off in these rows."""
    known = [share for share in (_break_even(row, view) for row in rows) if share is not None]
    paying = [share for share in known if share < 1]
    if not paying:
        return tr("Caching pays off with none of the models shown.") if known else ""
    first, last = (view.text.percent(share, share) for share in (min(paying), max(paying)))
    where = first if first == last else tr("{first} to {last}, by model").format(first=first, last=last)
    words = tr("Caching pays off from a hit rate of: {where}.").format(where=where)
    never = len(known) - len(paying)
    return words + (tr("For {number} models it never does.").format(number=never) if never else "")

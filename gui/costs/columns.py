"""Columns of the cost table, declared as data.

A column defines the text of a row (``text``), its sort value (``sort``, None if unknown), the exact values in exports
(``exported``), and how the table shows it. Adding a column takes one entry in ``COLUMNS``. Keys are saved in the
settings and name the fields of exports, so they must not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.core.figures import QUALITIES, Run, amount_places, amount_runs, price_places
from gui.core.token_text import visible_line
from gui.costs.column_texts import (
    break_even,
    break_even_text,
    calls_text,
    calls_tone,
    can_be_changed,
    excess,
    input_usd_text,
    output_usd_text,
    price_ends,
    price_in_force,
    price_text,
    ratio_middle,
    ratio_text,
    tr,
    typed_price,
    usd_text,
)
from gui.costs.money_text import SIGNS, CostText, age_tone
from gui.costs.rows import CostRow, natural, usd_middle
from gui.widgets.table_model import Column

LABEL_ORDER = tuple(SIGNS)
"""Count qualities in sort order, best first."""


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


Write = Callable[[CostRow, CostView], str]
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
    return tr(column.title).format(calls=view.text.localised(f"{view.calls:,}"))


def hint_of(column: CostColumn, view: CostView) -> str:
    """Return a sentence on the content of the column."""
    return tr(column.hint).format(calls=view.text.localised(f"{view.calls:,}"))


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
    return words.format(label=_plain_label(row, view))


def _plain_label(row: CostRow, view: CostView) -> str:
    return view.text.label(row.estimate.label or row.model.count.label if row.model.count.tokenizer else None)


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


def _origin(row: CostRow) -> str:
    return "yours" if row.model.is_yours else "bundled"


def _origin_text(row: CostRow, view: CostView) -> str:
    return tr("your price file") if row.model.is_yours else tr("built in")


def _spoken_model(row: CostRow, view: CostView) -> str:
    text = _model_text(row, view)
    return tr("{model}, current model").format(model=text) if row.model_id == view.current else text


def _spoken_tokens(row: CostRow, view: CostView) -> str:
    return f"{_tokens_text(row, view)}, {_label_text(row, view)}"


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
    text, places = view.text, view.places.get(column.key, 2)
    if column.painted == "price":
        return amount_runs(*ends, places, "$", text.localised)
    runs = amount_runs(*map(text.converted, ends), places, text.currency.sign, text.localised)
    return (Run("⚠ "), *runs) if column.key == "calls" and excess(row, view) else runs


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
                places[column.key] = amount_places(view.text.converted(high) for _, high in found)
    return places


def _usd_ends(name: str) -> Ends:
    """Return a function for the ends of an amount of the estimate, None if unknown."""

    def ends(row: CostRow, _view: CostView) -> tuple[Decimal, Decimal] | None:
        estimate = row.estimate
        usd, low, high = (getattr(estimate, name + end) for end in ("", "_low", "_high"))
        if usd is None:
            return None
        return (usd, usd) if low is None or high is None else (low, high)

    return ends


def _label_rank(row: CostRow, view: CostView) -> int | None:
    label = row.estimate.label or row.model.count.label if row.model.count.tokenizer else None
    return LABEL_ORDER.index(label) if label in LABEL_ORDER else None


def _tokens_middle(row: CostRow, view: CostView) -> Decimal | None:
    estimate = row.estimate
    if estimate.input_low is None or estimate.input_high is None:
        return None
    return Decimal(estimate.input_low + estimate.input_high) / 2


def _calls_middle(row: CostRow, view: CostView) -> Decimal | None:
    middle = usd_middle(row)
    return None if middle is None or row.estimate.usd_calls is None else middle * row.estimate.calls


def _typed_price(row: CostRow, _view: CostView, path: str) -> str | None:
    """Return the initial text of a price editor; None if the price cannot be edited."""
    return typed_price(row, path) if can_be_changed(row, path) else None


def _price_column(name: str, title: str, shown: bool = True) -> CostColumn:
    """Return a column with a price per million tokens, which can be edited in its cell."""
    return CostColumn(
        f"{name}_price",
        title,
        QT_TRANSLATE_NOOP(
            "CostColumns", "US dollars per million tokens. Double-click or press F2 to set your own price."
        ),
        price_text(name),
        price_in_force(name),
        ((f"{name}_usd_per_mtok", price_in_force(name)),),
        widest="$0.0375",
        numeric=True,
        shown=shown,
        painted="price",
        edits=f"price.{name}",
        edit=partial(_typed_price, path=f"price.{name}"),
        ends=price_ends(name),
    )


def _favourite_sort(row: CostRow, view: CostView) -> int:
    return 0 if row.model_id in view.favourites else 1


COLUMNS: tuple[CostColumn, ...] = (
    CostColumn(
        "favourite",
        QT_TRANSLATE_NOOP("CostColumns", "Favourite"),
        QT_TRANSLATE_NOOP("CostColumns", "Favourites stay on top. Click the star, or press Space."),
        _favourite_text,
        _favourite_sort,
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
        spoken=_spoken_model,
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
        (
            ("input_tokens", lambda row, view: row.estimate.input_tokens),
            ("input_low", lambda row, view: row.estimate.input_low),
            ("input_high", lambda row, view: row.estimate.input_high),
        ),
        widest="1,000–1,300 ●",
        numeric=True,
        counted=True,
        painted="tokens",
        spoken=_spoken_tokens,
    ),
    CostColumn(
        "total",
        QT_TRANSLATE_NOOP("CostColumns", "One call"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost of one call. Sorted by the midpoint of the range."),
        usd_text,
        lambda row, view: usd_middle(row),
        (
            ("usd", lambda row, view: row.estimate.usd),
            ("usd_low", lambda row, view: row.estimate.usd_low),
            ("usd_high", lambda row, view: row.estimate.usd_high),
            ("usd_label", lambda row, view: row.estimate.usd_label),
        ),
        widest="$0.000132–136",
        numeric=True,
        counted=True,
        painted="amount",
        ends=_usd_ends("usd"),
    ),
    CostColumn(
        "ratio",
        QT_TRANSLATE_NOOP("CostColumns", "× baseline"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost relative to the baseline. Set one in a row's menu."),
        ratio_text,
        ratio_middle,
        (("ratio", ratio_middle),),
        widest="×0.00012–0.00013",
        shown=False,
        numeric=True,
        counted=True,
    ),
    CostColumn(
        "calls",
        QT_TRANSLATE_NOOP("CostColumns", "Per month"),
        QT_TRANSLATE_NOOP("CostColumns", "Total cost of {calls} calls. ⚠: over budget, or possibly over."),
        calls_text,
        _calls_middle,
        (
            ("calls", lambda row, view: row.estimate.calls),
            ("usd_calls", lambda row, view: row.estimate.usd_calls),
            ("usd_calls_low", lambda row, view: row.estimate.usd_calls_low),
            ("usd_calls_high", lambda row, view: row.estimate.usd_calls_high),
        ),
        widest="$0.13–0.14",
        numeric=True,
        counted=True,
        tone=calls_tone,
        painted="amount",
        ends=_usd_ends("usd_calls"),
    ),
    CostColumn(
        "break_even",
        QT_TRANSLATE_NOOP("CostColumns", "Cache pays off from"),
        QT_TRANSLATE_NOOP(
            "CostColumns",
            "Cache hit rate from which caching is cheaper than no caching. Needs a scenario with cache misses.",
        ),
        break_even_text,
        lambda row, view: break_even(row),
        (("cache_break_even", lambda row, view: break_even(row)),),
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
    CostColumn(
        "input_cost",
        QT_TRANSLATE_NOOP("CostColumns", "Input cost"),
        QT_TRANSLATE_NOOP("CostColumns", "Prompt of one call, including its cached part."),
        input_usd_text,
        lambda row, view: row.estimate.input_usd,
        (
            ("input_usd", lambda row, view: row.estimate.input_usd),
            ("input_usd_low", lambda row, view: row.estimate.input_usd_low),
            ("input_usd_high", lambda row, view: row.estimate.input_usd_high),
        ),
        widest="$0.000132–136",
        numeric=True,
        counted=True,
        painted="amount",
        ends=_usd_ends("input_usd"),
    ),
    CostColumn(
        "output_cost",
        QT_TRANSLATE_NOOP("CostColumns", "Output cost"),
        QT_TRANSLATE_NOOP("CostColumns", "Expected output of one call, including reasoning."),
        output_usd_text,
        lambda row, view: row.estimate.output_usd,
        (
            ("output_usd", lambda row, view: row.estimate.output_usd),
            ("output_usd_low", lambda row, view: row.estimate.output_usd_low),
            ("output_usd_high", lambda row, view: row.estimate.output_usd_high),
        ),
        widest="$0.0000123",
        numeric=True,
        painted="amount",
        ends=_usd_ends("output_usd"),
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
        (("label", lambda row, view: row.estimate.label),),
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
        (("price_checked", lambda row, view: row.estimate.price_checked),),
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
        lambda row, view: _origin(row),
        (("origin", lambda row, view: _origin(row)),),
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

"""The inspector: the token at the caret, and the bill of the selected model.

A bill has lines, their total, and why a figure is a range or assumed. ``explanation`` returns the same as text with
exact amounts, for the clipboard and for screen readers. ``pricing`` has the same in English
(``CostEstimate.explanation``); its remarks are used as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QSizePolicy, QWidget

from gui.core.exports import plain
from gui.core.figures import Run, amount_places, price_places
from gui.core.token_text import hexadecimal, shown, visible, visible_line
from gui.costs.columns import CostView, drawn_amount, excess, excess_text, unknown_prices, usd_ends, why_not_counted
from gui.costs.cost_table import RunsLabel
from gui.costs.money_text import age_tone
from gui.costs.prices_service import OWN_VENDOR
from gui.costs.rows import CostRow
from gui.look.fonts import fixed_font
from gui.look.quantities import figure
from gui.look.style_sheet import give_role, give_tone
from gui.look.theme import Theme
from gui.widgets.forms import FlowLayout, button_of_kind, column_of, row_of
from gui.widgets.labels import PlainLabel, RemarkLabel, plain_tip

if TYPE_CHECKING:
    from engine.types import TokenInfo
    from gui.editor.offsets import TokenSpan
    from pricing.scenarios import CachedCost, CallKind
    from pricing.types import CostEstimate, CostPart


# --- lines of a bill --------------------------------------------------------------------------------------------------

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
    kinds = _kinds(row)
    amounts = [part.usd for _, one in kinds for part in one.parts if part.usd is not None]
    places = amount_places(map(view.text.converted, [*amounts, *([estimate.usd] if estimate.usd else [])]))
    lines = []
    for kind, one in kinds:
        if kind is not None:
            lines.append(BillLine(_kind_text(kind, view)))
        lines += [_bill_line(part, one, places, view) for part in one.parts]
    if estimate.factor != 1:
        lines.append(BillLine(tr("Multiplier"), f"× {_exact(estimate.factor, view)}"))
    one_call = tr("One call") if row.mixed is None else tr("Average call")
    lines.append(BillLine(one_call, "", drawn_amount(usd_ends(row, view, "usd"), view, places), total=True))
    if estimate.calls != 1:
        calls = tr("{calls} calls").format(calls=view.text.number(estimate.calls))
        lines.append(BillLine(tr("Per month"), calls, drawn_amount(usd_ends(row, view, "usd_calls"), view)))
    if view.calls_a_day and estimate.usd is not None:
        calls = tr("{calls} calls").format(calls=view.text.number(view.calls_a_day))
        usd = estimate.usd * view.calls_a_day
        lines.append(BillLine(tr("Per day"), calls, drawn_amount((usd, usd), view)))
    return lines


def _kinds(row: CostRow) -> list[tuple[CallKind | None, CostEstimate]]:
    """Return the kinds of calls with their costs; one without a name if all calls are alike."""
    if row.mixed is None:
        return [(None, row.estimate)]
    return [(kind, kind.estimate) for kind in row.mixed.kinds]


def _short_name(part: CostPart) -> str:
    return tr(_SHORT.get(part.name, _PARTS.get(part.name, part.name)))


def _is_all_output(part: CostPart, estimate: CostEstimate) -> bool:
    """Return True for the only line of output; how a range is divided between output and reasoning is unknown."""
    return [one for one in estimate.parts if one.name in ("output", "reasoning")] == [part]


def _bill_line(part: CostPart, estimate: CostEstimate, places: int, view: CostView) -> BillLine:
    """Return the line of a term; those of prompt and output have ranges."""
    name, detail = _short_name(part), ""
    ends = None if part.usd is None else (part.usd, part.usd)
    if part.tokens is not None:
        first = last = part.tokens
        if part.name == "input" and estimate.input_low is not None and estimate.input_high is not None:
            # Only the fresh part of the prompt has a range: the number of cached tokens is known.
            first = max(part.tokens + estimate.input_low - (estimate.input_tokens or 0), 0)
            last = part.tokens + estimate.input_high - (estimate.input_tokens or 0)
        elif _is_all_output(part, estimate):
            first, last = estimate.output_low, estimate.output_high
        tokens = view.text.tokens(None, part.tokens, first, last)
        if part.usd_per_mtok is None:
            detail = tr("{tokens} × unknown price").format(tokens=tokens)
        else:
            detail = f"{tokens} × {_price(part.usd_per_mtok, view)}"
            if first != last:
                ends = (first * part.usd_per_mtok / 1_000_000, last * part.usd_per_mtok / 1_000_000)
    return BillLine(name, detail, drawn_amount(ends, view, places))


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
    return [*lines, *_price_notes(row), *_plans(row, view), *_notes(row, view)]


def _price_notes(row: CostRow) -> Iterator[str]:
    """Yield each note on a price once, with the lines of the bill that it is about."""
    names: dict[str, dict[str, None]] = {}
    for _, one in _kinds(row):
        for part in one.parts:
            if part.note:
                names.setdefault(part.note, {})[_short_name(part)] = None
    for note, lines in names.items():
        yield f"{', '.join(lines)}: {note}"


def provider_line(row: CostRow, view: CostView) -> str:
    """Return the provider of the model, the unit, and the age of its prices."""
    checked = row.estimate.price_checked
    words = tr("checked {age}") if checked is not None else "{age}"
    age = words.format(age=view.text.age(checked, view.today))
    parts = [visible_line(row.model.provider), tr("US$ per million"), age]
    if row.model.is_yours:
        parts.append(tr("your price file"))
    return " · ".join(part for part in parts if part)


def explanation(row: CostRow, view: CostView) -> list[str]:
    """Return the model's ID, then a line for each term, total, range, calls, remarks and source. Amounts are exact."""
    estimate = row.estimate
    lines = [row.model_id]
    if estimate.input_tokens is None:
        return [*lines, why_not_counted(row)]
    for kind, one in _kinds(row):
        lines += [] if kind is None else [_kind_text(kind, view) + ":"]
        lines += [("  " if kind else "") + _part_line(part, view) for part in one.parts]
    if estimate.factor != 1:
        lines.append(tr("Multiplied by {factor}").format(factor=_exact(estimate.factor, view)))
    lines += [*_totals(row, view), *_plans(row, view), *_notes(row, view)]
    if estimate.source:
        lines.append(tr("Source: {source}").format(source=estimate.source))
    return lines


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
        context=view.text.number(context), needed=view.text.number(needed)
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
    tokens = view.text.number(part.tokens)
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
        calls, usd = view.text.number(estimate.calls), _usd(estimate.usd_calls, view)
        yield tr("{calls} calls: {usd}").format(calls=calls, usd=usd)
    if view.calls_a_day:
        calls = view.text.number(view.calls_a_day)
        usd = _usd(estimate.usd * view.calls_a_day, view)
        yield tr("Per day, {calls} calls: {usd}").format(calls=calls, usd=usd)


def _kind_text(kind: CallKind, view: CostView) -> str:
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
    if row.mixed is not None and row.mixed.caching is not None:
        yield from _caching(row.mixed.caching, view)
    over = excess(row, view)
    if over is not None:
        yield tr("⚠ Over the monthly budget by {usd}").format(usd=excess_text(row, view, over))


def _caching(cost: CachedCost, view: CostView) -> Iterator[str]:
    """Yield what caching saves, and from which hit rate and by which call it pays off."""
    if cost.saves is not None:
        words = tr("Caching saves {usd} per call") if cost.saves >= 0 else tr("Caching adds {usd} per call")
        yield words.format(usd=_usd(abs(cost.saves), view))
    share, calls = cost.break_even, cost.pays_off_at
    if share is not None:
        words = tr("Caching pays off from a hit rate of {share}") if share < 1 else tr("Caching never pays off")
        yield words.format(share=view.text.percent(share, share))
    if calls is not None and calls > 1:
        yield tr("One cache write pays for itself by call {n}").format(n=calls)


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
    first, last = (view.text.number(tokens) for tokens in (low, high))
    return tr("{first} to {last}").format(first=first, last=last)


def _price(price: Decimal, view: CostView) -> str:
    """Format a price per million tokens with all its digits, and at least to the cent."""
    return "$" + view.text.localised(f"{price:,.{price_places([price])}f}")


def _usd(amount: Decimal, view: CostView) -> str:
    return "$" + _exact(amount, view)


def _exact(amount: Decimal, view: CostView) -> str:
    return view.text.localised(plain(amount))


# --- the pane ---------------------------------------------------------------------------------------------------------

WIDTH, MIN_WIDTH = 324, 300
MAX_BYTES, MAX_TEXT = 24, 64
MARGIN = 16
BAR_HEIGHT = 7.0
COUNT_NOTE = "Count: "
"""Start of the remark of ``pricing`` on how a count was measured."""
EDGE = 0.45
"""Opacity of the outline of a token."""


class TokenPart(QFrame):
    """Card of the token at the caret.

    Signals: ``merges_asked(int, int)`` with its UTF-16 offsets; ``entry_asked(int)`` with its ID.
    """

    merges_asked = Signal(int, int)
    entry_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="inspectorToken")
        self.setAccessibleName(self.tr("Token at the caret"))
        self._theme = theme
        self._span: TokenSpan | None = None
        self.title = PlainLabel(objectName="inspectorTokenTitle", role="overline")
        self.position = PlainLabel(role="caption")
        self.pill = _Pill()
        font = fixed_font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self.pill.setFont(font)
        self.pill.setContentsMargins(8, 4, 8, 4)
        self.pill.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.facts: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for number, (key, words) in enumerate(
            (
                ("id", self.tr("ID")),
                ("rank", self.tr("Rank")),
                ("bytes", self.tr("Bytes")),
                ("length", self.tr("Length")),
                ("shares", self.tr("Shares")),
            )
        ):
            value = self.facts[key] = PlainLabel(role="table")
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(PlainLabel(words, role="tableQuiet"), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, number, 1)
        self.facts["bytes"].setFont(fixed_font())
        self._grid = grid
        self.copy = button_of_kind("inspectorCopyId", self.tr("Copy ID"), "secondary")
        self.merges = button_of_kind("inspectorMerges", self.tr("Merges"), "quiet")
        self.entry = button_of_kind("inspectorEntry", self.tr("Vocabulary"), "quiet")
        head = QWidget()
        FlowLayout(head, 12).add(self.title, self.position)
        buttons = row_of(self.copy, self.merges, self.entry, 1)
        column_of(head, self.pill, grid, buttons, parent=self, margins=(MARGIN, 12, MARGIN, 12), spacing=8)
        self.copy.clicked.connect(self._on_copy)
        self.merges.clicked.connect(self._on_merges)
        self.entry.clicked.connect(self._on_entry)
        theme.changed.connect(self._colour)
        self.show_token(None, None, 0)

    def show_token(self, span: TokenSpan | None, info: TokenInfo | None, total: int, position: str = "") -> None:
        """Show a token; ``total``: tokens of the text; ``position``: position of the caret as text."""
        self._span = span
        known = span is not None
        for widget in (self.pill, self.copy, self.merges, self.entry):
            widget.setVisible(known)
        self.position.setText(position)
        if span is None:
            self.title.setText(self.tr("No token at the caret"))
            self._show_facts({})
            return
        number = partial(figure, self.locale())
        self.title.setText(self.tr("Token {n} of {total}").format(n=number(span.index + 1), total=number(total)))
        facts = {"id": str(span.token_id)}
        if span.partners:
            others = ", ".join(number(index + 1) for index, _id in span.partners)
            facts["shares"] = self.tr("a character with token {others}").format(others=others)
        if info is not None:
            data = info.token_bytes
            self.pill.setText(visible(data[:MAX_TEXT]) + ("…" if len(data) > MAX_TEXT else ""))
            facts["bytes"] = hexadecimal(data, MAX_BYTES)
            facts["length"] = self._length(data)
            rank = "" if info.rank is None else str(info.rank)
            facts["rank"] = self.tr("special token") if info.kind == "special" else rank
        self._show_facts(facts)
        self._colour()

    def _length(self, data: bytes) -> str:
        number = partial(figure, self.locale())
        size = self.tr("1 byte") if len(data) == 1 else self.tr("{n} bytes").format(n=number(len(data)))
        try:
            characters = len(data.decode())
        except UnicodeDecodeError:
            return self.tr("{bytes}, part of a character").format(bytes=size)
        words = self.tr("1 character") if characters == 1 else self.tr("{n} characters").format(n=number(characters))
        return f"{size}, {words}"

    def _show_facts(self, facts: dict[str, str]) -> None:
        for row, (key, label) in enumerate(self.facts.items()):
            text = facts.get(key, "")
            label.setText(text)
            name = self._grid.itemAtPosition(row, 0).widget()
            for widget in (label, name):
                widget.setVisible(bool(text))

    @Slot()
    def _colour(self) -> None:
        if self._span is None:
            return
        tokens = self._theme.token_palette()
        fills, edge = tokens.fills or (tokens.base,), QColor(tokens.boundary)
        edge.setAlphaF(EDGE)
        self.pill.show_colours(fills[self._span.index % min(len(fills), 2)], edge)

    @Slot()
    def _on_copy(self) -> None:
        if self._span is not None:
            QGuiApplication.clipboard().setText(str(self._span.token_id))

    @Slot()
    def _on_merges(self) -> None:
        if self._span is not None:
            self.merges_asked.emit(self._span.utf16_start, self._span.utf16_end)

    @Slot()
    def _on_entry(self) -> None:
        if self._span is not None:
            self.entry_asked.emit(self._span.token_id)


class _Pill(PlainLabel):
    """Text of a token on its colour in the editor."""

    def __init__(self) -> None:
        super().__init__(objectName="inspectorTokenText")
        self._fill = self._edge = QColor()

    def show_colours(self, fill: QColor, edge: QColor) -> None:
        """Set the colours of background and outline. The text has the theme's colour."""
        self._fill, self._edge = fill, edge
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(self._edge)
            painter.setBrush(self._fill)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        super().paintEvent(event)


class RangeBar(QWidget):
    """Bar of the range of a token count, on a scale from zero to slightly above the high end."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(objectName="inspectorRange")
        self._theme = theme
        self._low = self._high = 0
        self._words = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_range(self, low: int, high: int, words: tuple[str, str]) -> None:
        """Show this range; ``words``: its ends as text."""
        self._low, self._high, self._words = low, high, words
        self.setAccessibleName(self.tr("{low} to {high} tokens").format(low=words[0], high=words[1]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, int(BAR_HEIGHT) + self.fontMetrics().height() + 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        scale = self.width() / (self._high * 1.12 or 1)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            soft = self._theme.colour("meter")
            soft.setAlphaF(0.42)
            ends = (self.width(), self._high * scale, self._low * scale)
            for width, colour in zip(
                ends, (self._theme.colour("meter_track"), soft, self._theme.colour("meter")), strict=True
            ):
                painter.setBrush(colour)
                left = self.width() - width if self.isRightToLeft() else 0.0
                painter.drawRoundedRect(QRectF(left, 2, width, BAR_HEIGHT), 3, 3)
            painter.setPen(self._theme.colour("text"))
            metrics, free = painter.fontMetrics(), 0.0
            for x, text in zip((self._low * scale, self._high * scale), self._words, strict=True):
                width = metrics.horizontalAdvance(text)
                left = max(min(x - width / 2, self.width() - width), free)
                free = left + width + 6
                start = self.width() - left - width if self.isRightToLeft() else left
                painter.drawText(QRectF(start, BAR_HEIGHT + 4, width + 2, metrics.height()), text)


class _Quantity(PlainLabel):
    """Quantity and price of a line, in as many lines as the remaining width needs."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """Return the text without the places for line breaks."""
        return self._text

    def setText(self, text: str) -> None:
        if text != self._text:
            self._text = text
            # With a zero-width space after the dash: a range can be longer than the column is wide.
            QLabel.setText(self, shown(text).replace("–", "–\u200b"))
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Wrap the text only if it is too long, since each change of wrapped text lays out the whole bill."""
        self.setWordWrap(self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width())


class BillPart(QFrame):
    """Bill of one call with a model, line by line, with the reason for a range.

    Signals: ``use_asked(str)`` to make this model the reference model; ``prices_asked(str)`` to edit its prices;
    ``calibrate_asked()``.
    """

    use_asked = Signal(str)
    prices_asked = Signal(str)
    calibrate_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="inspectorBill")
        self.setAccessibleName(self.tr("Bill"))
        self._theme = theme
        self._row: CostRow | None = None
        self._shown: object = None
        self.use = button_of_kind("inspectorUse", self.tr("Use as model"), "link")
        self.name = PlainLabel(objectName="inspectorModel", role="section")
        self.provider = PlainLabel(objectName="priceAge", role="caption")
        self.lines = QGridLayout()
        self.labels: list[tuple[PlainLabel, _Quantity, RunsLabel]] = []
        """Name, quantity and amount of each line."""
        self.lines.setHorizontalSpacing(8)
        self.lines.setVerticalSpacing(5)
        self.lines.setColumnStretch(1, 1)
        self.range_title = PlainLabel(self.tr("Input tokens"), role="caption")
        self.range = RangeBar(theme)
        self.why_title = PlainLabel(objectName="inspectorWhyTitle", role="strong")
        self.why = PlainLabel(objectName="inspectorWhy", role="table")
        self.measured = PlainLabel(objectName="inspectorMeasured", role="caption")
        self._how_measured = self.tr(
            "● exact: the vendor's own tokenizer. ◐ estimated: a measured ratio to another tokenizer, with its range, "
            "or a tested reconstruction. ○ assumed: the tokenizer that reliable sources name, or a published formula."
        )
        self.measured.setText(self._how_measured)
        self.remarks = PlainLabel(objectName="inspectorRemarks", role="caption")
        self.source = RemarkLabel("inspectorSource", "caption")
        for label in (self.name, self.provider, self.why, self.measured, self.remarks):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.how = button_of_kind("inspectorHow", self.tr("How it is counted"), "link")
        self.how.setCheckable(True)
        self.calibrate = button_of_kind("inspectorCalibrate", self.tr("Calibrate…"), "link")
        self.edit = button_of_kind("inspectorEditPrice", self.tr("Edit price"), "link")
        self.copy = button_of_kind("inspectorCopyBill", self.tr("Copy bill"), "link")
        self._lay_out()
        self.how.toggled.connect(self.measured.setVisible)
        self.use.clicked.connect(self._on_use)
        self.edit.clicked.connect(self._on_edit)
        self.copy.clicked.connect(self._on_copy)
        self.calibrate.clicked.connect(self.calibrate_asked)
        self.show_row(None, None)

    def text(self) -> str:
        """Return the bill as text, with exact amounts."""
        return self._text

    def show_row(self, row: CostRow | None, view: CostView | None) -> None:
        """Show the bill of a row, or a hint if there is none."""
        if (row, view) == self._shown:
            return
        self._row, self._shown = row, (row, view)
        known = row is not None and view is not None
        for widget in (self.provider, self.how, self.copy, self.why_title):
            widget.setVisible(known)
        self.measured.setVisible(known and self.how.isChecked())
        if row is None or view is None:
            self._text = self.tr("Select a model to see what one call costs.")
            self.name.setText("")
            self.why.setText(self._text)
            facts = (self.range, self.range_title, self.remarks, self.source)
            for widget in (*facts, self.edit, self.calibrate, self.use):
                widget.hide()
            self._show_lines([])
            return
        self._text = "\n".join(explanation(row, view))
        self.setAccessibleDescription(self._text)
        self.name.setText(visible_line(row.model.name))
        self.provider.setText(provider_line(row, view))
        give_tone(self.provider, age_tone(row.estimate.price_checked, view.today))
        self.use.setVisible(row.model_id != view.current)
        self.edit.setVisible(row.model.vendor != OWN_VENDOR)
        self.calibrate.setVisible((row.estimate.label or row.model.count.label) not in ("exact", "counted"))
        self._show_lines(bill_lines(row, view))
        self._show_range(row, view)
        title, sentence = why_not_exact(row, view)
        self.why_title.setText(title)
        self.why.setText(sentence)
        self._show_remarks(row, view)

    def _show_range(self, row: CostRow, view: CostView) -> None:
        low, high = row.estimate.input_low, row.estimate.input_high
        ranged = low is not None and high is not None and low != high
        self.range.setVisible(ranged)
        self.range_title.setVisible(ranged)
        if ranged:
            self.range.set_range(low, high, (view.text.number(low), view.text.number(high)))

    def _show_remarks(self, row: CostRow, view: CostView) -> None:
        lines = remarks(row, view)
        counted = [line for line in lines if line.startswith(COUNT_NOTE)]
        lines = [line for line in lines if line not in counted]
        self.measured.setText("\n".join([self._how_measured, *counted]))
        self.remarks.setText("\n".join(lines))
        self.remarks.setVisible(bool(lines))
        self.source.setText(
            self.tr("Source: {source}").format(source=row.estimate.source) if row.estimate.source else ""
        )
        self.source.setToolTip(plain_tip(row.estimate.source))
        self.source.setVisible(bool(row.estimate.source))

    def _show_lines(self, lines: list[BillLine]) -> None:
        """Show the lines. Labels are reused, since figures change several times a second while the user types."""
        for number, line in enumerate(lines):
            if number == len(self.labels):
                self._add_line(number)
            name, detail, amount = self.labels[number]
            heading = not line.detail and not line.amount
            if heading != name.wordWrap():
                # A heading has the whole width: in its column, it would take the space of the quantities.
                name.setWordWrap(heading)
                self.lines.removeWidget(name)
                self.lines.addWidget(name, number, 0, 1, 3 if heading else 1)
            name.setText(line.name)
            font = name.font()
            font.setBold(line.total)
            name.setFont(font)
            detail.setText(line.detail)
            amount.set_runs(line.amount)
            name.show()
            detail.setHidden(heading)
            amount.setHidden(heading)
        for labels in self.labels[len(lines) :]:
            for label in labels:
                label.hide()

    def _add_line(self, number: int) -> None:
        name, detail = PlainLabel(role="table"), _Quantity(objectName=f"billDetail{number}", role="tableQuiet")
        amount = RunsLabel(f"billAmount{number}", self._theme)
        give_role(amount, "table")
        self.lines.addWidget(name, number, 0)
        self.lines.addWidget(detail, number, 1)
        self.lines.addWidget(amount, number, 2, Qt.AlignmentFlag.AlignRight)
        self.labels.append((name, detail, amount))

    def _lay_out(self) -> None:
        head, links = row_of(PlainLabel(self.tr("Bill"), role="overline"), 1, self.use), QGridLayout()
        links.setHorizontalSpacing(14)
        links.setColumnStretch(2, 1)
        for number, link in enumerate((self.how, self.calibrate, self.edit, self.copy)):
            links.addWidget(link, number // 2, number % 2, Qt.AlignmentFlag.AlignLeft)
        why = (self.range_title, self.range, self.why_title, self.why, self.measured, self.remarks)
        items = (head, self.name, self.provider, self.lines, *why, links, self.source)
        column_of(*items, parent=self, margins=(MARGIN, 12, MARGIN, 12), spacing=7)

    @Slot()
    def _on_use(self) -> None:
        if self._row is not None:
            self.use_asked.emit(self._row.model_id)

    @Slot()
    def _on_edit(self) -> None:
        if self._row is not None:
            self.prices_asked.emit(self._row.model_id)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)


class Inspector(QScrollArea):
    """Token card above the bill. Nothing is computed while it is hidden.

    Signals: ``seen()`` when it is shown and needs current data.
    """

    seen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAccessibleName(self.tr("Inspector"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self.viewport(), objectName="plain")
        self.token = TokenPart(theme, page)
        self.bill = BillPart(theme, page)
        line = QFrame()
        line.setProperty("kind", "line")
        line.setFrameShape(QFrame.Shape.HLine)
        column_of(self.token, line, self.bill, 1, parent=page, spacing=0)
        self.setWidget(page)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 480)

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 120)

    def showEvent(self, event: QEvent) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.seen.emit()

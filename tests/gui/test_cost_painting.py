"""Nothing that is asked while painting may raise, whatever a price file, a count or a locale brings.

An exception inside ``paint`` comes back with every repaint, and leaves a table of empty cells behind.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import combinations_with_replacement

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from gui.core import exports
from gui.costs.columns import COLUMN_INDEX, COLUMNS, drawn_runs
from gui.costs.cost_commands import exact_table, readable_table
from gui.costs.cost_table import CostTableModel
from gui.costs.cost_view import CostTable
from gui.costs.models_page import bars_of
from gui.costs.money_text import CostText
from gui.costs.rows import CostRow, SortKey
from gui.look.theme import Theme
from gui.widgets.table_model import TableRole
from pricing.types import CostEstimate, CostPart, CountRule, Model, Price, Rates
from tests.gui.cost_samples import TODAY, rows
from tests.thoroughness import examples

LOCALES = ("C", "en_US", "de_DE", "fr_FR", "ar_EG", "fa_IR", "hi_IN", "de_CH")
ROLES = (
    *(Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.TextAlignmentRole),
    *(Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole),
    *(TableRole.ROW, TableRole.SORT, TableRole.TONE),
)

counts = st.sampled_from([0, 1, 7, 999, 131_072, 2_579_268, 10**12, 10**18])
EXTREMES = (
    *(Decimal(0), Decimal("0E-30"), Decimal("1E-40"), Decimal("1E+40"), Decimal(10**18), Decimal("129.995")),
    *(Decimal("1." + "3" * 80), Decimal("0.000000" + "9" * 60), Decimal("0.25"), Decimal("9.999"), Decimal("10.01")),
)
amounts = st.sampled_from(EXTREMES)
texts = st.sampled_from(["", "Acme", "<b>&amp;", "a\nb\tc\0", "\u202eعربى", "名" * 300, "{number}%s"])
days = st.sampled_from([None, TODAY, date(1, 1, 1), date(9999, 12, 31)])


def locale_of(name: str) -> QLocale:
    return QLocale.c() if name == "C" else QLocale(name)


def triple(values: st.SearchStrategy) -> st.SearchStrategy:
    """A low end, a figure and a high end; one number; or nothing known."""
    return st.one_of(
        st.tuples(values, values, values).map(lambda ends: tuple(sorted(ends))),
        values.map(lambda value: (value, value, value)),
        st.just((None, None, None)),
        values.map(lambda value: (None, value, None)),
    )


@st.composite
def a_row(draw: st.DrawFn, place: int) -> CostRow:
    tokens, usd, calls, given_input = (draw(triple(values)) for values in (counts, amounts, amounts, amounts))
    label = draw(st.sampled_from(["exact", "assumed", "reconstructed", "estimated", "counted", None]))
    tokenizer = draw(st.sampled_from([None, "o200k_base"]))
    model = Model(
        id=f"acme/{place}",
        vendor="acme",
        name=draw(texts),
        provider=draw(texts),
        price=Price(Rates(draw(st.none() | amounts), draw(st.none() | amounts))),
        count=CountRule(tokenizer, label or "exact"),
        context=draw(st.sampled_from([None, 0, 1, 128_000, 10**15])),
        max_input=draw(st.sampled_from([None, 0, 900])),
        source=draw(texts),
        checked=draw(days),
        retires=draw(days),
        notes=tuple(draw(st.lists(texts, max_size=2))),
    )
    part = CostPart(
        draw(st.sampled_from(["input", "output", "reasoning", "per_request", "gone"])),
        *(draw(st.none() | values) for values in (counts, amounts, amounts)),
        note=draw(texts),
    )
    estimate = CostEstimate(
        model_id=model.id,
        label=label,
        input_low=tokens[0],
        input_tokens=tokens[1],
        input_high=tokens[2],
        input_usd=given_input[1],
        output_usd=draw(st.none() | amounts),
        request_usd=None,
        usd_low=usd[0],
        usd=usd[1],
        usd_high=usd[2],
        calls=draw(st.integers(1, 10**9)),
        usd_calls_low=calls[0],
        usd_calls=calls[1],
        usd_calls_high=calls[2],
        unknown=tuple(draw(st.lists(st.sampled_from(["tokens", "input", "batch.output", "gone"]), max_size=3))),
        retired=draw(st.booleans()),
        context_share=draw(st.none() | amounts),
        over_context=draw(st.none() | st.booleans()),
        tier=draw(st.sampled_from(["", "more than 200,000 prompt tokens"])),
        parts=(part,),
        factor=draw(amounts),
        notes=tuple(draw(st.lists(texts, max_size=2))),
        price_checked=model.checked,
        source=model.source,
    )
    return CostRow(model, estimate, draw(st.booleans()), draw(st.booleans()))


@pytest.fixture
def table(qtbot):
    theme = Theme("light")
    table = CostTable(CostTableModel(CostText(QLocale.c()), TODAY), theme, columns=tuple(COLUMN_INDEX))
    table.theme = theme
    qtbot.addWidget(table)
    return table


def paint(table: CostTable, selected: bool) -> None:
    """Every cell and every section, by direct calls, which raise where a repaint would only complain."""
    image = QImage(200, 30, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    model = table.model()
    try:
        for column in range(model.columnCount()):
            table.horizontalHeader().paintSection(painter, image.rect(), column)
            delegate = table.itemDelegateForColumn(column) or table.itemDelegate()
            for place in range(model.rowCount()):
                option = QStyleOptionViewItem()
                option.initFrom(table)
                option.widget = table
                option.rect = QRect(0, 0, 120, 24)
                if selected:
                    option.state |= QStyle.StateFlag.State_Selected
                delegate.paint(painter, option, model.index(place, column))
    finally:
        painter.end()


@pytest.mark.parametrize("locale", LOCALES)
def test_no_figure_is_too_odd_to_be_written(locale):
    text = CostText(locale_of(locale))
    for low, high in combinations_with_replacement(sorted(EXTREMES), 2):
        for written in (
            text.usd("estimated", low, low, high),
            text.percent(low, high),
            text.ratio(low, high),
            text.tokens("estimated", int(low), int(low), int(high)),
            text.amount(high),
        ):
            assert written
            assert "E+" not in written


@pytest.mark.deep
@examples(50, HealthCheck.function_scoped_fixture)
@given(
    shown=st.tuples(a_row(0), a_row(1)),
    locale=st.sampled_from(LOCALES),
    key=st.sampled_from(sorted(COLUMN_INDEX)),
    pinned=st.sampled_from([None, "acme/0"]),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_no_row_and_no_locale_stops_the_painting(table, shown, locale, key, pinned, flags):
    model = table.model()
    falling, stale, selected = flags
    model.set_text(CostText(locale_of(locale)))
    model.set_rows(shown, shown[0].estimate.calls, TODAY, TODAY)
    model.change(sort=(SortKey(key, falling),), baseline=pinned, show_retired=True, show_embedding=True)
    model.set_stale(stale)
    assert model.rowCount() == 2
    for place in range(2):
        for column in range(len(COLUMNS)):
            for role in ROLES:
                model.data(model.index(place, column), role)
    paint(table, selected)
    table.fit_columns()
    bars_of(model.shown_rows(), model.view, 2)
    for build in (exact_table, readable_table):
        made = build(model.shown_rows(), range(len(COLUMNS)), model.view)
        assert exports.to_tsv(made).count("\n") == 3
        exports.to_json(made)


def drawn(model: CostTableModel, row: CostRow, column: int) -> str:
    """The words of a cell as they are drawn; of a model without its provider."""
    runs = drawn_runs(COLUMNS[column], row, model.view)
    return runs[0].text if COLUMNS[column].key == "model" else "".join(run.text for run in runs)


@pytest.mark.parametrize("tokens", [0, 1, 2_600_000, 10**12])
@pytest.mark.parametrize("locale", LOCALES)
def test_figures_of_very_short_and_very_long_prompts_are_written_in_full(table, locale, tokens):
    model = table.model()
    model.set_text(CostText(locale_of(locale)))
    model.set_rows(rows({"o200k_base": tokens, "cl100k_base": tokens}), 1000, TODAY, TODAY)
    table.resize(1400, 600)
    table.fit_columns()
    for row in model.shown_rows():
        for key in ("model", "tokens", "total", "calls", "context", "input_cost"):
            column = COLUMN_INDEX[key]
            written = model.cell_text(row, column) if key == "context" else drawn(model, row, column)
            assert table.fontMetrics().horizontalAdvance(written) < table.columnWidth(column)


def test_painting_with_a_broken_text_would_be_noticed(table, monkeypatch):
    model = table.model()
    model.set_rows(rows(), 1000, TODAY, TODAY)
    # Whole again before the event loop runs: the table looks through its texts a little later too.
    with monkeypatch.context() as broken:
        broken.setattr(model, "cell_text", lambda row, column: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            paint(table, selected=False)

"""The vocabulary browser in a window, as somebody uses it."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea, QTableView, QWidget

from gui.tokenizers.vocabulary.table import (
    BUILT,
    BYTES,
    COLUMNS,
    ID,
    KIND,
    LENGTH,
    PARENTS,
    REMARKS,
    SCRIPT,
    TOKEN,
)
from tests.gui.conftest import close_window
from tests.gui.tokenizers.vocabulary_windows import browse, shown_ids
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("vocabularyTab")

MAGIKARP = 43453


def row_text(panel, row: int, column: int) -> str:
    return panel.model.index(row, column).data()


def test_the_names_that_others_rely_on(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    window = bench.window
    assert window.pages.currentWidget().objectName() == "vocabularyTab"
    for name, kind in (
        ("vocabTable", QTableView),
        ("vocabSearch", QLineEdit),
        ("vocabGoToId", QLineEdit),
        ("vocabDetail", QWidget),
    ):
        widget = window.findChild(kind, name)
        assert widget is not None
        assert widget.accessibleName()
        assert widget.isVisible()
    for control in panel.findChildren(QWidget):
        is_ours = control.objectName() and not control.objectName().startswith("qt_")
        if control.focusPolicy() & Qt.FocusPolicy.TabFocus and control.isVisible() and is_ours:
            assert control.accessibleName() or getattr(control, "text", str)(), control.objectName()


def test_jump_to_an_id(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.go_to.setFocus()
    qtbot.keyClicks(panel.filters.go_to, str(MAGIKARP))
    qtbot.keyClick(panel.filters.go_to, Qt.Key.Key_Return)
    assert panel.table.current_id == MAGIKARP
    assert panel.table.currentIndex().siblingAtColumn(TOKEN).data() == "·SolidGoldMagikarp"
    assert panel.table.visualRect(panel.table.currentIndex()).intersects(panel.table.viewport().rect())
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    assert panel.detail.heading.text() == "·SolidGoldMagikarp"
    assert panel.detail.fact("bytes") == b" SolidGoldMagikarp".hex(" ")
    assert panel.detail.fact("reach") == "yes"


def test_columns_fit_the_table_and_the_less_important_ones_are_hidden(qtbot, open_window):
    bench = open_window()
    table = browse(qtbot, bench, "r50k_base").table
    hidden = []
    for width in (1_800, 1_280, 900, 1_800):
        bench.window.resize(width, 700)
        qtbot.waitUntil(lambda width=width: bench.window.width() == width)
        qtbot.waitUntil(lambda: table.horizontalHeader().length() == table.viewport().width())
        hidden.append([column for column in range(len(COLUMNS)) if table.isColumnHidden(column)])
        assert not {ID, TOKEN, PARENTS} & set(hidden[-1])
        number = table.fontMetrics().horizontalAdvance("200,000")
        assert all(table.columnWidth(column) > number for column in (ID, TOKEN, PARENTS))
    assert hidden[0] == hidden[3] == []
    assert set(hidden[1]) < set(hidden[2])


@pytest.mark.deep
@pytest.mark.parametrize("token_id", [MAGIKARP, 2], ids=["a word", "a byte"])
def test_in_a_small_window_facts_are_scrolled_and_not_cut(qtbot, open_window, token_id):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base", diagnosed=True)
    bench.window.resize(900, 600)
    bench.pages.vocabulary.browser.go_to(token_id)
    qtbot.waitUntil(lambda: panel.detail.token_id == token_id)
    facts = [fact for fact in panel.detail.findChildren(QLabel) if fact.objectName().startswith("vocabFact_")]
    assert facts
    qtbot.waitUntil(lambda: all(fact.height() >= fact.heightForWidth(fact.width()) for fact in facts))
    area = panel.detail.findChild(QScrollArea, "vocabDetailScroll")
    assert area.verticalScrollBar().maximum() > 0
    assert not area.horizontalScrollBar().maximum()


@pytest.mark.deep
def test_the_tab_key_goes_through_all_controls_and_out_again(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base", diagnosed=True)
    bench.pages.vocabulary.browser.go_to(MAGIKARP)
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    panel.filters.search.setFocus()
    seen = []
    while len(seen) < 60 and QApplication.focusWidget() not in seen:
        seen.append(QApplication.focusWidget())
        qtbot.keyClick(seen[-1], Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is panel.filters.search, "somewhere it turns back"
    detail = panel.detail
    controls = (panel.filters.go_to, panel.table, panel.side.tabBar(), *detail.links, detail.pages.tabBar())
    for control in (*controls, detail.tree.view, detail.letters):
        assert control in seen, control.objectName()


def test_an_id_in_the_search_field(qtbot, open_window):
    """With or without a sign; what is typed meanwhile searches texts, but for ids with the sign."""
    panel = browse(qtbot, open_window(), "r50k_base")
    search = panel.filters.search
    search.setText("2019")
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < 20)
    search.setText(str(MAGIKARP))
    qtbot.keyClick(search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.table.current_id == MAGIKARP)
    search.setFocus()
    search.setText("#257")
    assert panel.filters.wanted.text == ""
    qtbot.keyClick(search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.table.current_id == 257)
    search.setFocus()
    search.setText(str(MAGIKARP))
    qtbot.keyClick(search, Qt.Key.Key_Return)  # all entries are shown until the search for its digits is over
    everything = panel.model.rowCount()
    qtbot.waitUntil(lambda: not search.text() and panel.model.rowCount() == everything)
    assert panel.model.row_at(panel.table.currentIndex().row()) == MAGIKARP


@pytest.mark.deep
def test_jump_to_what_the_search_leaves_out(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.search.setText("berry")
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < 100)
    panel.filters.go_to.setText(str(MAGIKARP))
    panel.filters.go_asked.emit(str(MAGIKARP))
    qtbot.waitUntil(lambda: panel.table.currentIndex().isValid() and panel.model.rowCount() == 50_257)
    assert panel.table.current_id == MAGIKARP
    assert panel.filters.search.text() == ""


@pytest.mark.parametrize(
    ("typed", "first", "last"), mostly_deep([("100-200", 100, 200), ("200 – 100", 100, 200), ("5..5", 5, 5)], 1)
)
def test_a_range_of_ids(qtbot, open_window, typed, first, last):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.go_asked.emit(typed)
    qtbot.waitUntil(lambda: shown_ids(panel) == list(range(first, last + 1)))
    panel.filters.go_asked.emit("")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 50_257)


@pytest.mark.parametrize("typed", mostly_deep(["50257", "-1", "abc", "9999999999", "1-2-3", "٣"]))
def test_what_is_no_id_is_a_sentence(qtbot, open_window, typed):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.go_asked.emit(typed)
    assert panel.problem.text().startswith(f"“{typed}” is not an ID of r50k_base (0 to 50256).")
    assert panel.model.rowCount() == 50_257


@pytest.mark.deep
def test_an_id_typed_while_a_vocabulary_is_opened_is_not_lost(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    flow = bench.pages.vocabulary.browser

    def type_id(typed: str) -> None:
        panel.filters.go_to.setText(typed)
        qtbot.keyClick(panel.filters.go_to, Qt.Key.Key_Return)

    flow.open("r50k_base")
    type_id("999999999")
    assert panel.problem.isHidden()
    qtbot.waitUntil(lambda: flow.vocabulary.search.diagnosis is not None and panel.filters.finding.isEnabled())
    assert panel.problem.isVisibleTo(panel)
    assert "“999999999” is not an ID of r50k_base (0 to 50256)" in panel.problem.text()
    flow.open("cl100k_base")
    type_id("100000")
    qtbot.waitUntil(lambda: flow.vocabulary.name == "cl100k_base")
    assert panel.table.current_id == 100_000
    assert panel.problem.isHidden()


def test_search_by_text_bytes_and_expression(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base")
    entries = bench.pages.vocabulary.browser.vocabulary.entries
    qtbot.keyClicks(panel.filters.search, " solidgold")
    qtbot.waitUntil(lambda: shown_ids(panel) == [MAGIKARP] or MAGIKARP in shown_ids(panel)[:5])
    assert all(b"solidgold" in entries.token_bytes(one).lower() for one in shown_ids(panel))
    panel.filters.match_case.setChecked(True)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 0)
    assert panel.status.text().startswith("0 of 50,257 entries.")
    panel.filters.clear()
    panel.filters.mode.setCurrentIndex(1)
    panel.filters.search.setText("c3a9")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 25)
    assert shown_ids(panel)[0] == 2634
    assert row_text(panel, 0, TOKEN) == "é"
    panel.filters.mode.setCurrentIndex(2)
    panel.filters.search.setText(r"^\d{3}$")
    expected = [one for one, token in enumerate(entries.tokens()) if len(token) == 3 and token.isdigit()]
    qtbot.waitUntil(lambda: shown_ids(panel) == expected)


@pytest.mark.deep
def test_an_invalid_expression_is_a_sentence(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.mode.setCurrentIndex(2)
    panel.filters.search.setText("magi")
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < 50)
    before = shown_ids(panel)
    panel.filters.search.setText("magi(")
    qtbot.waitUntil(lambda: panel.problem.text().startswith("The expression is not valid at its end:"))
    assert shown_ids(panel) == before
    panel.filters.mode.setCurrentIndex(1)
    qtbot.waitUntil(lambda: panel.problem.text().startswith("'m' is not a hexadecimal digit"))


@pytest.mark.deep
def test_keyboard_only(qtbot, open_window):
    bench = open_window()
    browse(qtbot, bench, "r50k_base")
    bench.window.pages.setCurrentWidget(bench.panel)
    window = bench.window
    bench.panel.editor.setFocus()
    panel = bench.pages.vocabulary.panel
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(panel.filters.search.hasFocus)
    QTest.keyClicks(QApplication.focusWidget(), "magikarp")
    qtbot.waitUntil(lambda: MAGIKARP in shown_ids(panel) and panel.model.rowCount() < 20)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert panel.table.hasFocus()
    assert panel.table.currentIndex().row() == 0
    while panel.table.current_id != MAGIKARP:
        before = panel.table.currentIndex().row()
        QTest.keyClick(panel.table, Qt.Key.Key_Down)
        assert panel.table.currentIndex().row() == before + 1
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert panel.filters.go_to.hasFocus()
    assert not bench.panel.find_bar.isVisible()
    QTest.keyClicks(panel.filters.go_to, "256")
    QTest.keyClick(panel.filters.go_to, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.detail.token_id == 256)
    assert panel.table.hasFocus()


@pytest.mark.deep
def test_in_the_prompt_the_same_keys_still_find(qtbot, open_window):
    bench = open_window()
    browse(qtbot, bench, "r50k_base")
    bench.window.pages.setCurrentWidget(bench.panel)
    bench.panel.editor.setFocus()
    QTest.keyClick(bench.window.windowHandle(), Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert bench.panel.find_bar.isVisible()


@pytest.mark.deep
def test_diagnosis_fills_columns_filters_and_facts(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base", diagnosed=True)
    panel.filters.finding.setCurrentIndex(2)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 344)
    assert row_text(panel, 0, REMARKS) == "part of a character"
    panel.filters.clear()
    panel.filters.script.setCurrentIndex(panel.filters.script.findText("Han"))
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() != 344)
    qtbot.waitUntil(lambda: panel.model.rowCount() < 5000)
    assert {row_text(panel, row, SCRIPT) for row in range(panel.model.rowCount())} == {"Han"}
    panel.filters.clear()
    panel.table.sortByColumn(BUILT, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: shown_ids(panel)[0] == 220)
    assert row_text(panel, 0, TOKEN) == "·"
    folder = bench.paths.cache / "diagnoses"
    assert len(list(folder.iterdir())) == 1


@pytest.mark.deep
def test_a_diagnosis_is_kept_for_the_next_window(qtbot, open_window, tmp_path, monkeypatch):
    from engine.vocabulary import entry_diagnostics

    bench = open_window(tmp_path / "kept")
    browse(qtbot, bench, "r50k_base", diagnosed=True)
    close_window(qtbot, bench)
    monkeypatch.setattr(entry_diagnostics, "diagnose", lambda *_: pytest.fail("it was made again"))
    browse(qtbot, open_window(tmp_path / "kept"), "r50k_base", diagnosed=True)


@pytest.mark.deep
def test_a_damaged_diagnosis_is_made_again(qtbot, open_window, tmp_path):
    bench = open_window(tmp_path / "kept")
    browse(qtbot, bench, "r50k_base", diagnosed=True)
    close_window(qtbot, bench)
    (path,) = (tmp_path / "kept" / "cache" / "diagnoses").iterdir()
    path.write_bytes(path.read_bytes()[:-100])
    panel = browse(qtbot, open_window(tmp_path / "kept"), "r50k_base", diagnosed=True)
    panel.filters.finding.setCurrentIndex(2)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 344)
    assert len(path.read_bytes()) > 100_000


@pytest.mark.deep
def test_the_search_says_itself_how_it_is_read(qtbot, open_window):
    """Text, or a sign in front: an expression between slashes, bytes behind 0x, an ID or a range behind #."""
    panel = browse(qtbot, open_window(), "r50k_base")
    filters = panel.filters
    for typed, text, mode in (
        ("magikarp", "magikarp", "text"),
        ("/^ ?\\d+$/", "^ ?\\d+$", "regex"),
        ("/usr", "/usr", "text"),
        ("0x c3 a9", "c3 a9", "hex"),
        ("0x", "0x", "text"),
        ("#100-200", "", "text"),
    ):
        filters.search.setText(typed)
        assert (filters.wanted.text, filters.wanted.mode) == (text, mode)
    qtbot.keyClick(filters.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown_ids(panel) == list(range(100, 201)))
    filters.clear()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 50_257)
    assert not filters.reset.isVisible()
    filters.kind.choices.actions()[2].trigger()
    filters.shortest.setValue(3)
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < 50_257)
    assert (filters.kind.text(), filters.length.text()) == ("✓ merged", "✓ 3 bytes or more")
    assert filters.reset.isVisible()
    filters.reset.click()
    assert (filters.kind.text(), filters.length.text()) == ("Any kind", "Any length")


@pytest.mark.deep
def test_what_a_token_is_merged_from_is_shown_as_text(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base", diagnosed=True)
    row = panel.model.row_of(MAGIKARP)
    assert row_text(panel, row, PARENTS) == "·Solid + GoldMagikarp"
    panel.detail.letters.setChecked(True)
    assert row_text(panel, row, PARENTS) == "ĠSolid + GoldMagikarp"


def test_the_longest_tokens(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.by_length.click()
    qtbot.waitUntil(lambda: row_text(panel, 0, LENGTH) == "128")
    assert panel.table.horizontalHeader().sortIndicatorSection() == LENGTH


@pytest.mark.deep
def test_parents_steps_and_what_is_built_on_a_token_lead_on(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "cl100k_base", diagnosed=True)
    encoding = bench.pages.vocabulary.browser.vocabulary.encoding
    berry = encoding.encode_single_token("berry")
    bench.pages.vocabulary.browser.go_to(berry)
    detail = panel.detail
    qtbot.waitUntil(lambda: detail.token_id == berry)
    steps = [detail.step_model.index(row, 0).data() for row in range(detail.step_model.rowCount())]
    assert [step.split("   ")[0].split(".  ")[1] for step in steps] == [
        "e + r → er",
        "er + r → err",
        "err + y → erry",
        "b + erry → berry",
    ]
    assert len(detail.tree.view.forest.nodes) == 9
    detail.links[1].click()
    erry = encoding.encode_single_token("erry")
    qtbot.waitUntil(lambda: detail.token_id == erry)
    assert panel.table.current_id == erry
    built = [detail.built_model.row_at(row) for row in range(detail.built_model.rowCount())]
    assert berry in built
    detail.pages.setCurrentWidget(detail.built)
    detail.built.setCurrentIndex(detail.built_model.index(built.index(berry), 0))
    detail.built.activated.emit(detail.built.currentIndex())
    qtbot.waitUntil(lambda: detail.token_id == berry)


def test_letters_of_gpt2(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    panel.filters.go_asked.emit(str(MAGIKARP))
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    panel.detail.letters.setChecked(True)
    assert panel.detail.heading.text() == "ĠSolidGoldMagikarp"
    assert panel.table.currentIndex().siblingAtColumn(TOKEN).data() == "ĠSolidGoldMagikarp"


@pytest.mark.deep
def test_where_a_token_is_in_the_prompt(qtbot, open_window):
    bench = open_window()
    bench.prompt.replace_all("one two 🚀 one\n one")
    panel = browse(qtbot, bench, "r50k_base")
    encoding = bench.pages.vocabulary.browser.vocabulary.encoding
    one = encoding.encode_single_token(" one")
    bench.pages.vocabulary.browser.go_to(one)
    detail = panel.detail
    qtbot.waitUntil(lambda: detail.occurrences.text() == "2 times")
    detail.next.click()
    assert bench.window.pages.currentWidget() is bench.panel
    assert bench.panel.editor.selected_range() == (10, 14)
    detail.next.click()
    assert bench.panel.editor.selected_range() == (15, 19)
    detail.next.click()
    assert bench.panel.editor.selected_range() == (10, 14)
    detail.previous.click()
    assert detail.occurrences.text() == "2 of 2"
    bench.prompt.replace_all(" one")
    bench.pages.vocabulary.focus()
    qtbot.waitUntil(lambda: detail.occurrences.text() == "once")
    bench.prompt.replace_all("")
    bench.pages.vocabulary.focus()
    qtbot.waitUntil(lambda: detail.occurrences.text() == "not there")
    assert not detail.next.isEnabled()


@pytest.mark.deep
def test_an_older_search_is_not_shown(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base")
    service = bench.pages.vocabulary.browser._service
    seen: list[str] = []
    service.found.connect(lambda found: seen.append(found.request.query.text))
    for text in ("a", "ab", "abo", "about"):
        panel.filters.search.setText(text)
    qtbot.waitUntil(lambda: not service.busy and "about" in seen)
    assert seen[-1] == "about"
    assert bench.pages.vocabulary.browser._searches >= 4
    assert all("about" in row_text(panel, row, TOKEN).lower() for row in range(panel.model.rowCount()))


def test_another_encoding_while_the_first_is_being_opened(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    for name in ("cl100k_base", "o200k_base", "p50k_base"):
        bench.pages.vocabulary.browser.open(name)
    qtbot.waitUntil(lambda: bench.pages.vocabulary.browser.vocabulary.name == "p50k_base")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 50_281)
    assert panel.filters.encoding.currentText() == "p50k_base"


def test_an_encoding_that_cannot_be_opened_leaves_the_other(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "gpt2")
    bench.pages.vocabulary.browser.open("no such thing")
    qtbot.waitUntil(lambda: "Unknown encoding 'no such thing'" in panel.problem.text())
    assert panel.model.rowCount() == 50_257
    assert panel.filters.encoding.currentText() == "gpt2"


@pytest.mark.deep
def test_what_was_looked_at_comes_back(qtbot, open_window, tmp_path):
    profile = tmp_path / "again"
    bench = open_window(profile)
    panel = browse(qtbot, bench, "r50k_base")
    panel.filters.search.setText("magikarp")
    panel.detail.letters.setChecked(True)
    qtbot.waitUntil(lambda: MAGIKARP in shown_ids(panel) and panel.model.rowCount() < 20)
    panel.filters.go_asked.emit(str(MAGIKARP))
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    close_window(qtbot, bench)
    again = open_window(profile)
    panel = again.pages.vocabulary.panel
    assert again.window.pages.currentWidget().objectName() == "vocabularyTab"
    qtbot.waitUntil(lambda: panel.detail.token_id == MAGIKARP)
    assert panel.filters.encoding.currentText() == "r50k_base"
    assert panel.filters.search.text() == "magikarp"
    assert panel.detail.heading.text() == "ĠSolidGoldMagikarp"


@pytest.mark.deep
def test_an_encoding_of_last_time_that_has_gone(qtbot, open_window, tmp_path):
    profile = tmp_path / "gone"
    close_window(qtbot, open_window(profile))
    (state,) = profile.rglob("state.json")
    stored = json.loads(state.read_text())
    stored |= {"vocabulary": {"encoding": "mine", "id": "x", "split": [1], "search": 3}, "tab": "vocabularyTab"}
    state.write_text(json.dumps(stored))
    bench = open_window(profile)
    qtbot.waitUntil(lambda: bench.pages.vocabulary.panel.model.rowCount() == 200_019)
    assert bench.pages.vocabulary.panel.filters.encoding.currentText() == "o200k_base"


@pytest.mark.deep
def test_no_token_is_read_as_rich_text(qtbot, open_window):
    bench = open_window()
    panel = browse(qtbot, bench, "r50k_base")
    encoding = bench.pages.vocabulary.browser.vocabulary.encoding
    for text in ("</", "<", "&", " <"):
        token_id = encoding.encode_single_token(text)
        bench.pages.vocabulary.browser.go_to(token_id)
        qtbot.waitUntil(lambda token_id=token_id: panel.detail.token_id == token_id)
        assert panel.detail.heading.text() == text.replace(" ", "·")
        assert panel.detail.heading.textFormat() == Qt.TextFormat.PlainText


def test_copying_rows(qtbot, open_window):
    panel = browse(qtbot, open_window(), "r50k_base")
    rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    panel.table.selectionModel().select(panel.model.index(220, 0), rows)
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    titles, row, end = QApplication.clipboard().text().split("\n")
    assert titles.split("\t") == [column.title for column in COLUMNS]
    cells = row.split("\t")
    assert [cells[column] for column in (ID, TOKEN, LENGTH, KIND, BYTES)] == ["220", "·", "1", "byte", "20"]
    assert end == ""


@pytest.mark.deep
def test_an_encoding_of_ones_own(qtbot, open_window, tmp_path):
    import engine

    profile = tmp_path / "own"
    folder = profile / "data" / "encodings"
    folder.mkdir(parents=True)
    own = engine.Encoding(
        "mine",
        pat_str=engine.get_encoding("gpt2").pattern,
        mergeable_ranks={bytes([value]): value for value in range(256)} | {b"ab": 256, b"abc": 257, b"xyz": 258},
        special_tokens={"<|end|>": 300},
    )
    engine.save_encoding(own, folder / "mine.tiktoken")
    bench = open_window(profile)
    panel = browse(qtbot, bench, "mine", diagnosed=True)
    assert panel.model.rowCount() == 301
    assert json.dumps([row_text(panel, row, TOKEN) for row in (256, 257, 299, 300)]) == '["ab", "abc", "", "<|end|>"]'
    bench.pages.vocabulary.browser.go_to(258)
    qtbot.waitUntil(lambda: panel.detail.token_id == 258)
    assert panel.detail.no_parents.text() == "not merged"
    bench.pages.vocabulary.browser.go_to(280)
    qtbot.waitUntil(lambda: panel.detail.token_id == 280)
    assert panel.detail.fact("reach") == "unused ID"

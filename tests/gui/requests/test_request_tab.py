"""The tab of whole requests, as somebody uses it: by keyboard, by mouse, by clipboard, by files."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QComboBox, QFileDialog, QLabel, QPushButton, QTableView, QWidget

from commands.requests import request_counts
from engine.requests.types import Image, Message, ToolCall
from gui.core.figures import ASSUMED, ESTIMATED, EXACT
from gui.costs.rows import CostRow
from gui.prompt.chat.messages import CONTENT, ROLE, TOKENS
from gui.prompt.chat.panel import FIRST_MESSAGES, ChatPanel
from gui.widgets.tool_row import Chip
from gui.window.application import Application
from pricing.catalog import load_catalog
from pricing.types import TokenCount
from tests.engine.requests.samples import COOKBOOK, WEATHER_TOOL
from tests.engine.requests.test_bodies import ANTHROPIC, CHAT, GEMINI, RESPONSES
from tests.engine.requests.test_images import PNG
from tests.gui.conftest import close_window
from tests.gui.requests.windows import contents, drop, notices, open_body, parts, settled, show_messages
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages("requestTab")

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


def test_the_page_begins_with_a_request_that_is_counted(panel):
    assert panel.model.messages == FIRST_MESSAGES
    assert panel.result.total.text() == "793 tokens, formula"
    assert parts(panel) == "overhead 11 (formula), images 765 (formula), text 17 (exact)"


def test_names_are_those_that_others_rely_on(panel):
    window = panel.window()
    assert window.findChild(QWidget, "requestTab") is panel.parentWidget()
    assert isinstance(window.findChild(QWidget, "requestMessages"), QTableView)
    assert isinstance(window.findChild(QWidget, "requestTemplate"), QComboBox)
    assert isinstance(window.findChild(QWidget, "requestOverhead"), QLabel)
    assert "images 765" in window.findChild(QWidget, "requestPartsBar").accessibleName()
    for control in panel.findChildren(QWidget):
        named = control.objectName() and not control.objectName().startswith("qt_")
        if named and control.isVisible() and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert control.accessibleName() or isinstance(control, QAbstractButton), control.objectName()


def test_the_published_count(qtbot, bench, panel):
    show_messages(qtbot, bench, *COOKBOOK.messages)
    assert panel.result.total.text() == "124 tokens, formula"
    panel.bar.picker.setCurrentText("cl100k_base")
    settled(qtbot, bench)
    assert panel.result.total.text() == "129 tokens, formula"
    panel.tools.setPlainText(json.dumps([WEATHER_TOOL.as_json()]))
    settled(qtbot, bench)
    assert "tools " in parts(panel)
    assert sum(int(panel.model.index(row, TOKENS).data()) for row in range(6)) == 129 - 3


def test_messages_are_written_added_moved_and_removed_by_keyboard(qtbot, bench, panel):
    table = panel.messages.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(table, Qt.Key.Key_Insert)
    assert [message.role for message in panel.model.messages] == ["system", "user", "assistant"]
    panel.message.content.setFocus()
    qtbot.keyClicks(panel.message.content, "A cat")
    settled(qtbot, bench)
    assert contents(panel)[2] == "A cat"
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    settled(qtbot, bench)
    assert contents(panel)[1] == "A cat"
    assert panel.messages.current_row == 1
    assert panel.message.content.toPlainText() == "A cat"
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    settled(qtbot, bench)
    assert panel.model.messages == FIRST_MESSAGES
    for _ in range(3):
        qtbot.keyClick(table, Qt.Key.Key_Delete)
    settled(qtbot, bench)
    assert panel.model.messages == ()
    assert not panel.message.isEnabled()
    assert not panel.messages.remove.isEnabled()
    assert panel.result.total.text() == "3 tokens, formula"
    panel.messages.add.click()
    settled(qtbot, bench)
    assert panel.model.messages == (Message("user"),)


@pytest.mark.deep
def test_cells_are_edited_in_place(qtbot, bench, panel):
    model = panel.model
    assert model.setData(model.index(0, ROLE), "developer")
    assert model.setData(model.index(0, CONTENT), "Be brief.")
    settled(qtbot, bench)
    assert panel.message.role.currentText() == "developer"
    assert panel.message.content.toPlainText() == "Be brief."
    assert panel.result.view.toPlainText().startswith("<|im_start|>developer<|im_sep|>Be brief.<|im_end|>")
    assert not model.setData(model.index(0, TOKENS), "7")
    panel.message.role.setCurrentText("user")
    panel.message.speaker.setText("anna")
    settled(qtbot, bench)
    assert model.message(0) == Message("user", "Be brief.", "anna")


def test_the_current_message_is_written_in_its_row(qtbot, bench, panel):
    table, editor = panel.messages.table, panel.message
    show_messages(qtbot, bench, Message("system", "Be brief."), Message("user", "a"), Message("assistant", "b"))
    for row in (2, 0, 1):
        panel.messages.show_row(row)
        assert editor.geometry().top() == table.rowViewportPosition(row)
        assert editor.height() == table.rowHeight(row) > table.rowHeight((row + 1) % 3)
    before = editor.height()
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert editor.content.hasFocus()
    qtbot.keyClicks(editor.content, "one")
    for _ in range(4):
        qtbot.keyClick(editor.content, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: table.rowHeight(1) > before)
    settled(qtbot, bench)
    assert editor.tokens.text() == panel.model.index(1, TOKENS).data() != ""
    spoken = panel.model.index(0, CONTENT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("system, ")
    assert spoken.endswith(" tokens, formula: Be brief.")
    assert not panel.tools.isVisible()
    panel.edit_tools.click()
    assert panel.tools.isVisible()


@pytest.mark.deep
def test_what_is_typed_last_belongs_to_its_message(qtbot, bench, panel):
    panel.messages.show_row(0)
    panel.message.content.setPlainText("first")
    panel.messages.show_row(1)
    settled(qtbot, bench)
    assert contents(panel) == ["first", FIRST_MESSAGES[1].content]


@pytest.mark.deep
def test_line_ends_stay_until_the_content_is_edited(qtbot, bench, panel):
    show_messages(qtbot, bench, Message("user", "a\r\nb"))
    panel.message.role.setCurrentText("tool")
    panel.message.add_image.click()
    settled(qtbot, bench)
    assert panel.model.message(0).content == "a\r\nb"
    assert panel.model.message(0).role == "tool"


@pytest.mark.deep
def test_a_huge_content_is_counted_and_goes_in_by_slices(qtbot, bench, panel):
    text = "word " * 600_000
    show_messages(qtbot, bench, Message("user", text), Message("user", "short"))
    assert panel.result.reply.is_cut
    assert panel.result.reply.tally.of("text").tokens > 600_000
    panel.messages.show_row(1)
    panel.messages.show_row(0)
    assert panel.message.content.toPlainText() == text
    assert contents(panel) == [text, "short"]
    assert panel.state().get("messages") is None


@pytest.mark.deep
def test_images_by_size_and_by_file(qtbot, bench, panel, tmp_path):
    panel.messages.show_row(0)
    panel.message.add_image.click()
    panel.message.width_box.setValue(512)
    panel.message.height_box.setValue(512)
    panel.message.detail.setCurrentText("low")
    settled(qtbot, bench)
    assert panel.model.message(0).images == (Image(512, 512, "low"),)
    assert "images 850 (formula)" in parts(panel)
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    (tmp_path / "b.png").write_bytes(b"no image")
    panel.message.open_image.click()
    dialog = panel.window().findChild(QFileDialog, "requestImageDialog")
    dialog.fileSelected.emit(str(path))
    dialog.close()
    qtbot.waitUntil(lambda: len(panel.model.message(0).images) == 2)
    assert panel.model.message(0).images[1] == Image(640, 480, "auto", "a.png")
    drop(panel, tmp_path / "b.png")
    qtbot.waitUntil(lambda: len(panel.model.message(0).images) == 3)
    settled(qtbot, bench)
    assert panel.result.reply.tally.of("images").tokens == 85 + 425 + 765 + 765
    assert panel.result.reply.tally.of("images").grade == "estimate"
    assert any("b.png is not a PNG" in text for text in notices(bench))
    while panel.message.remove_image.isEnabled():
        panel.message.remove_image.click()
    settled(qtbot, bench)
    assert panel.model.message(0).images == ()


def test_tools_that_are_wrong_are_said_and_not_counted(qtbot, bench, panel):
    panel.tools.setPlainText('[\n  {"name": 7}\n]')
    settled(qtbot, bench)
    assert "line 2, column 12: [0].name must be a text" in panel.tools_remark.text()
    assert "tools" not in parts(panel)
    panel.tools.setPlainText('{"name": "f", "input_schema": {"type": "object"}}')
    settled(qtbot, bench)
    assert panel.tools_remark.text() == ""
    assert "tools " in parts(panel)


@pytest.mark.deep
@pytest.mark.parametrize("key", mostly_deep(["harmony", "chatml", "qwen", "deepseek", "mistral", "alone", "openai"], 2))
def test_every_template_brings_its_encoding(qtbot, bench, panel, key):
    template = panel.bar.template
    row = template.findData(key)
    template.setCurrentIndex(row)
    settled(qtbot, bench)
    reply = panel.result.reply
    assert reply.draft.template == key
    assert reply.draft.encoding == panel.bar._choices[key].encoding
    assert reply.problem == ""
    assert panel.result.view.toPlainText() == reply.text
    assert panel.result.view.token_count == (reply.patch.ids >= 0).sum()


def test_each_message_shows_how_sure_its_count_is(qtbot, bench, panel):
    called = Message("assistant", "", tool_calls=(ToolCall("f", "{}", "a"),))
    show_messages(qtbot, bench, Message("user", "Hello"), called)
    model, form = panel.model, panel.message
    assert [model.quality(row) for row in range(2)] == [ASSUMED, ESTIMATED]
    assert model.index(0, CONTENT).data(Qt.ItemDataRole.AccessibleTextRole).startswith("user, 5 tokens, formula: ")
    assert form.dot.isVisible()
    assert form.dot.accessibleName() == form.tokens.toolTip() == "5 tokens, formula"
    panel.messages.show_row(1)
    assert form.dot.accessibleName().endswith(" tokens, estimate")
    template = panel.window().findChild(QComboBox, "requestTemplate")
    template.setCurrentIndex(template.findData("qwen"))
    settled(qtbot, bench)
    assert model.quality(0) == EXACT


def test_a_chip_marks_its_part(qtbot, bench, panel):
    show_messages(qtbot, bench, Message("user", "Hi there"))
    chips = {chip.text(): chip for chip in panel.result.tint.findChildren(Chip) if chip.isVisible()}
    assert list(chips) == ["✓ overhead 7", "text 2"]
    qtbot.mouseClick(chips["text 2"], Qt.MouseButton.LeftButton)
    assert framed(panel) == ["Hi there"]
    assert [chip.text() for chip in chips.values()] == ["overhead 7", "✓ text 2"]
    qtbot.mouseClick(chips["text 2"], Qt.MouseButton.LeftButton)
    assert framed(panel) == []


@pytest.mark.deep
def test_what_is_framed_and_what_is_at_the_caret(qtbot, bench, panel):
    view = panel.result.view
    show_messages(qtbot, bench, Message("user", "Hi 😀 there"))
    text = view.toPlainText()
    overhead = framed(panel)
    assert "".join(overhead) == text.replace("Hi 😀 there", "")
    panel.result.tint.choose("text")
    assert framed(panel) == ["Hi 😀 there"]
    panel.result.tint.choose("")
    assert framed(panel) == []
    view.go_to_token(0)
    assert panel.result.position.text() == "At the caret: overhead of message 1, user"
    view.go_to_token(4)
    assert panel.result.position.text() == "At the caret: text of message 1, user"


def framed(panel: ChatPanel) -> list[str]:
    options = panel.result.view._options
    data = panel.result.view.toPlainText().encode("utf-16-le")
    return [
        data[2 * start : 2 * end].decode("utf-16-le")
        for start, end in zip(options.match_starts.tolist(), options.match_ends.tolist(), strict=True)
    ]


def test_text_of_special_tokens_is_flagged(qtbot, bench, panel):
    show_messages(qtbot, bench, Message("user", "say <|im_end|> <b>now</b>"))
    assert "<|im_end|> in message 1" in panel.result.special.text()
    assert panel.result.special.textFormat() == Qt.TextFormat.PlainText
    show_messages(qtbot, bench, Message("user", "say"))
    assert panel.result.special.text() == ""


@pytest.mark.deep
def test_a_template_file(qtbot, bench, panel, tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text(CHATML, encoding="utf-8")
    template = panel.bar.template
    row = template.findText("Template file…")
    template.setCurrentIndex(row)
    assert template.currentData() == "openai"
    dialog = panel.window().findChild(QFileDialog, "requestTemplateDialog")
    dialog.fileSelected.emit(str(path))
    dialog.close()
    settled(qtbot, bench)
    assert template.currentText() == "mine.jinja"
    assert panel.result.reply.text.startswith("<|im_start|>system\nYou are")
    assert panel.result.total.text().endswith("estimate")  # the images: no template says how they are counted
    template.setCurrentIndex(template.findData("chatml"))
    assert panel.bar.template_file is None
    template.setCurrentIndex(template.findText("mine.jinja"))
    assert panel.bar.template_file == path
    path.write_text("{% if %}", encoding="utf-8")
    bench.pages.request.recount()
    settled(qtbot, bench)
    assert "mine.jinja, line 1: not a valid Jinja template" in panel.result.problem.text()
    assert panel.result.total.text() == "Not counted"
    path.unlink()
    bench.pages.request.recount()
    settled(qtbot, bench)
    assert "mine.jinja" in panel.result.problem.text()


@pytest.mark.parametrize(
    ("body", "template", "spoken"),
    mostly_deep(
        [
            (CHAT, "openai", ["Be brief.", "What is this?", "", "A cat"]),
            (RESPONSES, "openai", ["Be brief.", "What is this?", "", "A cat"]),
            (ANTHROPIC, "alone", ["Be brief.", "What is this?", "", "A cat"]),
            (GEMINI, "alone", ["Be brief.", "What is this?", "", '{"text": "A cat"}']),
        ],
        1,
    ),
    ids=["chat", "responses", "anthropic", "gemini"],
)
def test_a_body_from_the_clipboard(qtbot, bench, panel, body, template, spoken):
    QGuiApplication.clipboard().setText(json.dumps(body, indent=1))
    with qtbot.waitSignal(bench.pages.request.reading.finished):
        panel.bar.paste.click()
    settled(qtbot, bench)
    assert contents(panel) == spoken
    assert panel.bar.template_key == template
    assert "Not counted: " in panel.unknown.text()
    assert json.loads(panel.tools_text)[0]["function"]["name"] == "look"
    assert "tools " in parts(panel)
    assert notices(bench)[-1] == "Loaded a request with 4 messages from the clipboard."


@pytest.mark.deep
def test_what_was_not_counted_comes_back_too(qtbot, bench, panel, tmp_path):
    open_body(qtbot, bench, tmp_path, CHAT)
    said = panel.unknown.text()
    open_body(qtbot, bench, tmp_path, {"messages": [{"role": "user", "content": "new"}]})
    assert panel.unknown.text() == ""
    bring_back(bench)
    settled(qtbot, bench)
    assert panel.unknown.text() == said


def bring_back(bench):
    buttons = bench.window.findChildren(QPushButton)
    next(button for button in buttons if button.text().replace("&", "") == "Restore previous request").click()


@pytest.mark.deep
def test_what_was_there_comes_back(qtbot, bench, panel, tmp_path):
    open_body(qtbot, bench, tmp_path, {"messages": [{"role": "user", "content": "new"}]})
    assert contents(panel) == ["new"]
    bring_back(bench)
    settled(qtbot, bench)
    assert panel.model.messages == FIRST_MESSAGES


def test_what_is_no_request_changes_nothing(qtbot, bench, panel, tmp_path):
    path = tmp_path / "no.json"
    path.write_text('{\n "messages": [{"role": 7}]}', encoding="utf-8")
    with qtbot.waitSignal(bench.pages.request.reading.failed):
        drop(panel, path)
    assert panel.model.messages == FIRST_MESSAGES
    assert notices(bench)[-1] == (
        "no.json contains no request: line 2, column 24: messages[0].role must be a text, not a number. "
        "The current request was kept."
    )
    QGuiApplication.clipboard().setText("  ")
    panel.bar.paste.click()
    assert panel.model.messages == FIRST_MESSAGES


@pytest.mark.deep
def test_the_cost_table_prices_the_request(qtbot, bench, panel):
    costs = bench.costs.service
    qtbot.waitUntil(lambda: bench.prompt.counts is not None and bench.prompt.counts.complete)
    # Prices may ask for it later, and until then no row has tokens.
    qtbot.waitUntil(lambda: bench.prompt.counts.by_encoding.get("o200k_base") is not None)
    qtbot.waitUntil(lambda: input_tokens(bench, "openai/gpt-4o") == bench.prompt.counts.by_encoding["o200k_base"])
    of_prompt = input_tokens(bench, "openai/gpt-4o")
    note = bench.costs.panel.status.note
    assert not note.text()
    panel.bar.price.click()
    qtbot.waitUntil(lambda: input_tokens(bench, "openai/gpt-4o") == 793)
    assert note.text() == "Cost of the request on the Chat page."
    bench.window.pages.show_page("promptTab")
    qtbot.waitUntil(note.isVisible)
    bench.window.pages.show_page("modelsPage")
    qtbot.waitUntil(note.isVisible)
    panel.model.setData(panel.model.index(0, CONTENT), "Be brief.")
    qtbot.waitUntil(lambda: input_tokens(bench, "openai/gpt-4o") < 793)
    panel.bar.price.click()
    qtbot.waitUntil(lambda: input_tokens(bench, "openai/gpt-4o") == of_prompt)
    assert not note.text()
    assert costs.rows


def input_tokens(bench: Application, model: str) -> int | None:
    rows = [row for row in bench.costs.service.rows if row.model_id == model]
    return rows[0].estimate.input_tokens if rows else None


def of_command_line(tmp_path, name: str) -> TokenCount:
    """What ``cost --request`` counts for a model."""
    count, _ = request_counts(None, (str(tmp_path / "body.json"),), None)
    return count(load_catalog(None).find(name))


def test_the_choice_of_a_tool_counts_as_on_the_command_line(qtbot, bench, panel, tmp_path):
    tools = [{"type": "function", "function": WEATHER_TOOL.as_json()["function"]}]
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}], "tools": tools}
    totals = {}
    for choice in ("auto", "none", {"type": "function", "function": {"name": WEATHER_TOOL.name}}):
        open_body(qtbot, bench, tmp_path, body | {"tool_choice": choice})
        totals[str(choice)] = panel.result.reply.tally.tokens
        assert panel.result.reply.tally.tokens == of_command_line(tmp_path, "openai/gpt-4o").tokens
    automatic, none, forced = totals.values()
    assert none == automatic + 1
    assert forced > automatic + 4
    assert panel.choice.currentText() == WEATHER_TOOL.name
    panel.choice.setCurrentIndex(panel.choice.findText("no tool"))
    settled(qtbot, bench)
    assert panel.result.reply.tally.tokens == none
    state = panel.state()
    panel.choice.setCurrentIndex(0)
    settled(qtbot, bench)
    assert panel.result.reply.tally.tokens == automatic
    panel.restore_state(state)
    settled(qtbot, bench)
    assert (panel.tool_choice, panel.result.reply.tally.tokens) == (("none", ""), none)


def test_the_cost_of_a_request_is_as_sure_as_its_least_sure_part(qtbot, bench, panel, tmp_path):
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    text = {"type": "text", "text": "What is this?"}
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": [text, image]}]}
    open_body(qtbot, bench, tmp_path, body)
    assert panel.result.total.text() == "776 tokens (266 to 1,116), estimate"
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    panel.bar.price.click()

    def row(name: str) -> CostRow | None:
        return next((row for row in bench.costs.service.rows if row.model_id == name and not row.pending), None)

    qtbot.waitUntil(lambda: row("openai/gpt-4o") is not None and row("openai/gpt-4o").estimate.input_high == 1_116)
    for name in ("openai/gpt-4o", "anthropic/claude-opus-4-6", "deepseek/deepseek-flash"):
        count, estimate = of_command_line(tmp_path, name), row(name).estimate
        assert (estimate.input_low, estimate.input_tokens, estimate.input_high) == (count.low, count.tokens, count.high)
        assert estimate.label == count.label == "estimated"
        assert estimate.usd_low < estimate.usd < estimate.usd_high
    body["messages"][0]["content"] = [text, {"type": "input_audio", "input_audio": {}}]
    open_body(qtbot, bench, tmp_path, body)
    assert panel.result.total.text() == "11 tokens, estimate"
    qtbot.waitUntil(lambda: row("openai/gpt-4o") is not None and row("openai/gpt-4o").estimate.input_tokens == 11)
    assert (row("openai/gpt-4o").estimate.label, row("openai/gpt-4o").estimate.is_complete) == ("estimated", False)


@pytest.mark.deep
def test_a_request_is_there_again_in_the_next_window(qtbot, open_window, tmp_path):
    bench = open_window(tmp_path / "profile", counted=False)
    bench.window.actions_by_name["focus_request"].trigger()
    settled(qtbot, bench)
    panel = bench.pages.request.panel
    open_body(qtbot, bench, tmp_path, CHAT)
    panel.bar.show_template("qwen")
    panel.bar.changed.emit()
    settled(qtbot, bench)
    before = panel.model.messages, panel.tools_text, parts(panel), panel.unknown.text()
    assert "input_audio" in before[-1]
    close_window(qtbot, bench)
    bench = open_window(tmp_path / "profile", counted=False)
    qtbot.waitUntil(lambda: bench.pages.request.panel is not None)  # the tab was the current one
    settled(qtbot, bench)
    panel = bench.pages.request.panel
    assert (panel.model.messages, panel.tools_text, parts(panel), panel.unknown.text()) == before


@pytest.mark.deep
@pytest.mark.parametrize(
    "state",
    mostly_deep(
        [
            {"messages": 7, "template": 7, "encoding": 7, "image_rule": 7, "template_file": 7, "model": 7},
            {"messages": [], "tools": "", "not_counted": [7, ["a"], ["a", 7], ["a", "b", "c"]]},
            {"messages": [7, {}, {"role": 1, "images": [[1], 7, [1, 2, "auto", "x"]], "calls": [["a"]]}], "tools": ""},
        ],
        1,
    ),
)
def test_a_damaged_state_does_no_harm(qtbot, bench, panel, state):
    panel.restore_state(state)
    settled(qtbot, bench)
    assert panel.result.reply.problem == ""

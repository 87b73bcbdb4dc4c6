"""Controller of the page Chat: counts the edited request and files of requests, and feeds the cost table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QApplication, QFileDialog

from gui.core.model_counts import templates_and_encodings
from gui.core.user_encodings import looks_like_tokenizer
from gui.prompt.chat.service import (
    BodySource,
    LinesRequest,
    LinesTable,
    RequestDraft,
    count_draft,
    count_lines,
    image_rules,
    list_lines,
    read_source_of,
    size_image,
    template_choices,
    template_for,
)
from gui.runtime.notify import Offer
from gui.widgets import file_choosers
from gui.widgets.page_controller import PageBuilding, PageController

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.requests.bodies.reader import ReadBody
    from engine.requests.types import Image, Request
    from gui.prompt.chat.panel import ChatPanel
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.widgets.page_controller import AppContext

COUNT_DELAY_MS = 30
"""Delay before a changed draft is counted, in milliseconds, so that changes in quick succession are counted once."""

NEEDS = (
    "engine.requests.images",
    "engine.requests.templates",
    "gui.prompt.chat.panel",
)
"""Modules loaded when the page is built."""

OPENED = "request-opened"
READING = "request-reading"


class ChatController(PageController["ChatPanel"]):
    """Controller between panel, jobs and cost table. The page is built when it is first shown."""

    _panel: ChatPanel

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        super().__init__(context, state)
        self._costs, self._notifier = context.pages.costs, context.notifier
        self._revision = 0
        self._lines: LinesRequest | None = None
        self._delay = QTimer(self, singleShot=True, interval=COUNT_DELAY_MS)
        self._delay.timeout.connect(self._count)
        self._building = PageBuilding(self._steps, self._context.window.closed, self)
        self._context.pages.when_page_shown("requestTab", NEEDS, self._on_shown)

    def build(self) -> None:
        """Build the page now if that is not done yet."""
        self._building.finish()

    def _steps(self) -> Iterator[None]:
        from gui.prompt.chat.panel import ChatPanel

        context = self._context
        panel = ChatPanel()
        yield from panel.make(context.theme, context.settings, context.icons, template_choices(), image_rules())
        yield
        self._show_encodings(panel)
        context.session.restore("request", panel.restore_state, self._state)
        self._make_lanes()
        self.panel = self._panel = panel
        self._connect()
        self._delay.start()
        yield
        context.pages.page("requestTab").fill(panel)
        context.window.view_bar.add_tools("requestTab", panel.bar)

    def _make_lanes(self) -> None:
        runner, open_encoding = self._runner, self._open
        self.counting = runner.conflated(self.tr("Counting the request"), partial(count_draft, open_encoding))
        self.reading = runner.conflated(self.tr("Reading a request"), read_source_of)
        self.line_counting = runner.exclusive(
            self.tr("Counting a file of requests"), partial(count_lines, open_encoding)
        )
        self.table_writing = runner.exclusive(
            self.tr("Listing the lines of a file"), partial(list_lines, open_encoding)
        )
        self._sizing = runner.exclusive(self.tr("Looking at an image"), size_image)

    def _connect(self) -> None:
        panel = self._panel
        panel.changed.connect(self._delay.start)
        panel.state_changed.connect(self._context.session.touch)
        panel.bar.open_asked.connect(self._ask_for_file)
        panel.bar.paste_asked.connect(self.paste)
        panel.bar.template_file_asked.connect(self._ask_for_template)
        panel.bar.price_toggled.connect(self._on_pricing)
        panel.message.image_file_asked.connect(self._ask_for_image)
        panel.files_dropped.connect(self._on_dropped)
        panel.lines.stop_asked.connect(self.line_counting.cancel)
        panel.lines.back_asked.connect(self._leave_lines)
        panel.lines.export_asked.connect(self.ask_for_table)
        for lane, on_finished, on_failed in (
            (self.counting, self._on_counted, self._on_not_counted),
            (self.reading, self._on_read, self._on_unreadable),
            (self.line_counting, self._on_lines, self._on_lines_failed),
            (self.table_writing, self._on_table_written, self._on_table_failed),
            (self._sizing, self._on_image, self._on_image_failed),
        ):
            lane.finished.connect(on_finished)
            lane.failed.connect(on_failed)
        self.line_counting.progressed.connect(panel.lines.show_progress)
        self._costs.service.encodings_changed.connect(self.recount)

    def open(self, path: Path) -> None:
        """Show the request of a file, or count a file of requests."""
        self._context.pages.page("requestTab").bring_to_front()
        self.build()
        self.reading.submit(BodySource(path))

    def focus(self) -> None:
        """Show the page and focus its first control."""
        self._context.pages.page("requestTab").bring_to_front()
        self.build()
        self._panel.focus()

    def _watched(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of template and encoding that the models of the cost table need."""
        return templates_and_encodings(self._costs.service.models)

    def _show_encodings(self, panel: ChatPanel) -> None:
        panel.bar.picker.fill(self._listed)

    @Slot()
    def _on_shown(self) -> None:
        self._building.begin()

    @property
    def settled(self) -> bool:
        """True if the figures shown belong to the current draft."""
        reply = self._panel.result.reply
        return not self._delay.isActive() and reply is not None and reply.draft.revision == self._revision

    @Slot()
    def paste(self) -> None:
        """Read the request in the clipboard."""
        text = QApplication.clipboard().text()
        if not text.strip():
            self._notifier.remark(self.tr("The clipboard has no text."))
            return
        self.reading.submit(BodySource(None, text))

    @Slot()
    def recount(self) -> None:
        """Count again soon, since other encodings may be needed."""
        self._delay.start()

    # --- counting -----------------------------------------------------------------------------------------------------

    @Slot()
    def _count(self) -> None:
        panel, bar = self._panel, self._panel.bar
        self._revision += 1
        self.counting.submit(
            RequestDraft(
                self._revision,
                panel.model.messages,
                panel.tools_text,
                bar.template_key,
                bar.template_file,
                bar.picker.currentText(),
                bar.rule.currentData(),
                panel.model_name,
                self._watched() if bar.price.isChecked() else (),
                *panel.tool_choice,
                is_complete=not panel.not_counted,
            )
        )
        if self._lines is not None and self._is_other(self._lines):
            self._count_lines(self._lines.path)

    @Slot(object)
    def _on_counted(self, result: JobResult) -> None:
        if result.request.revision == self._revision:
            self._panel.show_reply(result.value)
            self._costs.priced.set_request(result.value)

    @Slot(object)
    def _on_not_counted(self, failure: JobFailure) -> None:
        self._notifier.error(failure.why)

    @Slot(bool)
    def _on_pricing(self, on: bool) -> None:
        self._costs.priced.price_request(on)
        if on:
            message = self.tr("The header, the bar below the prompt and Cost › Models now price this request.")
            self._notifier.remark(message)
        self._delay.start()

    # --- one request --------------------------------------------------------------------------------------------------

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        if result.value is None:
            self._notifier.withdraw(READING)
            self._count_lines(result.request.path)
        else:
            self._show_request(result.request, result.value)

    def _show_request(self, source: BodySource, read: ReadBody) -> None:
        from engine.requests.types import Request

        panel = self._panel
        messages, choice = panel.model.messages, panel.tool_choice
        before = Request(messages, (), panel.model_name, *choice), panel.tools_text, panel.not_counted
        self._leave_lines()
        panel.show_request(read.request, read.unknown)
        key = template_for(read.request.model) or ("alone" if read.api in ("anthropic", "gemini") else "")
        if panel.bar.template_file is None and key:
            panel.bar.show_template(key)
        self._delay.start()
        where = source.path.name if source.path else self.tr("the clipboard")
        number = len(read.request.messages)
        words = self.tr("1 message") if number == 1 else self.tr("{n} messages").format(n=number)
        self._notifier.withdraw(READING)
        self._notifier.done(
            self.tr("Loaded a request with {messages} from {where}.").format(where=where, messages=words),
            key=OPENED,
            offers=(Offer(self.tr("Restore previous request"), lambda: self._bring_back(*before)),),
        )

    def _bring_back(self, request: Request, tools: str, not_counted: Sequence[tuple[str, str]]) -> None:
        self._notifier.withdraw(OPENED)
        self._panel.show_request(request)
        self._panel.tools.setPlainText(tools)
        self._panel.show_not_counted(not_counted)

    @Slot(object)
    def _on_unreadable(self, failure: JobFailure) -> None:
        path = failure.request.path
        where = path.name if path else self.tr("The clipboard")
        self._notifier.error(
            self.tr("{where} contains no request: {why}. The current request was kept.").format(
                where=where, why=failure.why.rstrip(".")
            ),
            key=READING,
        )

    # --- file of requests ---------------------------------------------------------------------------------------------

    def _count_lines(self, path: Path) -> None:
        self._lines = self._lines_request(path)
        self._panel.show_lines(path)
        self.line_counting.cancel()
        self.line_counting.submit(self._lines)

    def _lines_request(self, path: Path) -> LinesRequest:
        bar = self._panel.bar
        return LinesRequest(path, bar.template_key, bar.template_file, bar.picker.currentText(), bar.rule.currentData())

    def _is_other(self, lines: LinesRequest) -> bool:
        return self._lines_request(lines.path) != lines

    @Slot(object)
    def _on_lines(self, result: JobResult) -> None:
        if result.request is self._lines:
            self._panel.lines.show_counted(result.value)

    @Slot(object)
    def _on_lines_failed(self, failure: JobFailure) -> None:
        if failure.request is self._lines:
            self._panel.lines.show_problem(failure.why)

    @Slot()
    def _leave_lines(self) -> None:
        self._lines = None
        self.line_counting.cancel()
        self._panel.show_builder()

    @Slot()
    def ask_for_table(self) -> None:
        """Ask for a file to export the table to."""
        lines = self._lines
        if lines is None:
            return
        proposed = lines.path.with_name(f"{lines.path.stem}-tokens.csv")
        filters = [self.tr("Spreadsheet (*.csv)"), self.tr("JSON (*.json)")]
        title = self.tr("Export the lines")
        dialog = file_choosers.saving(self._panel.window(), "requestLinesExportDialog", title, proposed, filters)
        dialog.fileSelected.connect(self._on_table_target)
        dialog.open()

    @Slot(str)
    def _on_table_target(self, path: str) -> None:
        target, dialog, lines = Path(path), self.sender(), self._lines
        if lines is None:
            return
        if not target.suffix:
            chosen = dialog.selectedNameFilter() if isinstance(dialog, QFileDialog) else ""
            target = target.with_suffix(".json" if "*.json)" in chosen else ".csv")
        if target.exists() and target.samefile(lines.path):
            self._notifier.error(self.tr("This is the file of requests itself. Choose another name for the export."))
            return
        self.table_writing.submit(LinesTable(lines, target))

    @Slot(object)
    def _on_table_written(self, result: JobResult) -> None:
        self._notifier.remark(self.tr("Exported the lines to {path}.").format(path=result.request.path))

    @Slot(object)
    def _on_table_failed(self, failure: JobFailure) -> None:
        words = self.tr("Could not export the lines to {path}: {why}. Nothing was changed.")
        self._notifier.error(words.format(path=failure.request.path, why=failure.why.rstrip(".")))

    # --- files --------------------------------------------------------------------------------------------------------

    @Slot()
    def _ask_for_file(self) -> None:
        filters = [self.tr("Requests (*.json *.jsonl *.ndjson)"), self.tr("All files (*)")]
        self._ask(self.tr("Open a request"), "requestOpenDialog", filters).fileSelected.connect(self._on_file)

    @Slot()
    def _ask_for_template(self) -> None:
        filters = [self.tr("Chat templates (*.jinja *.jinja2 *.j2 *.json *.txt)"), self.tr("All files (*)")]
        dialog = self._ask(self.tr("Open a chat template"), "requestTemplateDialog", filters)
        dialog.fileSelected.connect(self._on_template)

    @Slot()
    def _ask_for_image(self) -> None:
        filters = [self.tr("Images (*.png *.jpg *.jpeg *.gif *.webp)"), self.tr("All files (*)")]
        self._ask(self.tr("Open an image"), "requestImageDialog", filters).fileSelected.connect(self._on_image_file)

    def _ask(self, title: str, name: str, filters: list[str]) -> QFileDialog:
        dialog = file_choosers.opening(self._panel.window(), name, title, "", filters)
        dialog.open()
        return dialog

    @Slot(str)
    def _on_file(self, path: str) -> None:
        self.open(Path(path))

    @Slot(str)
    def _on_template(self, path: str) -> None:
        self._panel.bar.show_template_file(Path(path))
        self._panel.state_changed.emit()
        self._delay.start()

    @Slot(str)
    def _on_image_file(self, path: str) -> None:
        self._sizing.submit(Path(path))

    @Slot(list)
    def _on_dropped(self, paths: list[str]) -> None:
        """Add images to the message, use templates, pass on tokenizers and folders, open other files as requests."""
        others = [path for path in map(Path, paths) if path.is_dir() or looks_like_tokenizer(path)]
        if others:
            self._context.pages.paths_dropped.emit(others)
        for path in map(Path, paths):
            if path in others:
                continue
            if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".gif", ".webp"):
                self._sizing.submit(path)
            elif path.suffix.lower() in (".jinja", ".jinja2", ".j2"):
                self._on_template(str(path))
            else:
                self.open(path)

    @Slot(object)
    def _on_image(self, result: JobResult) -> None:
        image: Image = result.value
        self._panel.message.add(image)
        if not image.width:
            self._notifier.warning(
                self.tr(
                    "{name} is not a PNG, JPEG, GIF or WebP image. Enter its size, or it counts as 1,024 by 1,024."
                ).format(name=image.name)
            )

    @Slot(object)
    def _on_image_failed(self, failure: JobFailure) -> None:
        words = self.tr("Could not read {name}: {why}")
        self._notifier.error(words.format(name=failure.request.name, why=failure.why))

"""What happens in the tab of requests: edits are counted, bodies read, files of many counted, the cost table fed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QFileDialog

from engine.requests.types import Request
from gui.core.local_tokenizers import looks_like_tokenizer
from gui.panels.request_panel import RequestPanel
from gui.runtime.notify import Notifier, Offer
from gui.services.request_count import RequestDraft, RequestReply
from gui.services.request_templates import template_for
from gui.services.requests import BodySource, CountedLines, LinesRequest, ManyRequests, RequestService
from gui.widgets import file_choosers

if TYPE_CHECKING:
    from engine.requests.bodies.reader import ReadBody
    from gui.services.image_sizes import ImageSizes, SizedImage

COUNT_DELAY_MS = 30
"""Changes that come together (a request that is opened makes several) are counted once."""

OPENED = "request-opened"
READING = "request-reading"


class RequestFlow(QObject):
    """Between the panel and the services.

    Signals: ``counted(RequestReply)``: the newest; ``pricing_changed(bool)``: whether the cost table is to price it;
    ``others_dropped(list[Path])``: tokenizers and folders, which are nothing for this tab.
    """

    counted = Signal(object)
    others_dropped = Signal(list)
    pricing_changed = Signal(bool)

    def __init__(
        self,
        panel: RequestPanel,
        service: RequestService,
        images: ImageSizes,
        notifier: Notifier,
        watched: Callable[[], tuple[tuple[str, str], ...]],
        parent: QObject,
    ) -> None:
        """``watched``: the templates and encodings that the cost table asks for."""
        super().__init__(parent)
        self._panel, self._service, self._images, self._notifier = panel, service, images, notifier
        self._watched = watched
        self._revision = 0
        self._lines: LinesRequest | None = None
        self._delay = QTimer(self, singleShot=True, interval=COUNT_DELAY_MS)
        self._delay.timeout.connect(self._count)
        panel.changed.connect(self._delay.start)
        panel.bar.open_asked.connect(self._ask_for_file)
        panel.bar.paste_asked.connect(self.paste)
        panel.bar.template_file_asked.connect(self._ask_for_template)
        panel.bar.price_toggled.connect(self._on_pricing)
        panel.message.image_file_asked.connect(self._ask_for_image)
        panel.files_dropped.connect(self._on_dropped)
        panel.lines.stop_asked.connect(service.stop_lines)
        panel.lines.back_asked.connect(self._leave_lines)
        service.counted.connect(self._on_counted)
        service.read.connect(self._on_read)
        service.many.connect(self._on_many)
        service.unreadable.connect(self._on_unreadable)
        service.lines_counted.connect(self._on_lines)
        service.lines_progressed.connect(panel.lines.show_progress)
        service.lines_failed.connect(self._on_lines_failed)
        service.failed.connect(notifier.error)
        images.sized.connect(self._on_image)
        images.failed.connect(notifier.error)
        self._delay.start()

    @property
    def settled(self) -> bool:
        """Whether what is shown is what the draft counts."""
        reply = self._panel.result.reply
        return not self._delay.isActive() and reply is not None and reply.draft.revision == self._revision

    @property
    def lines(self) -> LinesRequest | None:
        """The file of many requests that is shown, and how it is counted; None where none is."""
        return self._lines

    def open(self, path: Path) -> None:
        """Read a request from a file, or a file of many."""
        self._service.open(BodySource(path))

    @Slot()
    def paste(self) -> None:
        """Read the request that the clipboard holds."""
        text = QApplication.clipboard().text()
        if not text.strip():
            self._notifier.remark(self.tr("The clipboard holds no text."))
            return
        self._service.open(BodySource(None, text))

    @Slot()
    def recount(self) -> None:
        """Count again: other encodings may be wanted."""
        self._delay.start()

    # --- counting -----------------------------------------------------------------------------------------------------

    @Slot()
    def _count(self) -> None:
        panel, bar = self._panel, self._panel.bar
        self._revision += 1
        self._service.count(
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
    def _on_counted(self, reply: RequestReply) -> None:
        self._panel.show_reply(reply)
        self.counted.emit(reply)

    @Slot(bool)
    def _on_pricing(self, on: bool) -> None:
        self.pricing_changed.emit(on)
        self._delay.start()

    # --- one request --------------------------------------------------------------------------------------------------

    @Slot(object, object)
    def _on_read(self, source: BodySource, read: ReadBody) -> None:
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
        self._notifier.information(
            self.tr("Loaded a request with {messages} from {where}.").format(where=where, messages=words),
            key=OPENED,
            offers=(Offer(self.tr("Restore previous request"), lambda: self._bring_back(*before)),),
        )

    def _bring_back(self, request: Request, tools: str, not_counted: Sequence[tuple[str, str]]) -> None:
        self._notifier.withdraw(OPENED)
        self._panel.show_request(request)
        self._panel.tools.setPlainText(tools)
        self._panel.say_not_counted(not_counted)

    @Slot(object, str)
    def _on_unreadable(self, source: BodySource, why: str) -> None:
        where = source.path.name if source.path else self.tr("The clipboard")
        self._notifier.error(
            self.tr("{where} contains no request: {why}. The current request was kept.").format(
                where=where, why=why.rstrip(".")
            ),
            key=READING,
        )

    # --- many ---------------------------------------------------------------------------------------------------------

    @Slot(object, object)
    def _on_many(self, _source: BodySource, many: ManyRequests) -> None:
        self._notifier.withdraw(READING)
        self._count_lines(many.path)

    def _count_lines(self, path: Path) -> None:
        self._lines = self._lines_request(path)
        self._panel.show_lines(path)
        self._service.count_lines(self._lines)

    def _lines_request(self, path: Path) -> LinesRequest:
        bar = self._panel.bar
        return LinesRequest(path, bar.template_key, bar.template_file, bar.picker.currentText(), bar.rule.currentData())

    def _is_other(self, lines: LinesRequest) -> bool:
        return self._lines_request(lines.path) != lines

    @Slot(object, object)
    def _on_lines(self, request: LinesRequest, counted: CountedLines) -> None:
        if request is self._lines:
            self._panel.lines.show_counted(counted)

    @Slot(object, str)
    def _on_lines_failed(self, request: LinesRequest, why: str) -> None:
        if request is self._lines:
            self._panel.lines.show_problem(why)

    @Slot()
    def _leave_lines(self) -> None:
        self._lines = None
        self._service.stop_lines()
        self._panel.show_builder()

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
        self._images.ask(Path(path))

    @Slot(list)
    def _on_dropped(self, paths: list[str]) -> None:
        """Images join the message; a template is used; tokenizers and folders are handed on; the rest are requests."""
        others = [path for path in map(Path, paths) if path.is_dir() or looks_like_tokenizer(path)]
        if others:
            self.others_dropped.emit(others)
        for path in map(Path, paths):
            if path in others:
                continue
            if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".gif", ".webp"):
                self._images.ask(path)
            elif path.suffix.lower() in (".jinja", ".jinja2", ".j2"):
                self._on_template(str(path))
            else:
                self.open(path)

    @Slot(object)
    def _on_image(self, sized: SizedImage) -> None:
        self._panel.message.add(sized.image)
        if not sized.image.width:
            self._notifier.warning(
                self.tr(
                    "{name} is not a PNG, JPEG, GIF or WebP image. Enter its size, or it counts as 1,024 by 1,024."
                ).format(name=sized.path.name)
            )

"""The stack of pages, pages built when first shown, and the directory of pages and controllers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.window.workspaces import MODELS_PAGE, PROMPT_PAGE

if TYPE_CHECKING:
    from gui.costs.conversation_controller import ConversationController
    from gui.costs.cost_controller import CostController
    from gui.costs.prices_controller import PricesController
    from gui.files.files_controller import FilesController
    from gui.lab.lab_controller import LabController
    from gui.prompt.chat.controller import ChatController
    from gui.prompt.compare.controller import CompareController
    from gui.prompt.prompt_panel import PromptPanel
    from gui.prompt.savings.controller import SavingsController
    from gui.prompt.versions.controller import VersionsController
    from gui.runtime.loading import Loading
    from gui.tokenizers.library.controller import LibraryController
    from gui.tokenizers.merges.controller import MergesController
    from gui.tokenizers.train.controller import TrainingController
    from gui.tokenizers.vocabulary.controller import VocabularyController


class Pages(QStackedWidget):
    """All pages of the window, one of which is shown. Each has an object name and a title.

    Signals: ``page_added(str)`` and ``page_changed(str)`` with the name of a page.
    """

    page_added = Signal(str)
    page_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pages")
        self._titles: dict[str, str] = {}
        self._pages: dict[str, QWidget] = {}
        self.currentChanged.connect(self._on_current)

    def add(self, page: QWidget, name: str, title: str) -> None:
        """Append a page."""
        page.setObjectName(name)
        self._pages[name], self._titles[name] = page, title
        self.addWidget(page)
        self.page_added.emit(name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages, in order."""
        return tuple(self._pages)

    @property
    def current_name(self) -> str:
        """Name of the current page."""
        page = self.currentWidget()
        return page.objectName() if page is not None else ""

    def title(self, name: str) -> str:
        """Return the title of a page."""
        return self._titles[name]

    def page(self, name: str) -> QWidget:
        """Return a page by its name. Raises KeyError if it is unknown."""
        return self._pages[name]

    def show_page(self, name: str) -> bool:
        """Show a page. Returns False if the name is unknown."""
        page = self._pages.get(name)
        if page is not None:
            self.setCurrentWidget(page)
        return page is not None

    @Slot(int)
    def _on_current(self, _index: int) -> None:
        self.page_changed.emit(self.current_name)


class Page(QWidget):
    """A page that is empty until it is filled."""

    def __init__(self, pages: Pages, description: str) -> None:
        """``description``: accessible name."""
        super().__init__(pages)
        self._pages = pages
        self._first: QWidget | None = None
        self._arrive: Callable[[], None] | None = None
        self.setAccessibleName(description)
        pages.currentChanged.connect(self._on_page)

    def is_in_front(self) -> bool:
        """Return True if this page is current."""
        return self._pages.currentWidget() is self

    def bring_to_front(self) -> None:
        """Show this page."""
        self._pages.setCurrentWidget(self)

    def when_shown(
        self,
        needs: Sequence[str],
        load_first: Callable[[Sequence[str], Callable[[], None]], None],
        act: Callable[[], None],
    ) -> None:
        """Call ``act`` whenever the page is shown, and now if it is current; ``load_first`` calls it once the required
        modules are loaded."""
        self._arrive = partial(load_first, needs, act)
        self._on_page()

    def fill(self, panel: QWidget) -> None:
        """Add a panel that fills the page."""
        body = self.layout()
        if body is None:
            body = QVBoxLayout(self)
            body.setContentsMargins(0, 0, 0, 0)
        body.addWidget(panel)

    def focus_first(self, widget: QWidget) -> None:
        """Pass the focus to this widget when the page receives it.

        Unlike ``setFocusProxy``: the Tab key enters a widget through its proxy, and so skips the controls before the
        proxy, or goes back if the proxy is disabled.
        """
        self._first = widget

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._first is not None:
            self._first.setFocus(event.reason())

    @Slot()
    def _on_page(self) -> None:
        if self._arrive is not None and self.is_in_front():
            self._arrive()


class PageDirectory(QObject):
    """The pages of a window and their controllers. Shows pages and forwards requests between them.

    A controller is None before the window is first painted; ``costs`` is set before all others.

    Signals, emitted by pages: ``merges_asked(int, int)`` with a span of the prompt in UTF-16 units;
    ``calibration_asked()``; ``file_asked(Path)`` to open a file as the prompt; ``paths_dropped(list[Path])`` with files
    and folders to open on the pages for them; ``undo_changed()`` when the available undo steps of a page change.
    """

    merges_asked = Signal(int, int)
    calibration_asked = Signal()
    file_asked = Signal(object)
    paths_dropped = Signal(list)
    undo_changed = Signal()

    def __init__(self, pages: Pages, prompt: PromptPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._pages, self._prompt = pages, prompt
        self.controllers: dict[str, Any] = {}
        """Controllers by the names of their pages."""
        self._costs: CostController | None = None
        self._loading: Loading | None = None

    @property
    def costs(self) -> CostController:
        """Controller of the cost table: the strip below the prompt and the page Models."""
        assert self._costs is not None
        return self._costs

    @costs.setter
    def costs(self, costs: CostController) -> None:
        self._costs = costs

    def page(self, name: str) -> Page:
        """Return a page that is built when first shown."""
        page = self._pages.page(name)
        assert isinstance(page, Page)
        return page

    def when_page_shown(self, name: str, needs: Sequence[str], act: Callable[[], None]) -> None:
        """Call ``act`` whenever a page is shown, once the required modules are loaded."""
        from gui.runtime.loading import Loading

        if self._loading is None:
            self._loading = Loading(self)
        self.page(name).when_shown(needs, self._loading.when_loaded, act)

    def go_to(self, name: str) -> None:
        """Show a page and focus its first control."""
        self._pages.show_page(name)
        if name == PROMPT_PAGE:
            self._prompt.show_text()
            self._prompt.editor.setFocus()
        elif name == MODELS_PAGE and self._costs is not None:
            self._costs.panel.focus_filter()
        elif name in self.controllers:
            self.controllers[name].focus()

    @Slot()
    def show_prompt(self) -> None:
        """Show the text of the prompt, ready for typing."""
        self.go_to(PROMPT_PAGE)

    @Slot(int, int)
    def show_in_prompt(self, utf16_start: int, utf16_end: int) -> None:
        """Show the prompt with this span selected and its start visible."""
        self.show_prompt()
        self._prompt.editor.select_range(utf16_end, utf16_start)

    @property
    def library(self) -> LibraryController | None:
        """Controller of the page Library."""
        return self.controllers.get("libraryTab")

    @property
    def training(self) -> TrainingController | None:
        """Controller of the page Train."""
        return self.controllers.get("trainingTab")

    @property
    def vocabulary(self) -> VocabularyController | None:
        """Controller of the page Vocabulary."""
        return self.controllers.get("vocabularyTab")

    @property
    def merges(self) -> MergesController | None:
        """Controller of the page Merges."""
        return self.controllers.get("mergesTab")

    @property
    def request(self) -> ChatController | None:
        """Controller of the page Chat."""
        return self.controllers.get("requestTab")

    @property
    def compare(self) -> CompareController | None:
        """Controller of the page Compare."""
        return self.controllers.get("compareTab")

    @property
    def folders(self) -> FilesController | None:
        """Controller of the page Files."""
        return self.controllers.get("filesTab")

    @property
    def lab(self) -> LabController | None:
        """Controller of the page Lab."""
        return self.controllers.get("labTab")

    @property
    def advisor(self) -> SavingsController | None:
        """Controller of the page Savings."""
        return self.controllers.get("savingsTab")

    @property
    def versions(self) -> VersionsController | None:
        """Controller of the page Versions."""
        return self.controllers.get("versionsTab")

    @property
    def pricing(self) -> PricesController | None:
        """Controller of the page Prices."""
        return self.controllers.get("pricingTab")

    @property
    def conversation(self) -> ConversationController | None:
        """Controller of the page Conversation."""
        return self.controllers.get("conversationTab")

"""The main window: rail, header, view bar, pages, inspector, menus, status bar; and the overlay that tells, while files
are dragged over it, what dropping them will do. Contains layout only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QColor, QDropEvent, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QToolBar, QVBoxLayout, QWidget

from gui.core.token_text import shown, visible_line
from gui.look.focus_ring import FocusRing
from gui.look.fonts import set_weight
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.runtime.event_loop import in_next_turn
from gui.runtime.notify import Notifier
from gui.widgets.file_choosers import local_paths
from gui.widgets.labels import PlainLabel
from gui.window.actions import ACTIONS, MENUS, SUBMENUS, WindowActions, translated
from gui.window.header import Header
from gui.window.message_bar import MessageBar
from gui.window.navigation import NARROW, Navigation, Regions, ViewBar, WorkspaceRail
from gui.window.pages import Page, Pages
from gui.window.status import JobStatus, private_label
from gui.window.workspaces import MODELS_PAGE, PROMPT_PAGE, all_pages

INSPECTED = {PROMPT_PAGE: 0, MODELS_PAGE: 1400}
"""Pages with an inspector, and the minimum window width at which it is shown by default: the table and chart of Models
need space. F9 overrides this."""
INSPECTOR_FROM = 960
"""Minimum width of a window that shows the inspector."""
REMARK_MS = 6000
FRAME = QMargins(8, 36, 8, 8)
"""Space for the window manager's frame, whose size is unknown before the window is shown."""


class MainWindow(QMainWindow):
    """The window with the pages of the registry, and the inspector beside them.

    Signals: ``first_painted()`` once, after the first paint; ``closed()``; ``layout_changed()`` after a resize;
    ``inspector_shown(bool)`` when the inspector is, or will be once built, shown beside the page.
    """

    first_painted = Signal()
    closed = Signal()
    layout_changed = Signal()
    inspector_shown = Signal(bool)

    def __init__(self, theme: Theme, icons: Icons, notifier: Notifier) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("mainWindow")
        # On a small or highly scaled screen, a wider window would hide half of its controls.
        self.resize(QSize(1180, 780).boundedTo(self.screen().availableSize().shrunkBy(FRAME)))
        self.setMinimumSize(480, 360)
        self.setWindowIcon(icons.icon("tokenloupe"))
        self.theme = theme
        self.close_guard: Callable[[], bool] | None = None
        self.actions_by_name = WindowActions(icons, self)
        self.messages = MessageBar(notifier, theme, icons, self, self)
        self.pages = Pages(self)
        self.jobs = JobStatus(icons, self)
        self._painted = False
        self.rail = WorkspaceRail(icons, self.actions_by_name, self)
        self.view_bar = ViewBar(self.pages, self)
        self.navigation = Navigation(self.rail, self.view_bar, self.pages, self)
        self.header = Header(theme, icons, self.actions_by_name, self)
        self.menus = self._make_menus()
        self._lay_out()
        self.messages.begin_right_of(self.rail)
        self._inspector: QWidget | None = None
        self.inspector_chosen: dict[str, bool] = {}
        """The user's choice to show or hide the inspector, by workspace."""
        self._following = False
        self.regions = Regions(self._regions, self)
        self.actions_by_name["inspector"].setEnabled(False)
        self.actions_by_name["inspector"].toggled.connect(self._on_inspector)
        self.pages.page_changed.connect(self._show_inspector)
        self.pages.page_changed.connect(self.messages.leave_page)
        offline = PlainLabel(self.tr("Works offline"), self, objectName="statusOffline")
        offline.setToolTip(self.tr("Tokenloupe never uses the network: nothing you type leaves this computer"))
        self.private = private_label(self)
        # A fixed height, or the first paint would be laid out and painted twice.
        self.statusBar().setFixedHeight(self.fontMetrics().height() + 12)
        self.statusBar().setContentsMargins(12, 0, 12, 0)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addPermanentWidget(self.jobs)
        self.statusBar().addPermanentWidget(self.private)
        self.statusBar().addPermanentWidget(offline)
        notifier.remarked.connect(self._remark)
        self.rail.set_slim(self.width() < NARROW)  # now, or the first paint would happen twice
        FocusRing(theme, self)

    def _make_menus(self) -> dict[str, QMenu]:
        menus = {name: self.menuBar().addMenu(translated(title)) for name, title in MENUS.items()}
        for name, specs in ACTIONS.items():
            for spec in specs:
                if spec.submenu and spec.submenu not in menus:
                    menus[spec.submenu] = menus[name].addMenu(translated(SUBMENUS[spec.submenu]))
                menu = menus[spec.submenu or name]
                if spec.separator:
                    menu.addSeparator()
                menu.addAction(self.actions_by_name[spec.name])
                if spec.name == "open":
                    menus["recent"] = menu.addMenu(translated(SUBMENUS["recent"]))
        for name, menu in menus.items():
            menu.setObjectName(f"{name}Menu")
            menu.setToolTipsVisible(True)
        return menus

    def _lay_out(self) -> None:
        """Lay out the window; the rail has the full height at the left."""
        holder = QToolBar(self.tr("Workspaces"), self, objectName="railHolder")
        holder.setMovable(False)
        holder.setFloatable(False)
        holder.layout().setContentsMargins(0, 0, 0, 0)
        holder.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        holder.toggleViewAction().setVisible(False)
        holder.addWidget(self.rail)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, holder)
        centre = QWidget(self)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.messages)
        column.addWidget(self.view_bar)
        self._content = QHBoxLayout()
        self._content.setContentsMargins(0, 0, 0, 0)
        self._content.setSpacing(0)
        self._content.addWidget(self.pages, 1)
        column.addLayout(self._content, 1)
        self.setCentralWidget(centre)

    def add_pages(self, made: Mapping[str, QWidget]) -> None:
        """Add the pages of the registry. Those in ``made`` exist already, the others are built when first shown."""
        for page in all_pages():
            widget = made.get(page.name) or Page(self.pages, translated(page.description))
            self.pages.add(widget, page.name, translated(page.title))

    def set_inspector(self, inspector: QWidget) -> None:
        """Set the inspector, shown at the right of the pages Text and Models if there is room, until F9 hides it."""
        self._inspector = inspector
        self._content.addWidget(inspector)
        self._show_inspector()

    @Slot(bool)
    def _on_inspector(self, on: bool) -> None:
        if not self._following:
            self.inspector_chosen[self.navigation.workspace] = on
            self._show_inspector()

    @Slot()
    def _show_inspector(self) -> None:
        page, action = self.pages.current_name, self.actions_by_name["inspector"]
        action.setEnabled(self._inspector is not None and page in INSPECTED)
        if page in INSPECTED:
            self._following = True
            chosen = self.inspector_chosen.get(self.navigation.workspace, self.width() >= INSPECTED[page])
            action.setChecked(chosen)
            self._following = False
        shown = action.isChecked() and page in INSPECTED and self.width() >= INSPECTOR_FROM
        if self._inspector is not None:
            self._inspector.setVisible(shown)
        self.inspector_shown.emit(shown)

    def _regions(self) -> tuple[QWidget | None, ...]:
        page = self.pages.currentWidget()
        bars = (self.rail, self.header, self.messages, self.view_bar)
        return *bars, *getattr(page, "regions", (page,)), self._inspector, self.statusBar()

    def add_menu(self, parent: str, title: str, actions: Sequence[QAction]) -> QMenu:
        """Add the actions of a panel as a submenu, so that the command palette finds them too."""
        menu = self.menus[parent].addMenu(title)
        menu.addActions(actions)
        return menu

    @Slot(str)
    def _remark(self, text: str) -> None:
        self.statusBar().showMessage(text, REMARK_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            # By the next turn of the event loop everything is painted.
            in_next_turn(self, self.first_painted)

    def resizeEvent(self, event: QEvent) -> None:
        super().resizeEvent(event)
        self.rail.set_slim(self.width() < NARROW)
        self._show_inspector()
        self.layout_changed.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.close_guard is not None and not self.close_guard():
            event.ignore()
            return
        self.close_guard = None
        super().closeEvent(event)
        self.closed.emit()

    def every_action(self) -> list[QAction]:
        """Return all menu actions, in order, including submenus."""
        found: list[QAction] = []
        waiting = [action.menu() for action in self.menuBar().actions() if action.menu()]
        while waiting:
            for action in waiting.pop(0).actions():
                if action.menu() is not None:
                    waiting.append(action.menu())
                elif not action.isSeparator() and action.text() and action not in found:
                    found.append(action)
        return found


# --- the overlay of a drag --------------------------------------------------------------------------------------------


TITLE_PIXELS, ICON_SIDE, MARGIN = 18, 48, 12
OPACITY = 0.97
LOOKED_AT = 20
"""Maximum number of dragged files inspected during the drag."""


class DropOverlay(QObject):
    """Overlay shown while local files are dragged over the window. It accepts no events itself."""

    def __init__(self, window: MainWindow, theme: Theme, icons: Icons) -> None:
        super().__init__(window)
        self._window, self._theme, self._icons = window, theme, icons
        self.cover: Cover | None = None
        handle = window.windowHandle()
        if handle is not None:
            # The native window, since widgets that accept drops consume drag events.
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.DragEnter and isinstance(event, QDropEvent):
            paths = local_paths(event)
            if paths:
                self._show(paths)
        elif kind in (QEvent.Type.DragLeave, QEvent.Type.Drop) and self.cover is not None:
            self.cover.hide()
        return super().eventFilter(watched, event)

    def _show(self, paths: list[Path]) -> None:
        if self.cover is None:
            self.cover = Cover(self._theme, self._icons, self._window)
        self.cover.say(*self._words(paths), visible_line(", ".join(path.name for path in paths[:3])))
        window = self._window
        below = window.header.mapTo(window, window.header.rect().bottomLeft())
        self.cover.setGeometry(QRect(below, QPoint(window.width(), window.statusBar().y())))
        self.cover.show()
        self.cover.raise_()

    def _words(self, paths: list[Path]) -> tuple[str, str]:
        """Return the icon, and a sentence on what a drop will do here."""
        from gui.core.user_encodings import looks_like_tokenizer

        page, many = self._window.pages.current_name, len(paths) > 1
        folders = [path for path in paths[:LOOKED_AT] if path.is_dir()]
        if page == "trainingTab":
            return "tokenizers", self.tr("Drop to train on these texts")
        if page == "pricingTab":
            return "cost", self.tr("Drop to compare your prices with this table")
        if page == "requestTab" and not folders:
            return "prompt", self.tr("Drop to open as a request or an image")
        if any(looks_like_tokenizer(path) for path in paths[:LOOKED_AT] if path not in folders):
            return "tokenizers", self.tr("Drop to import this tokenizer")
        if folders:
            return "files", self.tr("Drop to count these folders") if many else self.tr("Drop to count this folder")
        words = self.tr("Drop to open the first as the prompt") if many else self.tr("Drop to open as the prompt")
        return "prompt", words


class Cover(QWidget):
    """Cover over the page with an icon, a sentence, and the names of the files."""

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._icon = self.title = self.names = ""
        self.setObjectName("dropOverlay")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say(self, icon: str, title: str, names: str) -> None:
        """Set the icon and texts."""
        self._icon, self.title, self.names = icon, title, shown(names)
        self.setAccessibleName(f"{title}: {self.names}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = QColor(self._theme.colour("information_base"))
            ground.setAlphaF(OPACITY)
            painter.setBrush(ground)
            painter.setPen(QPen(self._theme.colour("accent"), 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), 12, 12)
            middle = self.rect().center()
            side = ICON_SIDE
            area = QRect(middle.x() - side // 2, middle.y() - side - 24, side, side)
            self._icons.draw(painter, self._icon, area, "information")
            title, small = QFont(self.font()), QFont(self.font())
            title.setPixelSize(TITLE_PIXELS)
            set_weight(title)
            line = QRect(MARGIN * 2, middle.y() - 8, self.width() - 4 * MARGIN, 32)
            for font, words, role in ((title, self.title, "window_text"), (small, self.names, "stale")):
                painter.setFont(font)
                painter.setPen(self._theme.colour(role))
                cut = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, line.width())
                painter.drawText(line, Qt.AlignmentFlag.AlignCenter, cut)
                line.translate(0, 30)

"""Navigation in the window: rail of workspaces, page switcher, and F6 through the regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.look.icons import Icons
from gui.window.actions import WindowActions, translated
from gui.window.pages import Pages
from gui.window.workspaces import WORKSPACES, Workspace

RAIL_WIDTH, SLIM_RAIL_WIDTH = 80, 52
NARROW = 1000
"""Window width below which the rail shows icons only."""
ICON = QSize(20, 20)
LINE = 24
"""Height of a band within which the centres of controls count as one line, in pixels."""


class WorkspaceRail(QFrame):
    """One button per workspace, and the settings at the bottom.

    Signals: ``chosen(str)`` with the ID of a workspace that the user picks.
    """

    chosen = Signal(str)

    def __init__(self, icons: Icons, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("workspaceRail")
        self.setAccessibleName(self.tr("Workspaces"))
        self._buttons: dict[str, QToolButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(6)
        for number, workspace in enumerate(WORKSPACES, 1):
            title = translated(workspace.title)
            button = self._button(f"rail_{workspace.id}", icons.icon(workspace.icon), title)
            button.setCheckable(True)
            button.setAutoExclusive(True)
            button.setText(title)
            button.clicked.connect(self._on_clicked)
            key = actions[f"workspace_{number}"].shortcut().toString()
            button.setToolTip(f"{translated(workspace.tip)} ({key})")
            column.addWidget(button)
            self._buttons[workspace.id] = button
        column.addStretch(1)
        settings = self._button("railSettings", icons.icon("settings"), self.tr("Settings"))
        settings.setToolTip(actions["preferences"].toolTip())
        settings.clicked.connect(actions["preferences"].trigger)
        column.addWidget(settings)
        self.set_slim(False)

    def _button(self, name: str, icon: QIcon, spoken: str) -> QToolButton:
        button = QToolButton(self, objectName=name)
        button.setProperty("kind", "rail")
        button.setAutoRaise(True)
        button.setIcon(icon)
        button.setIconSize(ICON)
        button.setAccessibleName(spoken)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def set_slim(self, slim: bool) -> None:
        """Show icons only, or icons with labels."""
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if slim else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        for button in self._buttons.values():
            button.setToolButtonStyle(style)
        widest = max((button.sizeHint().width() for button in self._buttons.values()), default=0)
        self.setFixedWidth(max(SLIM_RAIL_WIDTH if slim else RAIL_WIDTH, widest + 12))

    def show_current(self, workspace: str) -> None:
        """Mark the current workspace."""
        self._buttons[workspace].setChecked(True)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self.sender().objectName().removeprefix("rail_"))


class ViewBar(QFrame):
    """Bar above the page: the pages of the workspace at the left, the tools of the page at the right, or below them if
    the bar is too narrow for both."""

    def __init__(self, pages: Pages, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("viewBar")
        self._pages = pages
        self._tools: dict[str, QWidget] = {}
        self.switcher = QTabBar(self, objectName="pageSwitcher")
        self.switcher.setProperty("kind", "segments")
        self.switcher.setDrawBase(False)
        self.switcher.setExpanding(False)
        self.switcher.setUsesScrollButtons(False)
        self.switcher.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._track = QFrame(self, objectName="track")
        self._track.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        inside = QHBoxLayout(self._track)
        inside.setContentsMargins(2, 2, 2, 2)
        inside.addWidget(self.switcher)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 5, 12, 5)
        self._row.setSpacing(8)
        self._row.addWidget(self._track, alignment=Qt.AlignmentFlag.AlignLeft)
        self._row.addStretch(1)

    def add_tools(self, page: str, tools: QWidget) -> None:
        """Show ``tools`` at the right while this page is current."""
        self._tools[page] = tools
        self._row.addWidget(tools)
        self.show_current(self._pages.current_name)

    def show_pages(self, workspace: Workspace) -> None:
        """Offer the pages of a workspace."""
        before = self.switcher.blockSignals(True)
        while self.switcher.count():
            self.switcher.removeTab(0)
        for page in workspace.pages:
            index = self.switcher.addTab(translated(page.title))
            self.switcher.setTabData(index, page.name)
            self.switcher.setTabToolTip(index, translated(page.tip))
        self.switcher.blockSignals(before)
        words = self.tr("Pages of {workspace}").format(workspace=translated(workspace.title))
        self.switcher.setAccessibleName(words)
        self._track.setVisible(len(workspace.pages) > 1)

    def show_current(self, page: str) -> None:
        """Mark the current page and show its tools. The bar hides if it would be empty."""
        before = self.switcher.blockSignals(True)
        for index in range(self.switcher.count()):
            if self.switcher.tabData(index) == page:
                self.switcher.setCurrentIndex(index)
        self.switcher.blockSignals(before)
        for name, tools in self._tools.items():
            tools.setVisible(name == page)
        self.setVisible(self.switcher.count() > 1 or page in self._tools)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # other tools, or they need more or less room
        return super().event(event)

    def _fit(self) -> None:
        tools, margins = self._tools.get(self._pages.current_name), self._row.contentsMargins()
        needed = self._track.sizeHint().width() + self._row.spacing() + margins.left() + margins.right()
        needed += tools.minimumSizeHint().width() if tools is not None else 0
        narrow = needed > self.width() and not self._track.isHidden()
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if direction != self._row.direction():
            self._row.setDirection(direction)
            self._row.activate()  # now, not in the next turn: the bar would be painted twice


class Navigation(QObject):
    """Synchronization of rail, switcher and pages; remembers the last page of each workspace."""

    def __init__(self, rail: WorkspaceRail, bar: ViewBar, pages: Pages, parent: QObject) -> None:
        super().__init__(parent)
        self._rail, self._bar, self._pages = rail, bar, pages
        self._last = {workspace.id: workspace.pages[0].name for workspace in WORKSPACES}
        self._homes = {page.name: workspace for workspace in WORKSPACES for page in workspace.pages}
        self._shown: Workspace | None = None
        rail.chosen.connect(self.show_workspace)
        bar.switcher.currentChanged.connect(self._on_switched)
        pages.page_changed.connect(self._on_page)

    @property
    def workspace(self) -> str:
        """ID of the current workspace."""
        return self._shown.id if self._shown is not None else ""

    def last_page(self, workspace: str) -> str:
        """Return the last page shown of a workspace."""
        return self._last[workspace]

    @Slot(str)
    def show_workspace(self, workspace: str) -> None:
        """Show the last page of a workspace."""
        self._pages.show_page(self._last[workspace])

    def neighbour(self, step: int) -> str:
        """Return the page ``step`` positions further in the current workspace, wrapping around."""
        names = [page.name for page in self._shown.pages] if self._shown is not None else []
        if self._pages.current_name not in names:
            return self._pages.current_name
        return names[(names.index(self._pages.current_name) + step) % len(names)]

    @Slot(int)
    def _on_switched(self, index: int) -> None:
        name = self._bar.switcher.tabData(index)
        if name:
            self._pages.show_page(name)

    @Slot(str)
    def _on_page(self, name: str) -> None:
        workspace = self._homes.get(name)
        if workspace is None:
            return
        self._last[workspace.id] = name
        if workspace is not self._shown:
            self._shown = workspace
            self._rail.show_current(workspace.id)
            self._bar.show_pages(workspace)
        self._bar.show_current(name)


class Regions(QObject):
    """F6 and Shift+F6: cycles through the regions, restoring the last focused control of each.

    ``regions`` returns the current regions; hidden ones and those without a control are skipped.
    """

    def __init__(self, regions: Callable[[], Sequence[QWidget | None]], parent: QWidget) -> None:
        super().__init__(parent)
        self._regions = regions
        self._last: dict[str, QWidget] = {}

    def step(self, step: int) -> None:
        """Focus the next region that accepts the keyboard; with -1 the previous one."""
        regions = [region for region in self._regions() if region is not None and region.isVisible()]
        now = QApplication.focusWidget()
        at = next((number for number, region in enumerate(regions) if now and region.isAncestorOf(now)), None)
        if at is not None and now is not None:
            self._last[regions[at].objectName()] = now
        first = (at if at is not None else -1 if step > 0 else 0) + step
        for turn in range(len(regions)):
            region = regions[(first + turn * step) % len(regions)]
            control = self._control(region)
            if control is not None:
                region.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
                control.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _control(self, region: QWidget) -> QWidget | None:
        """Return the last focused control of a region, or its first control in reading order.

        Not the first along ``nextInFocusChain``: if PySide knows no parent of the returned widget, it makes it a child
        of the queried widget, and so the window a child of its own last widget. When that was deleted, all Qt-created
        objects of the window became invalid, even the document of the editor.
        """
        last = self._last.get(region.objectName())
        if last is not None and region.isAncestorOf(last) and takes_keys(last):
            return last
        mirrored = region.isRightToLeft()

        def reading_order(control: QWidget) -> tuple[int, int]:
            centre = control.mapTo(region, control.rect().center())
            return centre.y() // LINE, -centre.x() if mirrored else centre.x()

        return min(filter(takes_keys, region.findChildren(QWidget)), key=reading_order, default=None)


def takes_keys(widget: QWidget) -> bool:
    """Return True if the Tab key would stop at this control."""
    return widget.isVisible() and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)

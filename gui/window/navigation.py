"""How the user moves through the window: rail of workspaces, page switcher, and F6 through the regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QSizePolicy, QTabBar, QToolButton, QVBoxLayout, QWidget

from gui.look.icons import Icons
from gui.window.actions import WindowActions, translated
from gui.window.pages import Pages
from gui.window.workspaces import WORKSPACES, Workspace

RAIL_WIDTH, SLIM_RAIL_WIDTH = 80, 52
NARROW = 1000
"""In a narrower window the rail shows icons only."""
ICON = QSize(20, 20)
LINE = 24
"""Controls whose centres are within so many pixels of each other stand in one line, for what comes first."""


class WorkspaceRail(QFrame):
    """One button for each workspace, and the settings at the foot.

    Signals: ``chosen(str)`` with the id of a workspace that the user picks.
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
            button = self._button(icons, workspace)
            key = actions[f"workspace_{number}"].shortcut().toString()
            button.setToolTip(f"{translated(workspace.tip)} ({key})")
            column.addWidget(button)
            self._buttons[workspace.id] = button
        column.addStretch(1)
        self._settings = settings = QToolButton(self, objectName="railSettings")
        settings.setProperty("kind", "rail")
        settings.setAutoRaise(True)
        settings.setIcon(icons.icon("settings"))
        settings.setIconSize(ICON)
        settings.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        settings.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        settings.setAccessibleName(self.tr("Settings"))
        settings.setToolTip(actions["preferences"].toolTip())
        settings.clicked.connect(actions["preferences"].trigger)
        column.addWidget(settings)
        self.set_slim(False)

    def _button(self, icons: Icons, workspace: Workspace) -> QToolButton:
        title = translated(workspace.title)
        button = QToolButton(self, objectName=f"rail_{workspace.id}")
        button.setProperty("kind", "rail")
        button.setAutoRaise(True)
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setIcon(icons.icon(workspace.icon))
        button.setIconSize(ICON)
        button.setText(title)
        button.setAccessibleName(title)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self._on_clicked)
        return button

    def set_slim(self, slim: bool) -> None:
        """Show icons alone, or icons with labels."""
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if slim else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        for button in self._buttons.values():
            button.setToolButtonStyle(style)
        widest = max((button.sizeHint().width() for button in self._buttons.values()), default=0)
        self.setFixedWidth(max(SLIM_RAIL_WIDTH if slim else RAIL_WIDTH, widest + 12))

    def show_current(self, workspace: str) -> None:
        """Mark the workspace that is shown."""
        self._buttons[workspace].setChecked(True)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self.sender().objectName().removeprefix("rail_"))


class ViewBar(QFrame):
    """Above the page: the pages of the workspace at the left, what a page adds of its own at the right."""

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
        self._row.addWidget(self._track)
        self._row.addStretch(1)

    def add_tools(self, page: str, tools: QWidget) -> None:
        """Show ``tools`` at the right while the page of this name is in front."""
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
        """Mark the page that is shown, and show its tools. The bar hides where it would be empty."""
        before = self.switcher.blockSignals(True)
        for index in range(self.switcher.count()):
            if self.switcher.tabData(index) == page:
                self.switcher.setCurrentIndex(index)
        self.switcher.blockSignals(before)
        for name, tools in self._tools.items():
            tools.setVisible(name == page)
        self.setVisible(self.switcher.count() > 1 or page in self._tools)


class Navigation(QObject):
    """Keeps rail, switcher and pages in step, and remembers the last page of each workspace."""

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
        """The id of the workspace shown."""
        return self._shown.id if self._shown is not None else ""

    def last_page(self, workspace: str) -> str:
        """The page of a workspace that was shown last."""
        return self._last[workspace]

    @Slot(str)
    def show_workspace(self, workspace: str) -> None:
        """Show the page of a workspace that was shown last."""
        self._pages.show_page(self._last[workspace])

    def neighbour(self, step: int) -> str:
        """The page so many steps on in the workspace shown, round from its end to its beginning."""
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
    """F6 and Shift+F6: the regions in their order, each with the control that had the focus last.

    ``regions`` returns the widgets that are regions now; those that are hidden or without a control are left out.
    """

    def __init__(self, regions: Callable[[], Sequence[QWidget | None]], parent: QWidget) -> None:
        super().__init__(parent)
        self._regions = regions
        self._last: dict[str, QWidget] = {}

    def step(self, step: int) -> None:
        """Go to the next region that can take the keyboard, or with -1 to the one before."""
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
        """Where the keyboard was in this region, or else its first control in reading order.

        Not the first along ``nextInFocusChain``: PySide takes what that returns for a child of the widget asked, if it
        knows of no parent, and so the window for a child of the last widget in it. When that one was deleted, all in
        the window that Qt had made became invalid, down to the document of the editor.
        """
        last = self._last.get(region.objectName())
        if last is not None and region.isAncestorOf(last) and takes_keys(last):
            return last
        mirrored = region.isRightToLeft()

        def place(control: QWidget) -> tuple[int, int]:
            centre = control.mapTo(region, control.rect().center())
            return centre.y() // LINE, -centre.x() if mirrored else centre.x()

        return min(filter(takes_keys, region.findChildren(QWidget)), key=place, default=None)


def takes_keys(widget: QWidget) -> bool:
    """Return True if the Tab key would stop at this control."""
    return widget.isVisible() and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)

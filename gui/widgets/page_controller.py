"""Shared code of page controllers: their context, a base class with saved state, incremental building of pages, and the
check of exports for API keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, SignalInstance, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.core.api_keys import key_sentence
from gui.runtime.event_loop import in_next_turn

if TYPE_CHECKING:
    from gui.core.profile_files import ProfilePaths
    from gui.look.icons import Icons
    from gui.look.theme import Theme
    from gui.prompt.prompt import Prompt
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.runtime.notify import Notifier
    from gui.state.settings import SettingsStore
    from gui.window.application import EncodingList
    from gui.window.main_window import MainWindow
    from gui.window.pages import PageDirectory
    from gui.window.session_keeper import SessionKeeper


@dataclass(frozen=True, slots=True)
class AppContext:
    """Shared objects for page controllers. ``gui.window.application`` creates one per window.

    ``session`` restores and saves the state of pages; ``jobs`` runs work on worker threads; ``pages`` shows pages and
    passes requests between them.
    """

    paths: ProfilePaths
    settings: SettingsStore
    theme: Theme
    icons: Icons
    notifier: Notifier
    window: MainWindow
    session: SessionKeeper
    prompt: Prompt
    jobs: JobRunner
    encodings: EncodingList
    pages: PageDirectory


class StatefulPanel(Protocol):
    """A panel that can return its state."""

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON values."""


Panel = TypeVar("Panel", bound=StatefulPanel)


class PageController(QObject, Generic[Panel]):
    """Controller of a page whose panel is created when first shown and restores its last state."""

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        super().__init__(context.pages)
        self._context, self._runner, self._open = context, context.jobs, context.encodings.open
        self._state = state
        self._listed: tuple[tuple[str, str], ...] = ()
        self.panel: Panel | None = None
        context.encodings.listed.connect(self._on_listed)

    def state(self) -> dict[str, Any]:
        """Return the user's choices as JSON values; for a panel that was never shown, the restored ones."""
        return self._state if self.panel is None else self.panel.state()

    def _show_encodings(self, panel: Panel) -> None:
        """Offer the encodings (``_listed``) in the panel. Overridden by pages that offer them."""

    @Slot(str)
    def _use(self, name: str) -> None:
        """Count the prompt with an encoding, and show the prompt."""
        self._context.prompt.set_encoding(name)
        self._context.pages.show_prompt()

    @Slot(object)
    def _on_listed(self, encodings: tuple[tuple[str, str], ...]) -> None:
        self._listed = encodings
        if self.panel is not None:
            self._show_encodings(self.panel)


class PageBuilding(QObject):
    """Incremental construction of a page, one step per turn of the event loop; the rest at once if the page is needed
    now.

    An action that moves the keyboard focus into a page needs it at once, or the next keystrokes would be lost.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], closed: SignalInstance, parent: QObject) -> None:
        """``steps``: builds the page and yields after each step. ``closed``: emitted when the window closes."""
        super().__init__(parent)
        self._make_steps = steps
        self._steps_left: Iterator[None] | None = None
        self._is_done = False
        self._waiting: list[Callable[[], None]] = []
        closed.connect(self._stop)

    def begin(self) -> None:
        """Start building in the next turn, unless it was started."""
        if not self._is_done and self._steps_left is None:
            self._steps_left = self._make_steps()
            in_next_turn(self, self._take_step)

    def when_built(self, act: Callable[[], None]) -> None:
        """Call ``act`` once the page is built. Starts the build; calls at once if it is done."""
        if self._is_done:
            act()
            return
        if act not in self._waiting:
            self._waiting.append(act)
        self.begin()

    def finish(self) -> None:
        """Build the rest now."""
        if self._is_done:
            return
        if self._steps_left is None:
            self._steps_left = self._make_steps()
        for _ in self._steps_left:
            pass
        self._end()

    @Slot()
    def _take_step(self) -> None:
        if self._is_done:
            return
        assert self._steps_left is not None
        try:
            next(self._steps_left)
        except StopIteration:
            self._end()
        else:
            in_next_turn(self, self._take_step)

    def _end(self) -> None:
        self._is_done, self._steps_left = True, None
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()

    @Slot()
    def _stop(self) -> None:
        self._is_done, self._steps_left = True, None
        self._waiting.clear()


FindKeys = Callable[[], tuple[str, ...]]
"""Describes suspected keys and their positions; runs on a worker thread."""


@dataclass(frozen=True, slots=True)
class _Request:
    """An export to check: its check, the subject of the warning sentence, and the callback that performs the export."""

    find_keys: FindKeys
    subject: str
    export: Callable[[], None]


class KeyGuard(QObject):
    """Confirmation of exports that seem to contain API keys. Handles one export at a time."""

    def __init__(self, runner: JobRunner, notifier: Notifier, over: QWidget, parent: QObject) -> None:
        """``over``: a widget of the window over which the question is shown."""
        super().__init__(parent)
        self._over, self._notifier = over, notifier
        self._lane = runner.exclusive(self.tr("Checking for API keys"), _find_keys, stoppable=False)
        self._lane.finished.connect(self._on_searched)
        self._lane.failed.connect(self._on_failed)

    def before(self, subject: str, find_keys: FindKeys, export: Callable[[], None]) -> None:
        """Call ``export`` if ``find_keys`` finds nothing, or once the user confirms the findings."""
        self._lane.submit(_Request(find_keys, subject, export))

    @Slot(object)
    def _on_searched(self, result: JobResult) -> None:
        request, keys = result.request, result.value
        if not keys:
            request.export()
            return
        box = QMessageBox(self._over.window(), objectName="keyWarning")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("API keys"))
        box.setText(key_sentence(request.subject, keys))
        box.setInformativeText(self.tr("Anyone who receives this export can read them."))
        anyway = box.addButton(self.tr("&Export anyway"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        anyway.clicked.connect(request.export)
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self._notifier.error(
            self.tr("Nothing was exported: the check for API keys failed ({why}).").format(why=failure.why.rstrip(".")),
            key="key-guard",
        )


def _find_keys(request: _Request, _ticket: Ticket) -> tuple[str, ...]:
    return request.find_keys()

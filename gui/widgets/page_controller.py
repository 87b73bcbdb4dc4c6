"""Context of page controllers, base class of controllers with saved state, and incremental building of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, SignalInstance, Slot

from gui.runtime.event_loop import in_next_turn

if TYPE_CHECKING:
    from gui.core.paths import ProfilePaths
    from gui.look.icons import Icons
    from gui.look.theme import Theme
    from gui.prompt.prompt import Prompt
    from gui.runtime.jobs import JobRunner
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
        self._make = steps
        self._left: Iterator[None] | None = None
        self._is_over = False
        self._waiting: list[Callable[[], None]] = []
        closed.connect(self._stop)

    def begin(self) -> None:
        """Start building in the next turn, unless it was started."""
        if not self._is_over and self._left is None:
            self._left = self._make()
            in_next_turn(self, self._take_step)

    def when_built(self, act: Callable[[], None]) -> None:
        """Call ``act`` once the page is built. Starts the build; calls at once if it is done."""
        if self._is_over:
            act()
            return
        if act not in self._waiting:
            self._waiting.append(act)
        self.begin()

    def finish(self) -> None:
        """Build the rest now."""
        if self._is_over:
            return
        if self._left is None:
            self._left = self._make()
        for _ in self._left:
            pass
        self._end()

    @Slot()
    def _take_step(self) -> None:
        if self._is_over:
            return
        assert self._left is not None
        try:
            next(self._left)
        except StopIteration:
            self._end()
        else:
            in_next_turn(self, self._take_step)

    def _end(self) -> None:
        self._is_over, self._left = True, None
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()

    @Slot()
    def _stop(self) -> None:
        self._is_over, self._left = True, None
        self._waiting.clear()

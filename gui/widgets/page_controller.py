"""The context that controllers of pages get, the controller of a page that is remembered, and building in steps."""

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
    from gui.window.encoding_list import EncodingList
    from gui.window.main_window import MainWindow
    from gui.window.pages import PageDirectory
    from gui.window.session_keeper import SessionKeeper


@dataclass(frozen=True, slots=True)
class AppContext:
    """What controllers of pages work with. ``gui.window.application`` makes one for each window.

    ``session`` restores and saves what pages remember; ``jobs`` runs work on other threads; ``pages`` shows pages and
    passes requests from one page to another.
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
    """A panel that gives back what its user chose."""

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it."""


Panel = TypeVar("Panel", bound=StatefulPanel)


class PageController(QObject, Generic[Panel]):
    """Controller of a page whose panel is made when it is first seen and shows what it showed last time."""

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(context.pages)
        self._context, self._runner, self._open = context, context.jobs, context.encodings.open
        self._state = state
        self._listed: tuple[tuple[str, str], ...] = ()
        self.panel: Panel | None = None
        context.encodings.listed.connect(self._on_listed)

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it: for a panel that was never shown, what it was built with."""
        return self._state if self.panel is None else self.panel.state()

    def _show_encodings(self, panel: Panel) -> None:
        """Offer the encodings, ``_listed``, in the panel. Overridden by pages that offer them."""

    @Slot(object)
    def _on_listed(self, encodings: tuple[tuple[str, str], ...]) -> None:
        self._listed = encodings
        if self.panel is not None:
            self._show_encodings(self.panel)


class PageBuilding(QObject):
    """Builds a page, one step in each turn of the event loop, or all that are left at once for who needs the page now.

    An action that puts the keyboard into a page needs it now, or what is typed next would be lost.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], closed: SignalInstance, parent: QObject) -> None:
        """``steps``: builds the page, with a yield behind each step. ``closed``: the window has gone; nothing more is
        built."""
        super().__init__(parent)
        self._make = steps
        self._left: Iterator[None] | None = None
        self._is_over = False
        self._waiting: list[Callable[[], None]] = []
        closed.connect(self._stop)

    def begin(self) -> None:
        """Begin in the next turn, unless that was done."""
        if not self._is_over and self._left is None:
            self._left = self._make()
            in_next_turn(self, self._take_step)

    def when_built(self, act: Callable[[], None]) -> None:
        """Call a slot when the page is built, which begins with this: at once, if it is."""
        if self._is_over:
            act()
            return
        if act not in self._waiting:
            self._waiting.append(act)
        self.begin()

    def finish(self) -> None:
        """Build what is not there yet, now."""
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

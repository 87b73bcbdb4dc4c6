"""What the wirings of tabs begin with: what they are made of, and what a tab remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from PySide6.QtCore import QObject, Slot

if TYPE_CHECKING:
    from gui.runtime.jobs import JobRunner
    from gui.services.encoding_list import EncodingList
    from gui.services.own_encodings import OpenEncoding
    from gui.workbench import Workbench


class TabParts(NamedTuple):
    """What a tab is wired with. They are there after the first picture of the window."""

    bench: Workbench
    runner: JobRunner
    encodings: EncodingList
    open_encoding: OpenEncoding


class RememberingPanel(Protocol):
    """A panel that gives back what its user chose."""

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it."""


Panel = TypeVar("Panel", bound=RememberingPanel)


class TabWiring(QObject, Generic[Panel]):
    """Gives the window a tab: its panel is made when somebody first looks at it, and shows what it showed last time."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts.bench)
        self._bench, self._runner, _, self._open = parts
        self._state = state
        self._listed: tuple[tuple[str, str], ...] = ()
        self.panel: Panel | None = None
        parts.encodings.listed.connect(self._on_listed)

    def state(self) -> dict[str, Any]:
        """What the user chose, as JSON holds it: of a panel that nobody has looked at, what it was made with."""
        return self._state if self.panel is None else self.panel.state()

    def _show_encodings(self, panel: Panel) -> None:
        """Offer the encodings, ``_listed``, in the panel. A tab that offers some says how."""

    @Slot(object)
    def _on_listed(self, encodings: tuple[tuple[str, str], ...]) -> None:
        self._listed = encodings
        if self.panel is not None:
            self._show_encodings(self.panel)

"""Gives the window its vocabulary tab: the page is made when somebody first looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Slot

from gui.tabs.tab_building import TabBuilding
from gui.tabs.tab_wiring import TabWiring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.tabs.tab_wiring import TabParts
    from gui.tokenizers.vocabulary.comparison import ComparePage
    from gui.tokenizers.vocabulary.controller import VocabularyFlow
    from gui.tokenizers.vocabulary.lengths import LengthsPage
    from gui.tokenizers.vocabulary.panel import VocabularyPanel
    from gui.tokenizers.vocabulary.places import VocabularyPlaces
    from gui.tokenizers.vocabulary.saving import VocabularySaving
    from gui.tokenizers.vocabulary.service import OpenedVocabulary, VocabularyService


NEEDS = (
    "gui.key_guard",
    "gui.tokenizers.vocabulary.comparison",
    "gui.tokenizers.vocabulary.lengths",
    "gui.tokenizers.vocabulary.panel",
    "gui.tokenizers.vocabulary.service",
    "gui.tokenizers.vocabulary.export_service",
    "gui.tokenizers.vocabulary.places_service",
    "gui.tokenizers.vocabulary.controller",
    "gui.tokenizers.vocabulary.pages",
    "gui.tokenizers.vocabulary.places",
    "gui.tokenizers.vocabulary.saving",
)
"""What making the page loads."""


class VocabularyWiring(TabWiring["VocabularyPanel"]):
    """Made after the first picture of the window, with the worker threads."""

    def __init__(self, parts: TabParts, state: dict[str, Any]) -> None:
        """``state``: as from ``state()``."""
        super().__init__(parts, state)
        self._wanted = "", -1
        self.flow: VocabularyFlow | None = None
        self.places: VocabularyPlaces | None = None
        self.lengths: LengthsPage | None = None
        self.compare: ComparePage | None = None
        self.saving: VocabularySaving | None = None
        self._building = TabBuilding(self._steps, self._bench.window.closed, self)
        self._bench.page("vocabularyTab").when_looked_at(NEEDS, self._bench.load_first, self._come_to_front)

    def build(self) -> VocabularyFlow:
        """Make the page now, if nobody has yet. It begins with the vocabulary of last time, or else the prompt's."""
        self._building.finish()
        assert self.flow is not None
        return self.flow

    def _steps(self) -> Iterator[None]:
        from gui.tokenizers.vocabulary.comparison import ComparePage
        from gui.tokenizers.vocabulary.controller import VocabularyFlow
        from gui.tokenizers.vocabulary.lengths import LengthsPage
        from gui.tokenizers.vocabulary.panel import VocabularyPanel
        from gui.tokenizers.vocabulary.places import VocabularyPlaces
        from gui.tokenizers.vocabulary.places_service import PlacesService
        from gui.tokenizers.vocabulary.service import VocabularyService, spelled

        bench, runner = self._bench, self._runner
        panel = VocabularyPanel(bench.theme, spelled)
        yield from panel.make()
        yield
        self.lengths, self.compare = LengthsPage(bench.theme), ComparePage()
        yield
        bench.parts.restore("vocabulary", panel.restore_state, self._state)
        self._show_encodings(panel)
        service = VocabularyService(runner, self._open, bench.paths.cache, self)
        flow = VocabularyFlow(panel, service, bench.notifier, self)
        self.places = places = VocabularyPlaces(panel.detail, PlacesService(runner, self), bench.prompt, self)
        flow.token_shown.connect(places.set_token)
        flow.opened.connect(self._on_opened, Qt.ConnectionType.QueuedConnection)
        places.shown_in_prompt.connect(self._show_prompt)
        panel.state_changed.connect(bench.keeper.touch)
        self._add_pages(panel, flow, service)
        self._open_first(flow)
        self.panel, self.flow = panel, flow
        yield
        bench.page("vocabularyTab").fill(panel)

    def _add_pages(self, panel: VocabularyPanel, flow: VocabularyFlow, service: VocabularyService) -> None:
        from gui.key_guard import KeyGuard
        from gui.tokenizers.vocabulary.export_service import VocabularyExport
        from gui.tokenizers.vocabulary.pages import VocabularyPages
        from gui.tokenizers.vocabulary.saving import VocabularySaving

        assert self.lengths is not None
        assert self.compare is not None
        panel.add_page(self.lengths, self.tr("Lengths"))
        panel.add_page(self.compare, self.tr("Comparison"))
        VocabularyPages(self.lengths, self.compare, flow, service, self)
        notifier, export = self._bench.notifier, VocabularyExport(self._runner, self)
        guard = KeyGuard(self._runner, notifier, panel, self)
        self.saving = VocabularySaving(panel, flow, export, guard, notifier, self)

    def _open_first(self, flow: VocabularyFlow) -> None:
        name, token_id = self._state.get("encoding"), self._state.get("id")
        now = self._bench.prompt.encoding
        flow.begin_with(
            name if isinstance(name, str) and name else now, token_id if isinstance(token_id, int) else -1, now
        )

    def focus(self) -> None:
        """Bring the tab to the front, the caret in its search."""
        self._bench.page("vocabularyTab").bring_to_front()
        self.build().begin()
        assert self.panel is not None
        self.panel.focus()

    def focus_go_to(self) -> None:
        """Bring the tab to the front, the caret in its field of ids."""
        self.focus()
        assert self.panel is not None
        self.panel.focus_go_to()

    @Slot(str, int)
    def show_token(self, encoding: str, token_id: int) -> None:
        """Bring the tab to the front, at an entry of an encoding."""
        flow = self.build()
        shown = flow.vocabulary
        if shown is not None and shown.name == encoding:
            flow.go_to(token_id)
        else:
            self._wanted = encoding, token_id
            flow.begin_with(encoding, token_id, self._bench.prompt.encoding)
        self._bench.page("vocabularyTab").bring_to_front()
        flow.begin()

    @Slot(object)
    def _on_opened(self, opened: OpenedVocabulary) -> None:
        """After its first entries are shown: a search may leave out the one that is wanted."""
        encoding, token_id = self._wanted
        self._wanted = "", -1
        if opened.name == encoding and self.flow is not None:
            self.flow.go_to(token_id)

    @Slot()
    def _come_to_front(self) -> None:
        self._building.when_built(self._look)

    def _look(self) -> None:
        if self._bench.page("vocabularyTab").is_in_front():
            self.build().begin()
            assert self.places is not None
            self.places.look()

    def _show_encodings(self, panel: VocabularyPanel) -> None:
        panel.filters.encoding.fill(self._listed)
        if self.compare is not None:
            self.compare.fill(self._listed)

    @Slot()
    def _show_prompt(self) -> None:
        self._bench.show_prompt()

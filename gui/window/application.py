"""Construction of one window: settings, theme, job lanes, services, and the controllers of its pages.

Two stages. ``Application()`` creates what the first paint needs and nothing heavier. ``start_services`` runs after that
paint and is the first to use the engine, prices and worker threads. It creates the ``AppContext`` passed to page
controllers, which do not depend on this module.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Collection
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication

from gui.core.profile_files import ProfilePaths, make_profile_private
from gui.core.user_encodings import EncodingListing, OpenEncoding, UserEncodings
from gui.look.icons import Icons
from gui.look.theme import Theme
from gui.prompt.prompt_panel import PromptPanel
from gui.runtime.event_loop import in_next_turn
from gui.runtime.notify import Notifier
from gui.runtime.pyside_workarounds import let_errors_leave_overrides
from gui.state.session import SAMPLE, SessionState
from gui.state.session_slot import SessionSlot
from gui.state.settings import SettingsStore
from gui.state.storage import SharedFile
from gui.widgets.file_choosers import DroppedFiles
from gui.window.action_wiring import ActionWiring
from gui.window.header import HeaderFigures
from gui.window.lifecycle import Closing, StartReport, release_clipboard
from gui.window.main_window import MainWindow
from gui.window.pages import PageDirectory
from gui.window.session_keeper import Privacy, SessionKeeper, decoded, encoded
from gui.window.status import StatusFacts
from gui.window.workspaces import PROMPT_PAGE, PageSpec, all_pages

if TYPE_CHECKING:
    from gui.costs.calibration_controller import CalibrationController
    from gui.costs.cost_controller import CostController
    from gui.costs.report_controller import ReportWriting
    from gui.editor.token_card import TokenInspector
    from gui.prompt.cut_bar import CutController
    from gui.prompt.file_actions import FileActions
    from gui.prompt.finder import Finder
    from gui.prompt.prompt_panel import FirstSteps
    from gui.prompt.token_ids import IdsController
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from gui.runtime.kernel_build import KernelBuild
    from gui.runtime.loading import LoadingAhead
    from gui.widgets.page_controller import AppContext


class EncodingList(QObject):
    """List of the encodings, loaded off the GUI thread, since that imports the engine.

    Signals: ``listed(tuple[tuple[str, str]])`` with name and description of each; ``own_listed(tuple[str])`` with the
    names of the user's own; ``failed(str)`` with a sentence, also for each unusable file of the user.
    """

    listed = Signal(object)
    own_listed = Signal(object)
    failed = Signal(str)

    def __init__(self, runner: JobRunner, user: UserEncodings, open_encoding: OpenEncoding, parent: QObject) -> None:
        """``user``: the user's own encodings. ``open_encoding``: opens any encoding, on a worker thread."""
        super().__init__(parent)
        self.user, self.open = user, open_encoding
        self._told: set[str] = set()
        self._lane = runner.conflated(self.tr("Listing the encodings"), partial(_list, user))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    def refresh(self) -> None:
        """Reload the list."""
        self._lane.submit(None)

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        encodings, own, problems = result.value
        self.listed.emit(encodings)
        self.own_listed.emit(own)
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self.failed.emit(problem)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)


def _list(user: UserEncodings, _request: None, _ticket: Ticket) -> EncodingListing:
    return user.list_all()


class Application(QObject):
    """Builder of a window and of all its services, and its shutdown. Shares the lifetime of the window.

    Signals: ``started()`` when the services are running.
    """

    started = Signal()

    def __init__(self, paths: ProfilePaths, *, private: bool = False) -> None:
        """``private``: save nothing of the text, whatever the settings say."""
        let_errors_leave_overrides()
        super().__init__()
        self.paths = paths
        make_profile_private(paths)
        self.settings = SettingsStore(paths.settings_file, self)
        values = self.settings.values
        self.theme = Theme(values.theme, values.contrast, self, system_fonts=values.system_fonts)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.theme.apply(app)
        self.icons = Icons(self.theme, self)
        self.notifier = Notifier(self)
        self.window = MainWindow(self.theme, self.icons, self.notifier)
        self.setParent(self.window)
        self.panel = PromptPanel(self.theme, self.icons, self.settings, self.window)
        self.prompt = self.panel.prompt
        self.window.add_pages({PROMPT_PAGE: self.panel})
        self.panel.give_tools(self.window.view_bar)
        self.window.inspector_shown.connect(self.panel.readout.setHidden)
        self.inspector: TokenInspector | None = None
        self.costs: CostController | None = None
        self.pages = PageDirectory(self.window.pages, self.panel, self)
        self.context: AppContext | None = None
        """Passed to page controllers; None before the first paint."""
        self.calibration: CalibrationController | None = None
        self.kernels: KernelBuild | None = None
        self.ids: IdsController | None = None
        self.cut: CutController | None = None
        self.user_encodings = UserEncodings(paths.encodings)
        self.encodings: EncodingList | None = None
        self.report: ReportWriting | None = None
        self.slot = SessionSlot(paths.sessions, private=private or values.private_mode)
        self.keeper = SessionKeeper(self.slot, self.prompt, self.notifier, self._add_layout, self)
        self.privacy = Privacy(self.keeper, paths, self.notifier, self.window)
        self.privacy.changed.connect(self.show_title)
        self.keeper.keys_found.connect(self.privacy.warn_of_keys)
        self._last = SessionState()
        self._is_first = False
        self.first_steps: FirstSteps | None = None
        self.runner: JobRunner | None = None
        self.loading: LoadingAhead | None = None
        self._steps: list[Callable[[], object]] = []
        self._connect()
        self._restore()

    # Created on first use, at the latest with the services, since the first paint does not need them.

    @cached_property
    def finder(self) -> Finder:
        """Find and replace."""
        from gui.prompt.finder import Finder

        return Finder(self.prompt, self.panel.find_bar, self.notifier, self)

    @cached_property
    def files(self) -> FileActions:
        """Opening and saving."""
        from gui.prompt.file_actions import FileActions

        return FileActions(self.prompt, self.settings, self.notifier, self.window, self)

    # --- the first picture ------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.closing = Closing(self.window, self.prompt, self.settings, self.keeper, self.notifier, lambda: self.files)
        self.window.first_painted.connect(self._on_first_painted)
        DroppedFiles(self.window).dropped.connect(self._take_paths)
        self.panel.editor.files_dropped.connect(self._take_names)
        self.pages.paths_dropped.connect(self._take_paths)
        self.pages.file_asked.connect(self._open_file)
        self.window.layout_changed.connect(self.keeper.touch)
        self.panel.splitter.changed.connect(self.keeper.touch)
        self.window.closed.connect(self.shut_down)
        self.settings.changed.connect(self._on_setting)
        self.settings.failed.connect(self.notifier.warning)
        self.prompt.origin_changed.connect(self.show_title)
        self.prompt.modified_changed.connect(self.show_title)
        self.prompt.changed.connect(self._on_text_changed)
        self.prompt.failed.connect(self.notifier.error)
        for change in (self.prompt.encoding_changed, self.prompt.special_changed):
            change.connect(self.keeper.touch)
        self.panel.editor.zoom_changed.connect(self.keeper.touch)
        self.panel.editor.cursorPositionChanged.connect(self.keeper.touch)
        self.wiring = ActionWiring(self)
        StatusFacts(self.window.statusBar(), self.prompt, self.window.actions_by_name)
        self.show_title()

    def _restore(self) -> None:
        """Restore those parts of the last session that are quick to restore."""
        restored = self.keeper.read()
        self._last = state = restored.state
        self._is_first = restored.is_first
        self.prompt.set_encoding(state.encoding)
        self.prompt.set_special_as_tokens(state.special_as_tokens)
        if state.geometry:
            self.window.restoreGeometry(decoded(state.geometry))
        self.panel.splitter.restore_state(state.strip)
        is_restored = self.settings.values.restore_session or restored.crashed
        if restored.is_first:
            self.prompt.show_text(SAMPLE)
        elif restored.text is not None and is_restored:
            self.keeper.show_last(state, restored.text)
        elif restored.text_bytes and is_restored:
            self.keeper.show_later(state)
        elif restored.text_bytes:
            self.keeper.save_aside()
        if state.zoom:
            self.panel.editor.zoom_by(state.zoom)
        self.window.pages.show_page(state.tab)
        if not state.inspector:
            self.window.inspector_chosen["prompt"] = False
        if state.inspector_cost:
            self.window.inspector_chosen["cost"] = state.inspector_cost == "shown"
        self.panel.editor.setFocus()
        save_aside = bool(restored.text_bytes) and not is_restored
        self._report = StartReport(
            restored, save_aside, self.slot, self.keeper, self.settings, self.notifier, lambda: self.files
        )

    @Slot()
    def _on_first_painted(self) -> None:
        # One turn later, so that the window is visible before anything heavy starts.
        in_next_turn(self, self.start_services)

    # --- after it ---------------------------------------------------------------------------------------------------

    @Slot()
    def start_services(self) -> None:
        """Start the worker threads and everything that counts, prices, reads and writes.

        Step by step, so that a key press during the start waits for one step only.
        """
        if self.runner is None:
            # Counting starts last: while the first vocabulary is read, nothing else in this process gets far.
            self._steps = [*self._parts(), self._end_start]
            self._take_step()

    def start_at_once(self, built: Collection[str] | None = None) -> None:
        """Start the services before the first paint, for callers that can wait.

        ``built``: object names of the pages to build now, by default all; the others are built when first shown.
        """
        for start in self._parts():
            start()
        for name, controller in self.pages.controllers.items():
            if built is None or name in built:
                controller.build()
        in_next_turn(self, self._end_start)

    def _parts(self) -> tuple[Callable[[], object], ...]:
        pages = (partial(self._start_page, page) for page in all_pages() if page.controller)
        return (
            *(self._start_files, self._start_costs, self.wiring.palette),
            *(self._start_counting, *pages, self._start_report, self._list_encodings),
        )

    @Slot()
    def _take_step(self) -> None:
        if self._steps:
            step = self._steps.pop(0)
            try:
                step()
            finally:  # an error in one step is reported, and the others still run
                in_next_turn(self, self._take_step)

    def _start_files(self) -> None:
        from gui.prompt.file_service import FileService
        from gui.prompt.find_service import FindService
        from gui.runtime.jobs import JobRunner
        from gui.runtime.kernel_build import KernelBuild
        from gui.runtime.loading import LoadingAhead
        from gui.state.storage import Storage
        from gui.widgets.page_controller import AppContext

        self.runner = runner = JobRunner(self)
        self.loading = LoadingAhead(self)
        self.panel.editor.typing.connect(self.loading.pause)
        self.window.jobs.watch(runner)
        self.finder.start(FindService(runner, self))
        self.files.start(FileService(runner, self), Storage(runner, self.tr("Saving the text"), self))
        self.settings.use_storage(Storage(runner, self.tr("Saving the settings"), self))
        self.keeper.start(runner, self.settings.values.autosave_seconds)
        self.kernels = kernels = KernelBuild(runner, self.paths.compiled, self)
        open_encoding = self.user_encodings.opening(kernels.use.open)
        self.encodings = EncodingList(runner, self.user_encodings, open_encoding, self)
        self.context = AppContext(
            self.paths,
            self.settings,
            self.theme,
            self.icons,
            self.notifier,
            self.window,
            self.keeper,
            self.prompt,
            runner,
            self.encodings,
            self.pages,
        )

    def _start_costs(self) -> None:
        from gui.costs.calibration_controller import CalibrationController
        from gui.costs.cost_controller import CostController
        from gui.editor.token_card import TokenInspector

        assert self.context is not None
        self.costs = self.pages.costs = CostController(self.context, self._last.scenario, self._last.model)
        self.costs.place_strip(self.panel.splitter)
        HeaderFigures(self.window.header, self.prompt, self.costs)
        self.calibration = CalibrationController(self.context)
        self.pages.calibration_asked.connect(self.calibration.open)
        self.inspector = TokenInspector(self.prompt, self.settings, self)
        self.costs.inspector.token.merges_asked.connect(self.inspector.merges_asked)
        self.inspector.merges_asked.connect(self.pages.merges_asked)

    def _start_counting(self) -> None:
        from gui.prompt.counting_service import EncodingService
        from gui.prompt.cut_bar import CutController
        from gui.prompt.token_ids import IdsController, TokenActions
        from gui.runtime.memory import MemoryReturn

        assert self.context is not None
        assert self.kernels is not None
        runner, encodings, kernels = self.context.jobs, self.context.encodings, self.kernels
        kernels.failed.connect(self.notifier.warning)
        self.prompt.counted.connect(kernels.begin_soon)
        self.prompt.start(EncodingService(runner, self.prompt.encoding, self, encodings.open))
        self.ids = IdsController(self.panel, self.context)
        self.cut = CutController(self.panel, self.context)
        act = self.window.actions_by_name
        act["cut_to_tokens"].triggered.connect(self.cut.open)
        act["ids_to_text"].triggered.connect(self.ids.to_text.open)
        TokenActions(self.context, self.ids)
        memory = MemoryReturn(self.prompt, runner, kernels.release_pages, self.theme.drop_cached_rules, self)
        kernels.taken_over.connect(memory.begin_at_rest)  # tiktoken's encoders were released
        encodings.listed.connect(self.panel.picker.fill)
        encodings.failed.connect(self.notifier.error)

    def _start_page(self, page: PageSpec) -> None:
        """Create the controller of a page."""
        module, name = page.controller.split(":")
        make = getattr(importlib.import_module(module), name)
        states = (getattr(self._last, page.state),) if page.state else ()
        self.pages.controllers[page.name] = make(self.context, *states)

    def _list_encodings(self) -> None:
        """List the encodings once all pages are created: later pages would miss the signal."""
        assert self.context is not None
        self.context.encodings.refresh()

    def _start_report(self) -> None:
        from gui.costs.report_controller import ReportWriting

        assert self.context is not None
        self.report = ReportWriting(self.context)

    def _end_start(self) -> None:
        from gui.window.main_window import DropOverlay

        self.drops = DropOverlay(self.window, self.theme, self.icons)
        if self._is_first:
            self._show_first_steps()
        self._report.tell()
        assert self.loading is not None
        self.loading.begin_soon()
        assert self.runner is not None
        self.runner.collector.start()
        self.started.emit()

    def _show_first_steps(self) -> None:
        """Show the first-run cards."""
        from gui.prompt.prompt_panel import FirstSteps, open_cards

        if open_cards(self.settings):
            self.first_steps = steps = FirstSteps(self.settings, self.theme, self.icons, self.panel.splitter.widget(0))
            steps.page_asked.connect(self.pages.go_to)
            steps.paste_asked.connect(self._paste_prompt)
            self.panel.add_foot(steps)

    @Slot()
    def _paste_prompt(self) -> None:
        """Paste the clipboard as the prompt, or focus the editor if it is empty."""
        text = QApplication.clipboard().text()
        self.pages.show_prompt()
        if text:
            self.prompt.replace_all(text)
        else:
            self.panel.editor.selectAll()

    # --- dropped files ------------------------------------------------------------------------------------------------

    @Slot(list)
    def _take_names(self, names: list[str]) -> None:
        self._take_paths([Path(name) for name in names])

    @Slot(list)
    def _take_paths(self, paths: list[Path]) -> None:
        """Import tokenizers, count folders, and open other files as the prompt."""
        from gui.core.user_encodings import looks_like_tokenizer

        library, folders = self.pages.library, self.pages.folders
        taken = [path for path in paths if library is not None and looks_like_tokenizer(path)]
        if library is not None and taken:
            library.open_paths(taken)
        counted = [path for path in paths if path.is_dir()]
        if folders is not None and counted:
            folders.count_paths(counted)
            taken += counted
        self.files.open_paths([path for path in paths if path not in taken])

    @Slot(object)
    def _open_file(self, path: Path) -> None:
        self.files.open_path(path)

    # --- settings -----------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        values = self.settings.values
        if name == "theme":
            self.theme.set_mode(values.theme)
        elif name == "contrast":
            self.theme.set_contrast(values.contrast)
        elif name == "system_fonts":
            self.theme.set_system_fonts(values.system_fonts)
        elif name == "private_mode" and values.private_mode:
            self.privacy.go_private()
        elif name == "autosave_seconds":
            self.keeper.set_interval(values.autosave_seconds)

    @Slot()
    def show_title(self) -> None:
        """Show in the title and header which document is open and whether it is saved."""
        prompt, origin = self.prompt, self.prompt.origin
        self._was_empty = prompt.empty
        modified = prompt.modified and not (origin is None and prompt.empty)
        state = self.tr("Edited, not saved") if modified else self.tr("Saved") if origin else self.tr("Not saved")
        if self._was_empty and origin is None:
            state = self.tr("Empty")
        self.window.private.setVisible(self.slot.folder is None)
        if self.slot.folder is None:
            state = self.tr("Private, not saved")
        self.window.setWindowTitle(self.tr("{file}[*] – Tokenloupe").format(file=prompt.name))
        self.window.setWindowModified(modified)
        tip = "" if origin is None else str(origin.path)
        self.window.header.document.show_document(prompt.name, state, modified=modified, tip=tip)

    @Slot()
    def _on_text_changed(self) -> None:
        if self.prompt.empty != self._was_empty:
            self.show_title()

    def _add_layout(self, state: SessionState) -> SessionState:
        window = self.window
        return dataclasses.replace(
            state,
            geometry=encoded(window.saveGeometry()),
            zoom=self.panel.editor.zoom,
            tab=self.window.pages.current_name,
            model=self.costs.reference.chosen if self.costs else self._last.model,
            inspector=window.inspector_chosen.get("prompt", True),
            inspector_cost={None: "", True: "shown", False: "hidden"}[window.inspector_chosen.get("cost")],
            strip=self.panel.splitter.state(),
            **self._panel_states(),
        )

    def _panel_states(self) -> dict[str, dict[str, Any]]:
        """Return the states of all panels; for panels not built yet, the states of the last session."""
        parts = {page.state: self.pages.controllers.get(page.name) for page in all_pages() if page.state}
        parts["scenario"] = self.costs.panel if self.costs else None
        return {name: part.state() if part else getattr(self._last, name) for name, part in parts.items()}

    # --- the end ------------------------------------------------------------------------------------------------------

    @Slot()
    def shut_down(self) -> None:
        """Stop the worker threads and restore the application's own look."""
        from gui.runtime.loading import Loading

        release_clipboard()
        self._steps = []
        for loading in (*self.findChildren(Loading), *self.window.findChildren(Loading)):
            loading.stop()
        self.settings.close()
        for file in self.findChildren(SharedFile):
            file.finish()
        if self.runner is not None:
            self.runner.shutdown()
        self.user_encodings.release()
        self.keeper.finish()
        self.theme.release_soon()

"""Handlers of all window actions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from gui.core.token_text import hexadecimal, visible, visible_line
from gui.look.theme import TOKEN_MODES
from gui.state.session import SAMPLE
from gui.window.actions import WORKSPACE_ACTION
from gui.window.workspaces import PROMPT_PAGE, WORKSPACES, all_pages

if TYPE_CHECKING:
    from gui.costs.prices_controller import PriceFinder, PricesController
    from gui.editor.offsets import TokenSpan
    from gui.prompt.finder import Finder
    from gui.window.application import Application
    from gui.window.command_palette import CommandPalette, Entry
    from gui.window.help import AboutReading

EDITING = ("undo", "redo", "cut", "copy", "paste", "select_all")
TOGGLES = {
    "wrap": "word_wrap",
    "whitespace": "show_whitespace",
    "line_numbers": "line_numbers",
    "line_tokens": "line_tokens",
}
"""Checkable actions and the settings they switch."""

Command = Callable[["Application"], object]


def _setting(name: str, value: str) -> Command:
    return lambda app: app.settings.set(name, value)


def _page(name: str) -> Command:
    return lambda app: app.pages.go_to(name)


def _workspace(workspace: str) -> Command:
    return lambda app: app.pages.go_to(app.window.navigation.last_page(workspace))


COMMANDS: dict[str, Command] = {
    "new": lambda app: app.prompt.replace_all(""),
    "sample": lambda app: app.prompt.replace_all(SAMPLE),
    "open": lambda app: app.files.choose(),
    "save": lambda app: app.files.save(),
    "save_as": lambda app: app.files.choose_target(),
    "report": lambda app: app.report and app.report.begin(),
    "import_tokenizer": lambda app: app.pages.library and app.pages.library.choose(),
    "close": lambda app: app.closing.quit(),
    "go_private": lambda app: app.privacy.go_private(),
    "remove_texts": lambda app: app.privacy.ask_to_remove(),
    "show_card": lambda app: app.inspector and app.inspector.pin_at_caret(),
    "zoom_in": lambda app: app.panel.editor.zoom_by(1),
    "zoom_out": lambda app: app.panel.editor.zoom_by(-1),
    "zoom_reset": lambda app: app.panel.editor.zoom_reset(),
    **{f"colours_{mode}": _setting("token_colours", mode) for mode in TOKEN_MODES},
    **{f"theme_{mode}": _setting("theme", mode) for mode in ("system", "light", "dark")},
    "next_page": lambda app: app.pages.go_to(app.window.navigation.neighbour(1)),
    "previous_page": lambda app: app.pages.go_to(app.window.navigation.neighbour(-1)),
    "next_region": lambda app: app.window.regions.step(1),
    "previous_region": lambda app: app.window.regions.step(-1),
    "go_to_entry": lambda app: app.pages.vocabulary and app.pages.vocabulary.focus_go_to(),
    "show_merges": lambda app: app.pages.merges and app.pages.merges.show_selection(),
    "import_prices": lambda app: app.pages.pricing and app.pages.pricing.import_prices(),
    "calibrate": lambda app: app.calibration and app.calibration.open(),
    "cancel_jobs": lambda app: app.window.jobs.cancel_all(),
}
"""Handlers of actions, by name; those of pages and workspaces come from the registry. Services and controllers are
None before the window is first painted."""


class ActionWiring(QObject):
    """Connections of the actions of ``Application`` to their handlers; also updates their check marks."""

    def __init__(self, app: Application) -> None:
        super().__init__(app)
        self._app = app
        self._actions = app.window.actions_by_name
        self._token: TokenSpan | None = None
        self._palette: CommandPalette | None = None
        self._reading: AboutReading | None = None
        self._commands = COMMANDS | {page.action: _page(page.name) for page in all_pages()}
        for number, workspace in enumerate(WORKSPACES, 1):
            self._commands[WORKSPACE_ACTION.format(number)] = _workspace(workspace.id)
        for name in self._commands:
            self._actions[name].triggered.connect(self._run)
        self._connect_editing()
        self._connect_view()
        self._connect_dialogs()
        self._show_settings("")

    def _connect_editing(self) -> None:
        app, act, editor = self._app, self._actions, self._app.panel.editor
        app.window.menus["recent"].aboutToShow.connect(self._fill_recent)
        for name in EDITING:
            act[name].triggered.connect(self._edit)
            # Text fields and tables handle these keys themselves; a window shortcut would intercept them.
            act[name].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for name in ("find", "replace", "find_next", "find_previous"):
            act[name].triggered.connect(self._find)
        for name in ("go_to_line", "go_to_token"):
            act[name].triggered.connect(self._go_to)
        act["copy_token"].triggered.connect(self._copy_token)
        for changed in (editor.undoAvailable, editor.redoAvailable, app.window.pages.currentChanged):
            changed.connect(self.show_undo)
        app.pages.undo_changed.connect(self.show_undo)
        editor.caret_token_changed.connect(self._on_caret_token)
        for name in ("undo", "redo", "copy_token"):
            act[name].setEnabled(False)

    def _connect_view(self) -> None:
        app, act = self._app, self._actions
        for name in TOGGLES:
            act[name].toggled.connect(self._toggle)
        act["special_tokens"].toggled.connect(app.prompt.set_special_as_tokens)
        app.prompt.special_changed.connect(act["special_tokens"].setChecked)
        act["special_tokens"].setChecked(app.prompt.special_as_tokens)
        act["high_contrast"].triggered.connect(self._set_contrast)
        act["full_screen"].triggered.connect(self._set_full_screen)
        app.settings.changed.connect(self._show_settings)
        app.window.pages.page_changed.connect(self._on_page)
        self._on_page()

    def _connect_dialogs(self) -> None:
        app, act = self._app, self._actions
        for name in ("search", "command_palette"):
            act[name].triggered.connect(self._open_palette)
        for name in ("guide", "dots", "shortcuts", "about", "preferences"):
            act[name].triggered.connect(self._open_dialog)
        act["choose_encoding"].triggered.connect(self._choose_encoding)
        app.window.header.models.encoding_asked.connect(self._choose_encoding)
        app.panel.editor.addAction(act["show_merges"])
        act["show_profile"].triggered.connect(self._show_profile)

    @Slot()
    def _run(self) -> None:
        self._commands[self.sender().objectName()](self._app)

    # --- file and edit ------------------------------------------------------------------------------------------------

    @Slot()
    def _fill_recent(self) -> None:
        self._app.files.fill_recent(self._app.window.menus["recent"])

    @Slot()
    def _edit(self) -> None:
        """Apply an editing command to the focused text field; without one, to the text on the Prices page if that is
        current, else to the prompt."""
        from gui.editor.soft_text_edit import SoftTextEdit

        focus = QApplication.focusWidget()
        target = focus if isinstance(focus, QLineEdit | QPlainTextEdit) else self._text_of_tab()
        name = self.sender().objectName()
        act: dict[str, Callable[[], None]] = {
            "undo": target.undo,
            "redo": target.redo,
            "cut": target.cut,
            "copy": target.copy,
            "paste": target.paste,
            "select_all": target.selectAll,
        }

        def obey() -> None:
            if not target.isReadOnly() or name in ("copy", "select_all"):  # read-only while a large text loads
                act[name]()

        steps = target.steps if isinstance(target, SoftTextEdit) else None
        has_to_wait = name in ("undo", "redo") and steps is not None and steps.is_held
        if steps is not None and (name in ("cut", "paste") or steps.has_waiting or has_to_wait):
            steps.when_done(obey)  # like any other editing key
        else:
            obey()

    @Slot()
    def show_undo(self) -> None:
        """Enable undo and redo as the text on the current page allows."""
        document = self._text_of_tab().document()
        self._actions["undo"].setEnabled(document.isUndoAvailable())
        self._actions["redo"].setEnabled(document.isRedoAvailable())

    def _prices(self) -> PricesController | None:
        """The prices page if it is current, else None."""
        return self._app.pages.pricing if self._app.window.pages.current_name == "pricingTab" else None

    def _text_of_tab(self) -> QPlainTextEdit:
        prices = self._prices()
        return prices.editor if prices is not None and prices.editor is not None else self._app.panel.editor

    def _finder(self) -> Finder | PriceFinder:
        prices = self._prices()
        if prices is None:
            self._show_prompt()
        return self._app.finder if prices is None else prices.finder

    @Slot()
    def _find(self) -> None:
        name, finder = self.sender().objectName(), self._finder()
        if name == "find_next":
            finder.find_next()
        elif name == "find_previous":
            finder.find_previous()
        else:
            finder.open(replace=name == "replace")

    @Slot()
    def _go_to(self) -> None:
        from gui.prompt.finder import GoToDialog

        by_line, prices = self.sender().objectName() == "go_to_line", self._prices()
        if by_line and prices is not None and prices.editor is not None:
            dialog = GoToDialog.for_lines(prices.editor, self._app.window)
        else:
            self._show_prompt()
            make = GoToDialog.for_lines if by_line else GoToDialog.for_tokens
            dialog = make(self._app.panel.editor, self._app.window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(object)
    def _on_caret_token(self, span: TokenSpan | None) -> None:
        self._token = span
        self._actions["copy_token"].setEnabled(span is not None)

    @Slot()
    def _copy_token(self) -> None:
        if self._token is None:
            return
        info = self._app.prompt.token_info(self._token)
        words = [str(self._token.index + 1), str(self._token.token_id)]
        if info is not None:
            words += [hexadecimal(info.token_bytes, len(info.token_bytes)), visible(info.token_bytes)]
        QGuiApplication.clipboard().setText("\t".join(words))
        self._app.notifier.remark(self.tr("Copied position, ID, bytes and text of the token"))

    # --- view ---------------------------------------------------------------------------------------------------------

    @Slot(bool)
    def _toggle(self, on: bool) -> None:
        self._app.settings.set(TOGGLES[self.sender().objectName()], on)

    @Slot(bool)
    def _set_contrast(self, on: bool) -> None:
        self._app.settings.set("contrast", "high" if on else "normal")

    @Slot(bool)
    def _set_full_screen(self, on: bool) -> None:
        window = self._app.window
        if on:
            window.showFullScreen()
        else:
            window.showNormal()

    @Slot(str)
    def _show_settings(self, _name: str) -> None:
        """Update the check marks from the settings."""
        act, values = self._actions, self._app.settings.values
        for name, setting in TOGGLES.items():
            act[name].setChecked(getattr(values, setting))
        act[f"colours_{values.token_colours}"].setChecked(True)
        act[f"theme_{values.theme}"].setChecked(True)
        high = values.contrast == "high" or (values.contrast == "system" and self._app.theme.system_wants_contrast())
        act["high_contrast"].setChecked(high)
        act.use_shortcuts(values.shortcuts)

    # --- tools and help -----------------------------------------------------------------------------------------------

    @Slot()
    def _open_palette(self) -> None:
        from gui.window import command_palette

        typed = command_palette.COMMANDS if self.sender() is self._actions["command_palette"] else ""
        every, found = self._app.window.every_action(), [*self._palette_entries(), *self._recent_entries()]
        self.palette().show_commands(every, found, self._entries_of_typed, typed)

    def _recent_entries(self) -> list[Entry]:
        from gui.window.command_palette import FILES, Entry

        entries, group = [], self.tr("Recent files")
        for path in map(Path, self._app.settings.values.recent):
            name, folder = visible_line(path.name), visible_line(str(path.parent))
            open_it = partial(self._app.files.open_paths, [path])
            entries.append(Entry(self.tr("Recent file"), name, f"file:{path}", folder, open_it, FILES, "doc", group))
        return entries

    def _entries_of_typed(self, typed: str) -> list[Entry]:
        """Return entries for a typed token ID and for typed text found in the prompt."""
        from gui.window.command_palette import TOKENS, Entry

        app, entries = self._app, []
        words = typed.strip()
        number = words.removeprefix(TOKENS).strip()
        encoding = app.prompt.encoding
        if number.isascii() and number.isdigit() and len(number) < 10 and app.pages.vocabulary is not None:
            show = partial(app.pages.vocabulary.show_token, encoding, int(number))
            entries.append(
                Entry(self.tr("Token"), f"#{int(number)}", f"token:{number}", encoding, show, TOKENS, "hash")
            )
        if words and words[0] not in ">@#/":
            find = partial(self._find_text, words)
            entries.append(Entry(self.tr("Find in the prompt"), f"“{words}”", "find-text", "", find, "", "find"))
        return entries

    def _find_text(self, text: str) -> None:
        self._show_prompt()
        self._app.finder.open(replace=False)
        self._app.panel.find_bar.pattern.setText(text)
        self._app.finder.find_next()

    def _palette_entries(self) -> list[Entry]:
        """Return the models and encodings that the pickers offer."""
        from gui.widgets.tool_row import DESCRIPTION
        from gui.window.command_palette import MODELS, Entry

        found, models, encodings = [], self._app.window.header.models, self._app.panel.picker
        priced = models.priced()
        for kind, picker, icon, group in (
            (self.tr("Model"), models, "cost", self.tr("Models")),
            (self.tr("Encoding"), encodings, "tokenizers", self.tr("Encodings")),
        ):
            for row in range(picker.count()):
                data = picker.itemData(row)
                key, detail = f"{picker.objectName()}:{data}", str(picker.itemData(row, DESCRIPTION) or "")
                choose, known = partial(picker.setCurrentIndex, row), priced.get(data) if picker is models else None
                entry = Entry(kind, picker.itemText(row), key, detail, choose, MODELS, icon, group)
                found.append(entry if known is None else entry._replace(priced=known))
        return found

    def palette(self) -> CommandPalette:
        """Return the command palette of this window, created on first use."""
        if self._palette is None:
            from gui.window.command_palette import CommandPalette

            app = self._app
            self._palette = CommandPalette(app.settings, app.theme, app.icons, app.window)
        return self._palette

    def _about_reading(self) -> AboutReading | None:
        """Return what reads for the About dialog, created on first use. None before the worker threads start."""
        if self._reading is None and self._app.runner is not None:
            from gui.window.help import AboutReading

            self._reading = AboutReading(self._app.runner, self)
        return self._reading

    @Slot()
    def _open_dialog(self) -> None:
        name = self.sender().objectName()
        app = self._app
        if name in ("guide", "dots"):
            from gui.window.help import Guide

            dialog = Guide(app.theme, app.window)
        elif name == "about":
            from gui.window.help import AboutDialog

            encoder = app.kernels.description() if app.kernels else ""
            dialog = AboutDialog(app.paths, encoder, app.icons, self._about_reading(), app.window)
        else:
            from gui.window.preferences import PreferencesDialog

            actions = app.window.every_action()
            dialog = PreferencesDialog(app.settings, actions, self._actions.default_keys, app.window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        if name == "dots":
            dialog.show_dots()
        elif name == "shortcuts":
            dialog.show_shortcuts()

    @Slot()
    def _choose_encoding(self) -> None:
        self._show_prompt()
        self._app.panel.picker.setFocus()
        self._app.panel.picker.showPopup()

    @Slot()
    def _on_page(self) -> None:
        """Check the current workspace."""
        shown = self._app.window.navigation.workspace
        for number, workspace in enumerate(WORKSPACES, 1):
            if workspace.id == shown:
                self._actions[WORKSPACE_ACTION.format(number)].setChecked(True)

    def _show_prompt(self) -> None:
        self._app.window.pages.show_page(PROMPT_PAGE)
        self._app.panel.show_text()

    @Slot()
    def _show_profile(self) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        folder = self._app.paths.config
        folder.mkdir(parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._app.notifier.information(self.tr("The profile is in {folder}").format(folder=folder))

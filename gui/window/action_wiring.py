"""Handlers of all window actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from gui.core.sample import SAMPLE
from gui.look.token_palette import TOKEN_MODES
from gui.window.menus.action_table import WORKSPACE_ACTION
from gui.window.workspaces import PROMPT_PAGE, WORKSPACES, all_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from gui.costs.prices_controller import PriceFinder, PricesController
    from gui.editor.offsets import TokenSpan
    from gui.prompt.finder import Finder
    from gui.window.application import Application
    from gui.window.command_palette import CommandPalette, Entry
    from gui.window.help import AboutReading

EDITING = ("undo", "redo", "cut", "copy", "paste", "select_all")


class ActionWiring(QObject):
    """Connections of the actions of ``Application`` to their handlers; also updates their check marks."""

    def __init__(self, app: Application) -> None:
        super().__init__(app)
        self._app = app
        self._actions = app.window.actions_by_name
        self._token: TokenSpan | None = None
        self._palette: CommandPalette | None = None
        self._reading: AboutReading | None = None
        self._connect_files_and_editing()
        self._connect_view()
        self._connect_tools()
        self._show_settings("")

    def _connect_files_and_editing(self) -> None:
        app, act, editor = self._app, self._actions, self._app.panel.editor
        act["new"].triggered.connect(self._new)
        act["sample"].triggered.connect(self._insert_sample)
        act["open"].triggered.connect(self._open)
        act["save"].triggered.connect(self._save)
        act["save_as"].triggered.connect(self._save_as)
        act["report"].triggered.connect(self._write_report)
        act["import_tokenizer"].triggered.connect(self._import_tokenizer)
        act["close"].triggered.connect(app.closing.quit)
        app.window.menus["recent"].aboutToShow.connect(self._fill_recent)
        for name in EDITING:
            act[name].triggered.connect(self._edit)
            # Text fields and tables handle these keys themselves; a window shortcut would intercept them.
            act[name].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        act["find"].triggered.connect(self._find)
        act["replace"].triggered.connect(self._find)
        act["find_next"].triggered.connect(self._find_next)
        act["find_previous"].triggered.connect(self._find_previous)
        act["go_to_line"].triggered.connect(self._go_to)
        act["go_to_token"].triggered.connect(self._go_to)
        act["copy_token"].triggered.connect(self._copy_token)
        act["show_card"].triggered.connect(self._show_card)
        act["preferences"].triggered.connect(self._open_dialog)
        editor.undoAvailable.connect(self.show_undo)
        editor.redoAvailable.connect(self.show_undo)
        app.window.pages.currentChanged.connect(self.show_undo)
        app.pages.undo_changed.connect(self.show_undo)
        editor.caret_token_changed.connect(self._on_caret_token)
        act["undo"].setEnabled(False)
        act["redo"].setEnabled(False)
        act["copy_token"].setEnabled(False)

    def _connect_view(self) -> None:
        app, act = self._app, self._actions
        act["zoom_in"].triggered.connect(self._zoom)
        act["zoom_out"].triggered.connect(self._zoom)
        act["zoom_reset"].triggered.connect(app.panel.editor.zoom_reset)
        act["wrap"].toggled.connect(self._set_wrap)
        act["whitespace"].toggled.connect(self._set_whitespace)
        for name in ("line_numbers", "line_tokens"):
            act[name].toggled.connect(partial(app.settings.set, name))
        act["special_tokens"].toggled.connect(app.prompt.set_special_as_tokens)
        app.prompt.special_changed.connect(act["special_tokens"].setChecked)
        act["special_tokens"].setChecked(app.prompt.special_as_tokens)
        for name in TOKEN_MODES:
            act[f"colours_{name}"].triggered.connect(self._set_colours)
        for name in ("system", "light", "dark"):
            act[f"theme_{name}"].triggered.connect(self._set_theme)
        act["high_contrast"].triggered.connect(self._set_contrast)
        act["full_screen"].triggered.connect(self._set_full_screen)
        app.settings.changed.connect(self._show_settings)

    def _connect_tools(self) -> None:
        app, act = self._app, self._actions
        for name in ("search", "command_palette"):
            act[name].triggered.connect(self._open_palette)
        for name in ("guide", "dots", "shortcuts", "about"):
            act[name].triggered.connect(self._open_dialog)
        act["choose_encoding"].triggered.connect(self._choose_encoding)
        self._app.window.header.models.encoding_asked.connect(self._choose_encoding)
        for page in all_pages():
            act[page.action].triggered.connect(self._go_to_page)
        for number in range(1, len(WORKSPACES) + 1):
            act[WORKSPACE_ACTION.format(number)].triggered.connect(self._go_to_workspace)
        app.window.pages.page_changed.connect(self._on_page)
        self._on_page()
        for name in ("next_region", "previous_region"):
            act[name].triggered.connect(self._step_region)
        act["next_page"].triggered.connect(self._step)
        act["previous_page"].triggered.connect(self._step)
        act["go_to_entry"].triggered.connect(self._go_to_entry)
        act["show_merges"].triggered.connect(self._show_merges)
        app.panel.editor.addAction(act["show_merges"])
        act["import_prices"].triggered.connect(self._import_prices)
        act["calibrate"].triggered.connect(self._calibrate)
        act["cancel_jobs"].triggered.connect(app.window.jobs.cancel_all)
        act["go_private"].triggered.connect(app.privacy.go_private)
        act["remove_texts"].triggered.connect(app.privacy.ask_to_remove)
        act["show_profile"].triggered.connect(self._show_profile)

    # --- file and edit ------------------------------------------------------------------------------------------------

    @Slot()
    def _new(self) -> None:
        self._app.prompt.replace_all("")

    @Slot()
    def _import_tokenizer(self) -> None:
        if self._app.pages.library is not None:
            self._app.pages.library.choose()

    @Slot()
    def _open(self) -> None:
        self._app.files.choose()

    @Slot()
    def _save(self) -> None:
        self._app.files.save()

    @Slot()
    def _save_as(self) -> None:
        self._app.files.choose_target()

    @Slot()
    def _insert_sample(self) -> None:
        self._app.prompt.replace_all(SAMPLE)

    @Slot()
    def _write_report(self) -> None:
        if self._app.report is not None:
            self._app.report.begin()

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
        self._finder().open(replace=self.sender().objectName() == "replace")

    @Slot()
    def _find_next(self) -> None:
        self._finder().find_next()

    @Slot()
    def _find_previous(self) -> None:
        self._finder().find_previous()

    @Slot()
    def _go_to(self) -> None:
        from gui.prompt.dialogs import GoToDialog

        prices = self._prices()
        if self.sender().objectName() == "go_to_line" and prices is not None and prices.editor is not None:
            dialog = GoToDialog.for_lines(prices.editor, self._app.window)
        else:
            self._show_prompt()
            by_line = self.sender().objectName() == "go_to_line"
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
        info = self._app.prompt.token_info(self._token)
        if self._token is None:
            return
        from gui.core.token_text import hexadecimal, visible

        words = [str(self._token.index + 1), str(self._token.token_id)]
        if info is not None:
            words += [hexadecimal(info.token_bytes, len(info.token_bytes)), visible(info.token_bytes)]
        QGuiApplication.clipboard().setText("\t".join(words))
        self._app.notifier.remark(self.tr("Copied position, ID, bytes and text of the token"))

    @Slot()
    def _show_card(self) -> None:
        if self._app.inspector is not None:
            self._app.inspector.pin_at_caret()

    # --- view ---------------------------------------------------------------------------------------------------------

    @Slot()
    def _zoom(self) -> None:
        self._app.panel.editor.zoom_by(1 if self.sender().objectName() == "zoom_in" else -1)

    @Slot(bool)
    def _set_wrap(self, on: bool) -> None:
        self._app.settings.set("word_wrap", on)

    @Slot(bool)
    def _set_whitespace(self, on: bool) -> None:
        self._app.settings.set("show_whitespace", on)

    @Slot()
    def _set_colours(self) -> None:
        self._app.settings.set("token_colours", self.sender().objectName().removeprefix("colours_"))

    @Slot()
    def _set_theme(self) -> None:
        self._app.settings.set("theme", self.sender().objectName().removeprefix("theme_"))

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
        act["wrap"].setChecked(values.word_wrap)
        act["whitespace"].setChecked(values.show_whitespace)
        act["line_numbers"].setChecked(values.line_numbers)
        act["line_tokens"].setChecked(values.line_tokens)
        act[f"colours_{values.token_colours}"].setChecked(True)
        act[f"theme_{values.theme}"].setChecked(True)
        high = values.contrast == "high" or (values.contrast == "system" and self._app.theme.system_wants_contrast())
        act["high_contrast"].setChecked(high)
        act.use_shortcuts(values.shortcuts)

    # --- tools and help -----------------------------------------------------------------------------------------------

    @Slot()
    def _open_palette(self) -> None:
        from gui.window.command_palette import COMMANDS

        typed = COMMANDS if self.sender() is self._actions["command_palette"] else ""
        every, found = self._app.window.every_action(), [*self._palette_entries(), *self._recent_entries()]
        self.palette().show_commands(every, found, self._entries_of_typed, typed)

    def _recent_entries(self) -> list[Entry]:
        from pathlib import Path

        from gui.core.token_text import visible_line
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
        from gui.widgets.encoding_picker import DESCRIPTION
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
                price = known.price if known is not None else ()
                found.append(Entry(kind, picker.itemText(row), key, detail, choose, MODELS, icon, group, price))
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
    def _go_to_page(self) -> None:
        action = self.sender().objectName()
        self._app.pages.go_to(next(page.name for page in all_pages() if page.action == action))

    @Slot()
    def _go_to_workspace(self) -> None:
        action = self.sender().objectName()
        numbers = {WORKSPACE_ACTION.format(number): workspace for number, workspace in enumerate(WORKSPACES, 1)}
        self._app.pages.go_to(self._app.window.navigation.last_page(numbers[action].id))

    @Slot()
    def _step(self) -> None:
        step = 1 if self.sender().objectName() == "next_page" else -1
        self._app.pages.go_to(self._app.window.navigation.neighbour(step))

    @Slot()
    def _step_region(self) -> None:
        self._app.window.regions.step(1 if self.sender().objectName() == "next_region" else -1)

    @Slot()
    def _on_page(self) -> None:
        """Check the current workspace."""
        shown = self._app.window.navigation.workspace
        for number, workspace in enumerate(WORKSPACES, 1):
            if workspace.id == shown:
                self._actions[WORKSPACE_ACTION.format(number)].setChecked(True)

    @Slot()
    def _go_to_entry(self) -> None:
        if self._app.pages.vocabulary is not None:
            self._app.pages.vocabulary.focus_go_to()

    @Slot()
    def _show_merges(self) -> None:
        if self._app.pages.merges is not None:
            self._app.pages.merges.show_selection()

    @Slot()
    def _import_prices(self) -> None:
        if self._app.pages.pricing is not None:
            self._app.pages.pricing.import_prices()

    @Slot()
    def _calibrate(self) -> None:
        if self._app.calibration is not None:
            self._app.calibration.open()

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

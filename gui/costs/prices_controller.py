"""Controller of the page Prices: the text in the editor, the file on disk, and the prices in effect."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor

from gui.costs.prices_service import (
    EXACTLY,
    ODD_CHARACTERS,
    TEMPLATE,
    TOO_LONG,
    UNREADABLE,
    PriceFileService,
    fields_below,
    typed_amount,
)
from gui.prompt.find_service import FindRequest, FindService, Replacement
from gui.prompt.finder import MatchWalk
from gui.runtime.notify import Notifier, Offer

if TYPE_CHECKING:
    from gui.costs.price_editor import PriceEditor
    from gui.costs.prices_service import (
        Change,
        ChangeRequest,
        CheckedText,
        CheckRequest,
        Difference,
        FileText,
        ReadRequest,
        Saved,
        SaveRequest,
        Splice,
    )
    from gui.widgets.find_bar import FindBar
    from gui.widgets.page_controller import AppContext


class PriceFinder(MatchWalk):
    """Find and replace in the price file: keeps matches up to date with pattern and text, and moves between them."""

    def __init__(self, bar: FindBar, editor: PriceEditor, service: FindService, notifier: Notifier) -> None:
        super().__init__(bar, notifier, bar)
        self._editor = editor
        editor.edited.connect(self._on_text_changed)
        self.start(service)

    def _revision(self) -> int:
        return self._editor.revision

    def _selected_range(self) -> tuple[int, int]:
        cursor = self._editor.textCursor()
        return cursor.selectionStart(), cursor.selectionEnd()

    def _select(self, utf16_start: int, utf16_end: int) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(utf16_start)
        cursor.setPosition(utf16_end, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.ensureCursorVisible()

    def _selected_text(self) -> str:
        return self._editor.textCursor().selectedText()

    def _search(self) -> None:
        self._ask()

    def _ask(self, replacement: str | None = None, only: tuple[int, int] | None = None) -> None:
        assert self._service is not None
        editor = self._editor
        self._service.search(FindRequest(editor.revision, editor.text(), self._bar.options, replacement, only))

    def _search_to_replace(self, only: tuple[int, int] | None) -> None:
        if not self._editor.isReadOnly():
            self._ask(self._bar.replacement.text(), only)

    def _write(self, replacement: Replacement) -> bool:
        if replacement.revision != self._editor.revision:
            return False
        cursor = QTextCursor(self._editor.document())
        cursor.beginEditBlock()
        for piece in reversed(replacement.pieces):
            cursor.setPosition(piece.utf16_start)
            cursor.setPosition(piece.utf16_end, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(piece.text)
        cursor.endEditBlock()
        self._after_writing(replacement)
        return True

    def _leave(self) -> None:
        self._editor.setFocus()


CHECK_DELAY_MS = 120
"""Pause in typing after which the text is validated, in milliseconds."""
OUTSIDE = "price-file-outside"
CHANGED = "price-file-put"
REFUSED = "price-file-change"


NEEDS = (
    "gui.costs.prices_page",
    "gui.costs.price_import_service",
    "gui.costs.price_import_controller",
)
"""Modules loaded when the page is built."""


class PricesController(QObject):
    """Controller of the page Prices. It watches the price file from the start; the page is built when it is first
    shown.

    Signals: ``undo_changed()`` when the availability of undo or redo changed.
    """

    undo_changed = Signal()

    def __init__(self, context: AppContext, state: dict[str, Any]) -> None:
        """``state``: as returned by ``state()``."""
        runner = context.jobs
        super().__init__(context.pages)
        costs, panel = context.pages.costs.service, context.pages.costs.panel
        self._context, self._costs, self._state, self._runner = context, costs, state, runner
        self.notifier = context.notifier
        self.built = False
        self.editor: PriceEditor | None = None
        self.price_file = PriceFileService(context.paths.prices_file, runner, context.encodings.user.names, self)
        self._digest: str | None = None
        self._file: FileText | None = None
        self._outside: FileText | None = None
        self._awaited: ReadRequest | None = None
        self._in_force = True
        self._saving = self._save_again = False
        self._saving_revision = -1
        self._quiet = True
        self._why_unread = ""
        self._checked: CheckedText | None = None
        self._checked_revision = -1
        self._waiting: list[tuple[str, str, str]] = []
        """Changes of prices, typed outside the page before the file was read."""
        self._made: list[tuple[int, int, bool]] = []
        """Revisions before and after each change that can be undone from outside the page, and True if saved."""
        self._delay = QTimer(self, singleShot=True, interval=CHECK_DELAY_MS)
        self.price_file.read.connect(self._on_read)
        self.price_file.touched.connect(self._on_touched)
        costs.prices_changed.connect(self._on_prices)
        costs.prices_problem.connect(self._on_prices)
        panel.problems_listed = lambda: self.lists_problems
        panel.commands.edit_asked.connect(self.show_model)
        panel.commands.undo_asked.connect(self.take_back)
        panel.model.price_typed.connect(self.change_price)
        self.undo_changed.connect(context.pages.undo_changed)
        self.price_file.read_file()
        context.pages.when_page_shown("pricingTab", NEEDS, self.build)

    def state(self) -> dict[str, Any]:
        """Return the user's arrangement and the unsaved text, as JSON data."""
        if self._file is None:
            return self._state  # nothing was read yet, so nothing has changed
        draft = {"draft": self.editor.text(), "digest": self._file.digest} if self.editor.unsaved else {}
        return {**self._panel.state(), **draft}

    @Slot()
    def build(self) -> None:
        """Build the page unless it exists."""
        if self.built:
            return
        from gui.costs.price_import_controller import PriceImportController
        from gui.costs.prices_page import PricingPanel

        self.built, context = True, self._context
        panel = PricingPanel(context.theme, context.icons, fields_below, lambda: self._costs.today)
        context.pages.page("pricingTab").fill(panel)
        context.window.view_bar.add_tools("pricingTab", panel.tools)
        context.pages.page("pricingTab").focus_first(panel.editor)
        self._panel, self.editor = panel, panel.editor
        context.session.restore("pricing", panel.restore_state, self._state)
        self._connect()
        self._awaited = self.price_file.read_file()
        self._imports = PriceImportController(panel, self, context)
        self._on_prices()

    def _connect(self) -> None:
        panel, editor, price_file = self._panel, self.editor, self.price_file
        panel.show_file_name(str(price_file.path))
        panel.save_asked.connect(self.save)
        panel.form.model_chosen.connect(self._on_model_chosen)
        panel.form.source_asked.connect(self._open_source)
        panel.form.changed.connect(lambda fact, typed: self._change(fact.path, fact.kind, typed))
        panel.form.cleared.connect(lambda fact: self._change(fact.path, fact.kind, None))
        panel.form.forgotten.connect(lambda: self._change("", "", None))
        editor.edited.connect(self._on_edited)
        editor.modificationChanged.connect(self._show_status)
        editor.undoAvailable.connect(self.undo_changed)
        editor.redoAvailable.connect(self.undo_changed)
        price_file.checked.connect(self._on_checked)
        price_file.changed.connect(self._on_changed)
        price_file.saved.connect(self._on_saved)
        price_file.failed.connect(self._on_failed)
        self._delay.timeout.connect(self.check)

    # --- used by other parts of the window ----------------------------------------------------------------------------

    def show_model(self, model_id: str) -> None:
        """Show the page with the prices of this model, and focus its values."""
        self._context.pages.page("pricingTab").bring_to_front()
        self.build()
        self._panel.form.choose(model_id)
        self._panel.form.table.setFocus()

    @Slot(str, str, str)
    def change_price(self, model_id: str, path: str, typed: str) -> None:
        """Set a price, typed outside the page, in the user's file; empty text restores the built-in price."""
        self.build()
        if self._file is None:
            self._waiting.append((model_id, path, typed))
            return
        why = self.why_not_changed()
        if why:
            self.refuse(why.rstrip("."))
            return
        self._withdraw_refusal()
        text, revision = self.editor.text(), self.editor.revision
        self.price_file.change(text, revision, model_id, path, "money", typed or None, from_table=True)

    def text(self) -> tuple[str, int]:
        """Return the text of the user's file as edited, and its revision."""
        self.build()
        return self.editor.text(), self.editor.revision

    def put(self, splice: Splice, revision: int, words: str) -> bool:
        """Edit the text of this revision as one undo step, show a notice with Undo, and save it if nothing else is
        unsaved. Returns False if the text has changed since."""
        self.build()
        if revision != self.editor.revision or self.why_not_changed():
            return False
        # True if the text equals the file, or will once it is written.
        is_saving = self._saving and self._saving_revision == self.editor.revision
        saves = not self.editor.unsaved or is_saving or self._save_again
        self.editor.apply(splice)
        self._made.append((revision, self.editor.revision, saves))
        self.check()
        if saves:
            self.save(quiet=True)
        else:
            words += " " + self.tr("Not saved yet: the Prices page has other unsaved changes.")
        self.notifier.done(words, key=CHANGED, offers=(Offer(self.tr("Undo"), self.take_back),))
        return True

    @Slot()
    def take_back(self) -> None:
        """Undo the last change made by ``put``."""
        if not self.built:
            return
        before, after, saves = self._made.pop() if self._made else (-1, -1, False)
        if after != self.editor.revision:
            self._made.clear()
            self.notifier.remark(self.tr("No price change to undo here. Undo on the Prices page goes further back."))
            return
        self.editor.undo()
        if self._made and self._made[-1][1] == before:
            earlier, _, saved = self._made.pop()
            self._made.append((earlier, self.editor.revision, saved))
        self.notifier.withdraw(CHANGED)
        self.notifier.remark(self.tr("Undid the last change to your price file."))
        self.check()
        if saves:
            self.save(quiet=True)

    @cached_property
    def finder(self) -> PriceFinder:
        """Find and replace in the text. Created on first use."""
        self.build()
        service = FindService(self._runner, self)
        return PriceFinder(self._panel.find_bar, self.editor, service, self.notifier)

    def import_prices(self) -> None:
        """Show the page and the dialog that imports published prices."""
        self._context.pages.page("pricingTab").bring_to_front()
        self.build()
        self._imports.open()

    def focus(self) -> None:
        """Show the page and focus the text."""
        self._context.pages.page("pricingTab").bring_to_front()
        self.build()
        self.editor.setFocus()

    @Slot()
    def _on_prices(self) -> None:
        """Store whether the file on disk is in effect, and update the page."""
        self._in_force = not self._costs.problems
        if self.built:
            self._show_first()
            self._show_status()

    def _show_first(self) -> None:
        """Select the reference model, unless another model is selected already."""
        model = self._context.pages.costs.reference_model()
        if self._file is not None and model is not None and not self._panel.form.model_id:
            self._panel.form.choose(model.id)

    @Slot()
    def look_again(self) -> None:
        """Read the file again, since it may have changed on disk."""
        if not self._saving:  # else it is read after saving
            self._awaited = self.price_file.read_file(self.editor.text(), self.editor.revision)

    @Slot()
    def save(self, *, quiet: bool = False) -> None:
        """Save the current text; it takes effect if it has no errors. ``quiet``: the user is already informed."""
        if self._file is None or self.editor.isReadOnly():
            return
        self._quiet = quiet and (self._quiet or not self._saving)
        if self._saving:
            self._save_again = True
            return
        if self._outside is not None:
            self._ask_about_outside(self._outside)
            return
        self._saving, self._awaited = True, None  # a reading in progress is outdated
        self._saving_revision = self.editor.revision
        self.price_file.save(self.editor.text(), self.editor.revision, self._file)

    @property
    def lists_problems(self) -> bool:
        """True while the page is visible and lists the problems of the file on disk."""
        return self.built and self._panel.isVisible() and not self.editor.unsaved and self._outside is None

    def why_not_changed(self) -> str:
        """Return why only typing may change the text now, as a sentence; "" if it may be changed."""
        self.build()
        if self._file is None:
            return self.tr("your price file is still loading.")
        if self.editor.isReadOnly():
            return self.tr("your price file cannot be edited here.")
        if self._outside is not None:
            return self.tr("your price file changed on disk. Choose which text to keep first.")
        if self._checked is not None and self._checked.problems:
            return self.tr("your price file has errors. Fix them first.")
        return ""

    # --- file ---------------------------------------------------------------------------------------------------------

    @Slot()
    def _on_touched(self) -> None:
        if self.built:
            self.look_again()
        else:
            self.price_file.read_file()

    @Slot(object, object)
    def _on_read(self, file: FileText, request: ReadRequest) -> None:
        known, self._digest = self._digest, file.digest
        if not self.built:
            if known is not None and known != file.digest:
                self._costs.reload_prices()
            return
        if request is not self._awaited:
            return
        if self._file is None:
            self._begin(file)
        elif file.digest == self._file.digest:
            return
        elif self.editor.unsaved and file.text != self.editor.text():
            self._outside = file
            self._costs.reload_prices()
            self._ask_about_outside(file)
        else:
            self._take_outside(file, request)
        self._show_status()

    def _begin(self, file: FileText) -> None:
        self._file = file
        if self._why_unread:
            self.notifier.withdraw(REFUSED)
            self._why_unread = ""
            self._open_editor()
            self._costs.reload_prices()  # the prices in effect are from before it could be read
        draft = self._state.get("draft")
        if file.held != EXACTLY:
            self._close_editor(file)
        elif not self.editor.unsaved:  # otherwise the user typed before the file was read
            self.editor.show_file(file.text if file.exists else TEMPLATE)
        if isinstance(draft, str) and file.held == EXACTLY and draft != self.editor.text():
            self._take_draft(draft, file)
        self._show_first()
        self.check()
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            self.change_price(*change)

    def _take_draft(self, draft: str, file: FileText) -> None:
        self.editor.replace_all(draft)
        if self._state.get("digest") == file.digest:
            words = self.tr("Your unsaved price changes are restored. Undo shows the file as saved.")
            self.notifier.information(words, key=OUTSIDE)
        else:
            self._outside = file
            self._ask_about_outside(file)

    def _close_editor(self, file: FileText) -> None:
        """Clear and lock the editor for a file that it cannot hold, and show why."""
        self.editor.show_file("")
        self._lock_editor()
        why = {
            TOO_LONG: self.tr("Your price file is too long to edit here. It is used as is."),
            ODD_CHARACTERS: self.tr(
                "Your price file contains characters that this editor cannot keep. It is used as is."
            ),
            UNREADABLE: self.tr("Could not read your price file as text."),
        }[file.held]
        details = str(file.problem) if file.problem is not None else ""
        self.notifier.warning(why, details, key=OUTSIDE)

    def _lock_editor(self) -> None:
        self.editor.setReadOnly(True)
        self._panel.save.setEnabled(False)

    def _open_editor(self) -> None:
        self.editor.setReadOnly(False)
        self._panel.save.setEnabled(True)

    def _take_outside(self, file: FileText, request: ReadRequest) -> None:
        """Show the file as another program wrote it. One undo restores the previous text."""
        self._file, self._outside = file, None
        self._costs.reload_prices()
        if file.held != EXACTLY:
            self._close_editor(file)
            return
        self._open_editor()
        if file.splice is not None and request.revision == self.editor.revision:
            self.editor.apply(file.splice)
        elif file.text != self.editor.text():
            self.editor.replace_all(file.text)
        self.editor.document().setModified(False)
        words = self.tr("Your price file changed on disk and was reloaded: {what}. Undo restores your text.")
        details = file.difference.lines if file.difference is not None else ""
        self.notifier.information(words.format(what=self._difference_text(file.difference)), details, key=OUTSIDE)

    def _ask_about_outside(self, file: FileText) -> None:
        words = self.tr(
            "Your price file changed on disk, and you have unsaved changes here: {what}. Nothing was replaced."
        )
        offers = (
            Offer(self.tr("Show the file's text"), self._take_theirs),
            Offer(self.tr("Keep mine"), self._keep_mine),
        )
        details = file.difference.lines if file.difference is not None else ""
        words = words.format(what=self._difference_text(file.difference))
        self.notifier.warning(words, details, key=OUTSIDE, offers=offers if file.held == EXACTLY else offers[1:])

    def _take_theirs(self) -> None:
        file, self._outside = self._outside, None
        self.notifier.withdraw(OUTSIDE)
        if file is not None:
            self._file = file
            self.editor.replace_all(file.text)
            self.editor.document().setModified(False)
            self._show_status()

    def _keep_mine(self) -> None:
        """Overwrite the file on disk with the next save; its content becomes the backup."""
        file, self._outside = self._outside, None
        self.notifier.withdraw(OUTSIDE)
        if file is not None:
            self._file = file
            self._show_status()

    @Slot(object, object)
    def _on_saved(self, saved: Saved, request: SaveRequest) -> None:
        self._saving = False
        again, self._save_again = self._save_again, False
        if saved.outside is not None:
            self._outside = saved.outside
            self._ask_about_outside(saved.outside)
            return
        self._file = saved.file
        # An undo restored the text of the previous file, which the document considers saved.
        changed = request.revision != self.editor.revision and self.editor.text() != request.text
        self.editor.document().setModified(changed)
        if not self._quiet and not self._panel.problems.rows:
            self.notifier.remark(self.tr("Price file saved."))
        self.notifier.withdraw(OUTSIDE)
        self._costs.reload_prices(quiet=self._quiet)
        self._context.session.touch()
        self._show_status()
        if again and self.editor.unsaved:
            self.save()
        else:
            self.look_again()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self._saving = self._save_again = False
        self.notifier.error(
            self.tr("Could not read or write your price file: {why}. The text here is unchanged.").format(why=why),
            key=REFUSED,
        )
        if self._file is None:
            self._why_unread = why
            self._lock_editor()
            self._show_status()

    # --- text ---------------------------------------------------------------------------------------------------------

    @Slot()
    def _on_edited(self) -> None:
        self._delay.start()
        self._context.session.touch()

    @Slot()
    def check(self) -> None:
        """Check the current text soon."""
        self._delay.stop()
        self.price_file.check(self.editor.text(), self.editor.revision, self._panel.form.model_id)

    @Slot(object, object)
    def _on_checked(self, checked: CheckedText, request: CheckRequest) -> None:
        if request.revision != self.editor.revision:
            return  # a newer text is about to be checked
        if request.model_id != self._panel.form.model_id:
            return
        problems = checked.problems
        if self._file is not None and self._file.held != EXACTLY:
            problems = (self._file.problem,) if self._file.problem is not None else ()
        self._checked, self._checked_revision = checked, request.revision
        self._panel.show_problems(problems)
        self._panel.show_checked(checked)
        self._panel.form.setEnabled(not self.editor.isReadOnly())
        self._show_status()

    @Slot()
    def _show_status(self) -> None:
        problems = self._checked.problems if self._checked is not None else ()
        if self._file is None and self._why_unread:
            words = self.tr("Could not read your price file: {why}.").format(why=self._why_unread)
            self._panel.show_status(words, "error")
        elif self._file is None:
            self._panel.show_status(self.tr("Reading your price file…"))
        elif self._file.held != EXACTLY:
            self._panel.show_status(self.tr("This file cannot be edited here."), "warning")
        elif problems:
            number = len(problems)
            if self.editor.unsaved:
                one, many = self.tr("Not saved yet: 1 problem."), self.tr("Not saved yet: {number} problems.")
            else:
                one, many = (
                    self.tr("Saved but not in use: 1 problem."),
                    self.tr("Saved but not in use: {number} problems."),
                )
            words = one if number == 1 else many.format(number=number)
            self._panel.show_status(f"✗ {words} " + self.tr("The previous prices stay in use."), "error")
        elif self.editor.unsaved:
            fresh = self._checked_revision == self.editor.revision
            sure = self.tr("Not saved yet. No problems found.")
            self._panel.show_status("● " + (sure if fresh else self.tr("Not saved yet.")), "warning")
        elif not self._file.exists:
            self._panel.show_status(self.tr("This file does not exist yet. Edit the template; Save creates it."))
        elif self._in_force:
            self._panel.show_status(self.tr("✓ Saved and in use."), "success")
        else:
            self._panel.show_status(self.tr("Saved."))

    # --- form ---------------------------------------------------------------------------------------------------------

    @Slot(str)
    def _on_model_chosen(self, _model_id: str) -> None:
        self.check()
        self._context.session.touch()

    @Slot(str)
    def _open_source(self, address: str) -> None:
        """Open the source of the prices in the user's browser, as the link says."""
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        if not QDesktopServices.openUrl(QUrl(address)):
            self.notifier.information(self.tr("Could not open {address}.").format(address=address))

    def _change(self, path: str, kind: str, typed: str | None) -> None:
        self._withdraw_refusal()
        model_id = self._panel.form.model_id
        self.price_file.change(self.editor.text(), self.editor.revision, model_id, path, kind, typed)

    @Slot(object, object)
    def _on_changed(self, change: Change, request: ChangeRequest) -> None:
        if request.from_table:
            self._on_changed_in_table(change, request)
        elif request.revision != self.editor.revision:
            self.notifier.remark(self.tr("The text changed in the meantime, so the value was not set."))
        elif change.why:
            self.refuse(change.why)
        elif change.splice is not None:
            self.editor.apply(change.splice)
            self.check()

    def _on_changed_in_table(self, change: Change, request: ChangeRequest) -> None:
        if change.why:
            self.refuse(change.why)
        elif change.splice is not None and not self.put(change.splice, request.revision, self._change_text(request)):
            self.refuse(self.tr("the text of your price file changed in the meantime"))

    def _change_text(self, request: ChangeRequest) -> str:
        """Return a sentence on the change, with the old and the new price."""
        from gui.costs.model_prices import field_text

        model = next((model for model in self._costs.models if model.id == request.model_id), None)
        unit = "$" if model is None or model.exchange_rate == 1 else ""  # prices of the file may be in another currency
        usd = getattr(model.price.rates, request.path.removeprefix("price."), None) if model is not None else None
        before = typed_amount(model, usd, model.origin.get(request.path, "")) if model and usd is not None else ""
        words = self.tr("{model}: {field} {before} → {after} in your price file.")
        if request.typed is None:
            words = self.tr("{model}: {field} {before} → the built-in price.")
        return words.format(
            model=model.name if model is not None else request.model_id,
            field=field_text(request.path),
            before=unit + before if before else self.tr("n/a"),
            after=unit + (request.typed or "").removeprefix("$"),
        )

    def refuse(self, why: str) -> None:
        """Show why a value was not accepted. The lines of ``why`` after the first are details."""
        first, _, rest = why.partition("\n")
        self.notifier.warning(self.tr("The value was not accepted: {why}.").format(why=first), rest, key=REFUSED)

    def _withdraw_refusal(self) -> None:
        self.notifier.withdraw(REFUSED)

    def _difference_text(self, difference: Difference | None) -> str:
        if difference is None or not (difference.added or difference.removed):
            return self.tr("another text")
        return self.tr("{added} lines added, {removed} removed").format(
            added=difference.added, removed=difference.removed
        )

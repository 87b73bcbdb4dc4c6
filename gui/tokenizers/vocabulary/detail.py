"""Details of a token: facts, parents, occurrences in the prompt, merges, tokens built on it; and their controller."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QListView,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.fonts import fixed_font
from gui.look.quantities import figure
from gui.look.style_sheet import give_role, plain_corner
from gui.look.theme import Theme
from gui.runtime.jobs import NewestRequest
from gui.tokenizers.merges.service import MergeForest, forest_of
from gui.tokenizers.merges.tree_view import MergeTreePane
from gui.tokenizers.vocabulary.service import EditRequest, OccurrencesRequest, TokensOfText, save_edited, weigh_edit
from gui.tokenizers.vocabulary.table import FINDING_HINTS, FINDINGS, KINDS, tr
from gui.widgets.delegates import TokenHeading
from gui.widgets.forms import PageTabs, column_of, row_of
from gui.widgets.labels import PlainLabel, plain_tip, wrapped_label
from gui.widgets.table_model import Column, TableModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.types import MergeStep
    from engine.vocabulary.entries import EntryTable
    from gui.core.text_chunks import ChunkedText
    from gui.runtime.jobs import JobFailure, JobResult
    from gui.tokenizers.vocabulary.service import EditOutcome, Occurrences, TokenDetail
    from gui.widgets.page_controller import AppContext

MAX_BYTES = 256
MAX_LINK_CHARACTERS = 12
MAX_ENCODED = 8
MIN_LINES = 9
"""Minimum height of the pages, in lines of text; if there is less, all details scroll."""


class VocabularyDetail(QWidget):
    """View of the details of a token.

    Signals: ``token_asked(int)``: show another ID; ``step_asked(int)``: go to the next occurrence in the prompt (1) or
    the previous one (-1); ``letters_toggled(bool)``: show tokens in the byte alphabet of GPT-2.
    """

    token_asked = Signal(int)
    step_asked = Signal(int)
    letters_toggled = Signal(bool)

    def __init__(self, theme: Theme, spelled: Callable[[bytes], str], parent: QWidget | None = None) -> None:
        """``spelled``: formats bytes in the byte alphabet of GPT-2."""
        super().__init__(parent)
        self.setObjectName("vocabDetail")
        self.setAccessibleName(self.tr("Selected token"))
        self._spelled = spelled
        self._detail: TokenDetail | None = None
        self.hint = self._words("vocabHint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.heading = TokenHeading("vocabToken", theme)
        self.heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._facts: dict[str, QLabel] = {}
        self._titles: dict[QWidget, QLabel] = {}
        self._make_facts()
        self._make_links()
        self._make_occurrences()
        self._make_actions()
        self.tree = MergeTreePane(theme)
        self.tree.view.setObjectName("vocabTree")
        self.tree.view.setAccessibleName(self.tr("Merges of the token from single bytes"))
        self.steps, self.step_model = self._list(
            "vocabSteps", self.tr("Merges of the token, in order"), self._step_line
        )
        self.built, self.built_model = self._list(
            "vocabBuilt", self.tr("Tokens merged from this one"), self._entry_line
        )
        self._lay_out()
        self.tree.view.token_activated.connect(self.token_asked)

    @property
    def token_id(self) -> int:
        """The ID shown, -1 for none."""
        return -1 if self._detail is None else self._detail.token_id

    @property
    def in_letters(self) -> bool:
        """True if tokens are shown in the byte alphabet of GPT-2."""
        return self.letters.isChecked()

    def fact(self, name: str) -> str:
        """Return the text of a fact: ``id``, ``bytes``, ``length``, ``kind``, ``script``, ``reach``, ``built``,
        ``remarks``."""
        return self._facts[name].text()

    def show_nothing(self, hint: str) -> None:
        """Show that no token is selected. ``hint``: what to do."""
        self._detail = None
        self.hint.setText(hint)
        self.hint.show()
        self.heading.hide()
        self._scroll.hide()

    def show_token(self, detail: TokenDetail) -> None:
        """Show the details of a token."""
        self._detail = detail
        self.hint.hide()
        self.heading.show()
        self._scroll.show()
        entries = detail.request.opened.entries
        self._write(detail)
        self._show_links(detail, entries)
        if detail.tree is None:
            self.tree.show_forest(MergeForest(), hint=self.tr("This ID is unused."))
        else:
            self.tree.show_forest(forest_of([detail.tree]), hint="")
        self.step_model.show(tuple(enumerate(detail.steps, 1)), entries)
        self.built_model.show(detail.children if detail.children is not None else (), entries)
        count = "" if detail.children is None else f" ({figure(self.locale(), len(detail.children))})"
        self.pages.setTabText(2, self.tr("Merged from it{count}").format(count=count))
        self.pages.setTabText(1, self.tr("Steps ({count})").format(count=figure(self.locale(), len(detail.steps))))

    def show_occurrences(self, words: str, *, some: bool) -> None:
        """Show the number of occurrences in the prompt. ``some``: True if there are any to go to."""
        self.occurrences.setText(words)
        for button in (self.previous, self.next):
            button.setEnabled(some)

    @Slot(bool)
    def _on_letters(self, on: bool) -> None:
        self.tree.view.set_write(self._spelled if on else visible)
        if self._detail is not None:
            self.show_token(self._detail)
        self.letters_toggled.emit(on)

    # --- texts --------------------------------------------------------------------------------------------------------

    def _text(self, content: bytes, most: int = MAX_BYTES) -> str:
        shown = self._spelled(content[:most]) if self.in_letters else visible(content[:most])
        return shown if len(content) <= most else f"{shown}…"

    def _write(self, detail: TokenDetail) -> None:
        number = lambda value: figure(self.locale(), value)  # noqa: E731 - a short name for a method
        size = len(detail.token_bytes)
        self.heading.setText(self._text(detail.token_bytes) or self.tr("(nothing)"))
        rank = "" if detail.rank is None else self.tr(", rank {rank}").format(rank=detail.rank)
        facts = {
            "id": f"{detail.token_id}{rank}",
            "bytes": hexadecimal(detail.token_bytes, 64),
            "length": self.tr("1 byte") if size == 1 else self.tr("{n} bytes").format(n=number(size)),
            "kind": self._kind(detail),
            "script": self._pending if detail.script is None else tr(detail.script),
            "reach": self._reach(detail),
            "built": self._built(detail),
            "remarks": self._remarks(detail),
        }
        for name, words in facts.items():
            self._facts[name].setText(words)
        for widget in (self._facts["remarks"], self._titles[self._facts["remarks"]]):
            widget.setVisible(bool(detail.findings))

    @property
    def _pending(self) -> str:
        return self.tr("available when the analysis is done")

    def _reach(self, detail: TokenDetail) -> str:
        if detail.reachable is None:
            known = self.tr("unknown: a library runs this tokenizer")
            return known if detail.kind == "piece" else self.tr("unused ID")
        if detail.reachable:
            return self.tr("yes, as a special token") if detail.kind == "special" else self.tr("yes")
        ids = ", ".join(map(str, detail.encoded[:MAX_ENCODED])) + ("…" if len(detail.encoded) > MAX_ENCODED else "")
        if not ids:
            return self.tr("no: merging never produces it")
        return self.tr("no: its text encodes to {ids}").format(ids=ids)

    def _kind(self, detail: TokenDetail) -> str:
        if detail.kind == "merge" and detail.parents is None:
            return self.tr("piece that is not merged")
        return tr(KINDS[detail.kind])

    def _built(self, detail: TokenDetail) -> str:
        if detail.children is None or detail.built_in_all is None:
            return self._pending
        if not detail.built_in_all:
            return self.tr("no token")
        if detail.built_in_all == 1:
            return self.tr("one token")
        return self.tr("{all} tokens, {direct} directly").format(
            all=figure(self.locale(), detail.built_in_all), direct=figure(self.locale(), len(detail.children))
        )

    def _remarks(self, detail: TokenDetail) -> str:
        if detail.findings is None:
            return self._pending
        found = [f"{tr(FINDINGS[name])}: {tr(FINDING_HINTS[name])}" for name in detail.findings]
        return ". ".join(found) or self.tr("none")

    def _entry_line(self, token_id: int, entries: EntryTable) -> str:
        return f"{token_id}  {self._text(entries.token_bytes(token_id), 60)}"

    def _step_line(self, row: tuple[int, MergeStep], entries: EntryTable) -> str:
        number, step = row
        left, right, made = (
            self._text(entries.token_bytes(one), 40) for one in (step.left_id, step.right_id, step.token_id)
        )
        return f"{number}.  {left} + {right} → {made}   ({step.left_id} + {step.right_id} → {step.token_id})"

    def _show_links(self, detail: TokenDetail, entries: EntryTable) -> None:
        parents = detail.parents
        self.no_parents.setVisible(parents is None)
        for link, parent in zip(self.links, parents or (-1, -1), strict=True):
            link.setVisible(parents is not None)
            if parents is None:
                continue
            content = entries.token_bytes(parent)
            words = self._text(content, MAX_LINK_CHARACTERS)
            link.setText(words.replace("&", "&&"))
            link.setAccessibleName(self.tr("Parent {token}").format(token=f"{words}  {parent}"))
            link.setToolTip(self.tr("Go to token {id}").format(id=parent))
            link.setProperty("token_id", parent)
        words = self.tr("a single byte") if detail.kind == "byte" else self.tr("not merged")
        if detail.kind == "piece":
            words = self.tr("unknown: a library runs this tokenizer")
        self.no_parents.setText(words)

    # --- widgets ------------------------------------------------------------------------------------------------------

    def _words(self, name: str) -> QLabel:
        label = wrapped_label(name, selectable=True)
        label.setMinimumWidth(60)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        return label

    def _make_facts(self) -> None:
        titles = {
            "id": self.tr("ID"),
            "bytes": self.tr("Bytes"),
            "length": self.tr("Length"),
            "kind": self.tr("Kind"),
            "script": self.tr("Script"),
            "reach": self.tr("Reachable"),
            "built": self.tr("Used by"),
            "remarks": self.tr("Flags"),
        }
        for row, (name, title) in enumerate(titles.items()):
            fact = self._facts[name] = self._words(f"vocabFact_{name}")
            fact.setAccessibleName(title)
            if name == "bytes":
                fact.setFont(fixed_font())
            self._add_row(row, title, fact)

    def _add_row(self, row: int, title: str, widget: QWidget) -> None:
        edge = Qt.AlignmentFlag.AlignTop if isinstance(widget, QLabel) else Qt.AlignmentFlag.AlignVCenter
        label = self._titles[widget] = PlainLabel(title)
        give_role(label, "tableQuiet")
        self._grid.addWidget(label, row, 0, edge)
        self._grid.addWidget(widget, row, 1)

    def _make_links(self) -> None:
        self.links = (QPushButton(objectName="vocabLeftParent"), QPushButton(objectName="vocabRightParent"))
        fixed = fixed_font()
        self.no_parents = self._words("vocabNoParents")
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        for link in self.links:
            link.setFont(fixed)
            link.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            link.setMinimumWidth(60)
            link.clicked.connect(self._on_link)
            row.addWidget(link)
        row.addWidget(self.no_parents, 1)
        row.addStretch()
        self._add_row(len(self._facts), self.tr("Merged from"), holder)

    @Slot()
    def _on_link(self) -> None:
        self.token_asked.emit(self.sender().property("token_id"))

    def _make_occurrences(self) -> None:
        self.occurrences = self._words("vocabPlaces")
        self.previous = QPushButton(self.tr("&Previous"), objectName="vocabPreviousPlace")
        self.next = QPushButton(self.tr("&Next"), objectName="vocabNextPlace")
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        for button, words in (
            (self.previous, self.tr("Previous occurrence in the prompt")),
            (self.next, self.tr("Next occurrence in the prompt")),
        ):
            button.setToolTip(plain_tip(words))
            button.setAccessibleName(words)
        holder = QWidget()
        row_of((self.occurrences, 1), self.previous, self.next, parent=holder)
        self._add_row(len(self._facts) + 1, self.tr("In the prompt"), holder)

    def _make_actions(self) -> None:
        """Create the buttons for entries of the user's own encodings; ``TokenController`` shows them."""
        self.remove = QPushButton(self.tr("Remo&ve…"), objectName="vocabRemove")
        self.remove.setToolTip(self.tr("Remove the entry; what that costs on your prompt is shown first"))
        self.rename = QPushButton(self.tr("Rena&me…"), objectName="vocabRename")
        self.rename.setToolTip(self.tr("Give the special token another text"))
        self._actions = QHBoxLayout()
        for button in (self.remove, self.rename):
            button.setAutoDefault(False)
            button.hide()
            self._actions.addWidget(button)
        self._actions.addStretch(1)

    @Slot()
    def _on_previous(self) -> None:
        self.step_asked.emit(-1)

    @Slot()
    def _on_next(self) -> None:
        self.step_asked.emit(1)

    def _list(self, name: str, accessible: str, line: Callable[[Any, EntryTable], str]) -> tuple[QListView, TableModel]:
        """Return a list, and its model. ``line``: formats a row."""
        view = QListView(objectName=name)
        model = TableModel((Column("token", "", "", line),), parent=self, visible=False)
        view.setAccessibleName(accessible)
        view.setModel(model)
        view.setUniformItemSizes(True)
        view.setFont(fixed_font())
        view.setToolTip(self.tr("Double-click or Enter to go to the token"))
        view.setCornerWidget(plain_corner(view))
        view.activated.connect(self._on_activated)
        return view, model

    @Slot(QModelIndex)
    def _on_activated(self, index: QModelIndex) -> None:
        row = index.model().row_at(index.row())
        self.token_asked.emit(row[1].token_id if index.model() is self.step_model else int(row))

    def _lay_out(self) -> None:
        self.pages = PageTabs("vocabDetailPages", self.tr("Tree, steps and tokens merged from it"))
        for page, title in ((self.tree, self.tr("Tree")), (self.steps, ""), (self.built, "")):
            self.pages.addTab(page, title)
        self.letters = QCheckBox(
            self.tr("Show bytes GPT-&2 style (Ġ for a space, Ċ for a newline)"), objectName="vocabLetters"
        )
        self.letters.toggled.connect(self._on_letters)
        page = QWidget()
        column_of(self._grid, (self.pages, 1), parent=page, spacing=8)
        self.pages.setMinimumHeight(self.fontMetrics().lineSpacing() * MIN_LINES)
        self._scroll = QScrollArea(objectName="vocabDetailScroll", accessibleName=self.tr("Facts about the token"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls with the focus
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setCornerWidget(plain_corner(self._scroll))
        self._scroll.setWidget(page)
        column_of(
            (self.hint, 1),
            self.heading,
            self._actions,
            (self._scroll, 1),
            self.letters,
            parent=self,
            margins=(8, 8, 0, 0),
            spacing=8,
        )

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The controls in tab order, which is the visual order."""
        pages = (self.pages.tabBar(), self.tree.view, self.steps, self.built)
        return (self.remove, self.rename, *self.links, self.previous, self.next, *pages, self.letters)


PAUSE_MS = 150
"""Debounce interval, in milliseconds: while the arrow keys move through the table, only the last token is searched."""
EDIT_FAILED = "vocabulary-edit"


class TokenController(QObject):
    """Controller of the details of a token: finds it in the prompt, and edits entries of the user's encodings.

    Occurrences are searched while the details are visible. An edit is first counted on the prompt, and saved as a new
    encoding if the user agrees.

    Signals: ``shown_in_prompt()``: an occurrence was selected in the editor, which should be shown; ``edited(str)``:
    the name of the new encoding.
    """

    shown_in_prompt = Signal()
    edited = Signal(str)

    def __init__(self, pane: VocabularyDetail, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pane, self._prompt, self._notifier = pane, context.prompt, context.notifier
        self._own = context.encodings.user
        self._token: TokenDetail | None = None
        self._occurrences: Occurrences | None = None
        self._step = 0  # to take once the occurrences are known
        self._current = -1  # index of the occurrence selected last
        self._needs_text = False
        self._text: tuple[int, ChunkedText] | None = None
        self._edit: tuple[TokenDetail, str] | None = None  # waits for the text of the prompt
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._ask)
        runner = context.jobs
        self._finding = NewestRequest(runner.conflated(self.tr("Finding a token in the prompt"), TokensOfText().find))
        self._finding.answered.connect(self._on_found)
        self._finding.failed.connect(self._on_not_found)
        self._weighing = runner.conflated(self.tr("Counting without the entry"), partial(weigh_edit, self._own))
        self._weighing.finished.connect(self._confirm)
        self._saving = runner.conflated(self.tr("Saving the tokenizer"), partial(save_edited, self._own))
        self._saving.finished.connect(self._on_saved)
        for lane in (self._weighing, self._saving):
            lane.failed.connect(self._on_edit_failed)
        pane.step_asked.connect(self._on_step)
        pane.remove.clicked.connect(self._on_remove)
        pane.rename.clicked.connect(self._on_rename)
        self._prompt.changed.connect(self._on_changed)
        self._prompt.special_changed.connect(self._on_changed)
        self._prompt.text_ready.connect(self._on_text)

    @Slot(object)
    def set_token(self, token: TokenDetail) -> None:
        """Search for another token, and offer the edits possible for it."""
        before, self._token = self._token, token
        encoding = token.request.opened.encoding
        can = encoding.name in self._own.names() and not encoding.no_merges
        self._pane.remove.setVisible(can and (token.kind == "special" or token.parents is not None))
        self._pane.rename.setVisible(can and token.kind == "special")
        if before is None or before.request.opened.encoding is not encoding or before.token_id != token.token_id:
            self._look_again()

    # --- occurrences --------------------------------------------------------------------------------------------------

    @Slot()
    def look(self) -> None:
        """Search now that the page is visible, unless the result is known."""
        if self._token is not None and self._occurrences is None:
            self._timer.start()

    @Slot()
    def _on_changed(self) -> None:
        self._text = None
        self._look_again()

    def _look_again(self) -> None:
        self._occurrences, self._step, self._current = None, 0, -1
        if self._token is not None and self._pane.isVisible():
            self._pane.show_occurrences(self.tr("looking…"), some=False)
            self._timer.start()

    @Slot()
    def _ask(self) -> None:
        if self._token is None or not self._pane.isVisible():
            return
        if self._text is not None and self._text[0] == self._prompt.editor.revision:
            self._find(*self._text)
        else:
            self._needs_text = True
            self._prompt.request_text()

    @Slot(int, object)
    def _on_text(self, revision: int, text: ChunkedText) -> None:
        if self._needs_text:
            self._needs_text = False
            self._text = (revision, text)
            self._find(revision, text)
        if self._edit is not None:
            (token, new_text), self._edit = self._edit, None
            self._weighing.submit(EditRequest(token.request.opened.encoding, token.token_id, new_text, text))

    def _find(self, revision: int, text: ChunkedText) -> None:
        if self._token is not None:
            special = self._prompt.special_as_tokens
            encoding, token_id = self._token.request.opened.encoding, self._token.token_id
            self._finding.submit(OccurrencesRequest(revision, text, encoding, special, token_id))

    @Slot(object)
    def _on_found(self, found: Occurrences) -> None:
        if found.request.revision != self._prompt.editor.revision or self._token is None:
            return
        if found.request.token_id != self._token.token_id:
            return
        self._occurrences = found
        count = len(found.utf16_starts)
        self._say(self.tr("once") if count == 1 else self.tr("{n} times") if count else self.tr("not there"), count)
        if self._step:
            step, self._step = self._step, 0
            self._on_step(step)

    def _say(self, words: str, count: int) -> None:
        self._pane.show_occurrences(words.format(n=figure(self._pane.locale(), count)), some=count > 0)

    @Slot(str)
    def _on_not_found(self, why: str) -> None:
        self._pane.show_occurrences(why, some=False)

    @Slot(int)
    def _on_step(self, direction: int) -> None:
        found = self._occurrences
        if found is None or found.request.revision != self._prompt.editor.revision:
            self._step = direction
            self._look_again()
            return
        count = len(found.utf16_starts)
        if not count:
            return
        first = self._current < 0 and direction < 0
        self._current = count - 1 if first else (self._current + direction) % count
        start, end = int(found.utf16_starts[self._current]), int(found.utf16_ends[self._current])
        self._prompt.editor.select_range(start, end)
        words = self.tr("{number} of {n}").format(number=figure(self._pane.locale(), self._current + 1), n="{n}")
        self._say(words, count)
        self.shown_in_prompt.emit()

    # --- edits --------------------------------------------------------------------------------------------------------

    @Slot()
    def _on_remove(self) -> None:
        self._begin("")

    @Slot()
    def _on_rename(self) -> None:
        assert self._token is not None
        dialog = QInputDialog(self._pane.window(), objectName="vocabRenameDialog")
        dialog.setWindowTitle(self.tr("Rename a special token"))
        dialog.setLabelText(self.tr("Text of token {id}").format(id=self._token.token_id))
        dialog.setTextValue(self._token.token_bytes.decode("utf-8", "replace"))
        dialog.setOkButtonText(self.tr("Continue"))
        dialog.textValueSelected.connect(self._begin)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _begin(self, new_text: str) -> None:
        assert self._token is not None
        self._edit = self._token, new_text
        self._prompt.request_text()

    @Slot(object)
    def _confirm(self, result: JobResult) -> None:
        """Ask whether to save an edit, with what it costs on the prompt."""
        outcome: EditOutcome = result.value
        request, write = outcome.request, lambda value: figure(self._pane.locale(), value)
        old, new = request.encoding.name, outcome.edited.name
        token = visible(request.encoding.token_info(request.token_id).token_bytes[:60])
        box = QMessageBox(self._pane.window(), objectName="vocabEditDialog")
        box.setTextFormat(Qt.TextFormat.PlainText)
        if request.new_text:
            box.setWindowTitle(self.tr("Rename a special token"))
            box.setText(self.tr("Rename “{old}” to “{new}”?").format(old=token, new=visible(request.new_text.encode())))
            words = self.tr("&Rename")
        else:
            box.setWindowTitle(self.tr("Remove an entry"))
            box.setText(self.tr("Remove “{token}” from {name}?").format(token=token, name=old))
            words = self.tr("&Remove")
        before, after = outcome.tokens_before, outcome.tokens_after
        cost = self.tr("Your prompt keeps its {n} tokens.").format(n=write(before))
        if before != after:
            share = 100 * (after - before) / max(1, before)
            cost = self.tr("Your prompt: {before} → {after} tokens ({share}%).").format(
                before=write(before), after=write(after), share=f"{share:+.1f}".replace("-", "−")
            )
        lines = [cost]
        if outcome.removed > 1:
            more = self.tr("{n} more entries go with it: nothing else is merged to them.")
            lines.append(more.format(n=write(outcome.removed - 1)))
        lines.append(self.tr("The result is saved as {new}; {old} stays as it is.").format(new=new, old=old))
        box.setInformativeText("\n".join(lines))
        agree = box.addButton(words, QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        agree.clicked.connect(lambda: self._saving.submit(outcome))
        box.finished.connect(box.deleteLater)
        box.open()

    @Slot(object)
    def _on_saved(self, result: JobResult) -> None:
        name = result.value
        self._notifier.withdraw(EDIT_FAILED)
        self._notifier.information(self.tr("Saved {name} among your tokenizers.").format(name=name), key=EDIT_FAILED)
        self.edited.emit(name)

    @Slot(object)
    def _on_edit_failed(self, failure: JobFailure) -> None:
        self._notifier.error(failure.why, key=EDIT_FAILED)

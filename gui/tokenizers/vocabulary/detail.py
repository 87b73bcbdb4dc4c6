"""Details of a token: facts, parents, occurrences in the prompt, merges, and the tokens built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import hexadecimal, visible
from gui.look.corner import plain_corner
from gui.look.fonts import fixed_font
from gui.look.plain_text import PlainLabel, plain_tip
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.tokenizers.merges.service import MergeForest, forest_of
from gui.tokenizers.merges.tree_view import MergeTreePane
from gui.tokenizers.vocabulary.table_model import FINDING_HINTS, FINDINGS, KINDS, TokenListModel, tr
from gui.widgets.layouts import PageTabs
from gui.widgets.token_pills import TokenHeading

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.vocabulary.entries.table import EntryTable
    from gui.tokenizers.vocabulary.service import TokenDetail

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
        self._make_places()
        self._make_actions()
        self.tree = MergeTreePane(theme)
        self.tree.view.setObjectName("vocabTree")
        self.tree.view.setAccessibleName(self.tr("Merges of the token from single bytes"))
        self.steps, self.step_model = self._list("vocabSteps", self.tr("Merges of the token, in order"))
        self.built, self.built_model = self._list("vocabBuilt", self.tr("Tokens merged from this one"))
        self._place()
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
        entries = detail.request.search.entries
        self._write(detail)
        self._show_links(detail, entries)
        if detail.tree is None:
            self.tree.show_forest(MergeForest(), hint=self.tr("This ID is unused."))
        else:
            self.tree.show_forest(forest_of([detail.tree]), hint="")
        self.step_model.set_tokens([step.token_id for step in detail.steps], lambda row: self._step_line(detail, row))
        children = detail.children if detail.children is not None else ()
        self.built_model.set_tokens(children, lambda row: self._entry_line(entries, int(children[row])))
        count = "" if detail.children is None else f" ({figure(self.locale(), len(detail.children))})"
        self.pages.setTabText(2, self.tr("Merged from it{count}").format(count=count))
        self.pages.setTabText(1, self.tr("Steps ({count})").format(count=figure(self.locale(), len(detail.steps))))

    def show_places(self, words: str, *, some: bool) -> None:
        """Show the number of occurrences in the prompt. ``some``: True if there are any to go to."""
        self.places.setText(words)
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
        said = {
            "id": f"{detail.token_id}{rank}",
            "bytes": hexadecimal(detail.token_bytes, 64),
            "length": self.tr("1 byte") if size == 1 else self.tr("{n} bytes").format(n=number(size)),
            "kind": self._kind(detail),
            "script": self._pending if detail.script is None else tr(detail.script),
            "reach": self._reach(detail),
            "built": self._built(detail),
            "remarks": self._remarks(detail),
        }
        for name, words in said.items():
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

    def _entry_line(self, entries: EntryTable, token_id: int) -> str:
        return f"{token_id}  {self._text(entries.token_bytes(token_id), 60)}"

    def _step_line(self, detail: TokenDetail, row: int) -> str:
        entries, step = detail.request.search.entries, detail.steps[row]
        left, right, made = (
            self._text(entries.token_bytes(one), 40) for one in (step.left_id, step.right_id, step.token_id)
        )
        return f"{row + 1}.  {left} + {right} → {made}   ({step.left_id} + {step.right_id} → {step.token_id})"

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
        label = QLabel(objectName=name)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
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
        label.setProperty("role", "tableQuiet")
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

    def _make_places(self) -> None:
        self.places = self._words("vocabPlaces")
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
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.places, 1)
        row.addWidget(self.previous)
        row.addWidget(self.next)
        self._add_row(len(self._facts) + 1, self.tr("In the prompt"), holder)

    def _make_actions(self) -> None:
        """Create the buttons for entries of the user's own encodings; ``VocabularyEditing`` shows them."""
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

    def _list(self, name: str, accessible: str) -> tuple[QListView, TokenListModel]:
        view, model = QListView(objectName=name), TokenListModel(self)
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
        self.token_asked.emit(index.model().id_at(index.row()))

    def _place(self) -> None:
        self.pages = PageTabs("vocabDetailPages", self.tr("Tree, steps and tokens merged from it"))
        for page, title in ((self.tree, self.tr("Tree")), (self.steps, ""), (self.built, "")):
            self.pages.addTab(page, title)
        self.letters = QCheckBox(
            self.tr("Show bytes GPT-&2 style (Ġ for a space, Ċ for a newline)"), objectName="vocabLetters"
        )
        self.letters.toggled.connect(self._on_letters)
        page = QWidget()
        body = QVBoxLayout(page)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(8)
        body.addLayout(self._grid)
        body.addWidget(self.pages, 1)
        self.pages.setMinimumHeight(self.fontMetrics().lineSpacing() * MIN_LINES)
        self._scroll = QScrollArea(objectName="vocabDetailScroll")
        self._scroll.setAccessibleName(self.tr("Facts about the token"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls with the focus
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setCornerWidget(plain_corner(self._scroll))
        self._scroll.setWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.hint, 1)
        column.addWidget(self.heading)
        column.addLayout(self._actions)
        column.addWidget(self._scroll, 1)
        column.addWidget(self.letters)

    @property
    def tab_order(self) -> tuple[QWidget, ...]:
        """The controls in tab order, which is the visual order."""
        pages = (self.pages.tabBar(), self.tree.view, self.steps, self.built)
        return (self.remove, self.rename, *self.links, self.previous, self.next, *pages, self.letters)

"""What would have to go for a folder to fit, to be confirmed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget

from gui.core.token_text import visible_line
from gui.models.training_text import TrainingText

if TYPE_CHECKING:
    from gui.files.file_choice import Proposal
    from gui.files.file_tree import FileTree

MOST_LISTED = 200
LINES = 5


class FitProposal(QFrame):
    """Lists what to drop. Hidden until there is a proposal.

    Signals: ``taken(Proposal)``; ``left()``: it was declined, and so is another one that is to come in its place.
    """

    taken = Signal(object)
    left = Signal()

    def __init__(self, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._text = text
        self.proposal: Proposal | None = None
        self.words = QLabel(objectName="filesProposal")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.list = QListWidget(objectName="filesProposed")
        self.list.setAccessibleName(self.tr("What would be unchecked"))
        self.list.setMaximumHeight(self.fontMetrics().height() * (LINES + 1))
        self.take = QPushButton(self.tr("&Uncheck these"), objectName="filesTake")
        self.leave = QPushButton(self.tr("Leave it"), objectName="filesLeave")
        row = QHBoxLayout()
        row.addWidget(self.words, 1)
        row.addWidget(self.take)
        row.addWidget(self.leave)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.addLayout(row)
        column.addWidget(self.list)
        self.take.clicked.connect(self._on_taken)
        self.leave.clicked.connect(self._on_left)
        self.hide()

    @property
    def there(self) -> bool:
        """Whether a proposal is shown, be it outdated."""
        return not self.isHidden()

    def outdate(self) -> None:
        """What is shown cannot be taken any more; another one will be shown."""
        self.proposal = None

    def propose(self, tree: FileTree, proposal: Proposal) -> None:
        """Show a proposal."""
        self.proposal = proposal
        write, number = self._text.number, len(proposal.nodes)
        limit = write(proposal.limit)
        if not number:
            words = self.tr("What is checked fits: {left} of {limit} tokens.").format(
                left=write(proposal.left), limit=limit
            )
        else:
            words = self.tr(
                "To fit into {limit} tokens, uncheck {what} with {dropped} tokens; {left} are left."
            ).format(
                limit=limit,
                what=self._what(tree, proposal),
                dropped=write(proposal.dropped),
                left=write(proposal.left),
            )
        self.words.setText(words)
        self.list.clear()
        for node in proposal.nodes[:MOST_LISTED]:
            tokens = write(int(tree.node_tokens[0, node]))
            path = visible_line(str(tree.path_of(node)))
            self.list.addItem(self.tr("{path}  ({tokens} tokens)").format(path=path, tokens=tokens))
        if number > MOST_LISTED:
            self.list.addItem(self.tr("and {n} more").format(n=write(number - MOST_LISTED)))
        self.list.setVisible(number > 0)
        self.take.setVisible(number > 0)
        self.show()

    def take_focus(self) -> None:
        """Begin in the button that is most likely wanted."""
        (self.leave if self.take.isHidden() else self.take).setFocus()

    def _what(self, tree: FileTree, proposal: Proposal) -> str:
        """How many folders and files."""
        files = tree.how_many_files(proposal.nodes)
        folders = len(proposal.nodes) - files
        parts = []
        if folders:
            words = self.tr("1 folder") if folders == 1 else self.tr("{n} folders")
            parts.append(words.format(n=self._text.number(folders)))
        if files:
            words = self.tr("1 file") if files == 1 else self.tr("{n} files")
            parts.append(words.format(n=self._text.number(files)))
        return self.tr(" and ").join(parts)

    @Slot()
    def withdraw(self) -> None:
        """Take the proposal away."""
        self.proposal = None
        self.hide()

    @Slot()
    def _on_left(self) -> None:
        self.withdraw()
        self.left.emit()

    @Slot()
    def _on_taken(self) -> None:
        proposal = self.proposal
        if proposal is not None:
            self.withdraw()
            self.taken.emit(proposal)

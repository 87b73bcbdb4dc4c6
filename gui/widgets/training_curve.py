"""Curve of a training run: bytes per token by vocabulary size, and the merge rate.

pyqtgraph is imported when a curve is first drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from gui.look import focus_ring
from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn, WhenShown
from gui.runtime.loading import Loading
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from engine.training.types import TrainingCurve, TrainingProgress

MAX_POINTS = 1000


class RateSeries:
    """Merges per second by vocabulary size, oldest first. Halves its resolution when it is full."""

    def __init__(self, most_points: int = MAX_POINTS) -> None:
        self._most = most_points
        self._sizes: list[int] = []
        self._rates: list[float] = []
        self._pending: list[tuple[int, float]] = []
        self._stride = 1

    @property
    def sizes(self) -> list[int]:
        """Vocabulary sizes, ascending."""
        return self._sizes

    @property
    def rates(self) -> list[float]:
        """Merges per second at each size: the mean since the previous point."""
        return self._rates

    def clear(self) -> None:
        """Reset for another run."""
        self._sizes, self._rates, self._pending, self._stride = [], [], [], 1

    def add(self, vocab_size: int, rate: float) -> None:
        """Add a measurement. It replaces the last one if the vocabulary size is the same."""
        if self._pending and self._pending[-1][0] == vocab_size:
            self._pending.pop()
        elif not self._pending and self._sizes and self._sizes[-1] == vocab_size:
            self._rates[-1] = rate
            return
        self._pending.append((vocab_size, rate))
        if len(self._pending) < self._stride:
            return
        self._sizes.append(vocab_size)
        self._rates.append(sum(rate for _size, rate in self._pending) / len(self._pending))
        self._pending = []
        if len(self._sizes) >= self._most:
            self._sizes = self._sizes[1::2]
            pairs = zip(self._rates[::2], self._rates[1::2], strict=False)
            self._rates = [(first + second) / 2 for first, second in pairs]
            self._stride *= 2


REDRAW_MS = 200
"""Interval within which points are drawn together."""


class TrainingCurveView(QWidget):
    """Two plots over one axis of vocabulary sizes, with the latest values as accessible text."""

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trainCurve")
        self.setAccessibleName(self.tr("Bytes per token by vocabulary size"))
        self._references: tuple[tuple[str, float], ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._at: int | None = None
        self._theme, self._text = theme, text
        self._curve: TrainingCurve | None = None
        self._vocab_size = 0
        self.rates = RateSeries()
        self._plots: Any = None
        self._loading, self._was_asked = Loading(self), False
        self._hint = PlainLabel(self.tr("The curve starts with the first merge."), wordWrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(*4 * (focus_ring.WIDTH,))
        self._body.addWidget(self._hint, 1)
        self._redraw = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._turn = PlotTurn(theme, self, self._draw)
        self.set_references(())
        self._redraw.timeout.connect(self._turn.ask)
        theme.changed.connect(WhenShown(self, self._turn.ask).ask)

    def clear(self) -> None:
        """Reset for another run."""
        self._curve = self._at = None
        self.rates.clear()
        self._describe()
        self._draw()

    def add(self, progress: TrainingProgress, curve: TrainingCurve) -> None:
        """Draw the current point of a run, soon or when the curve is next shown."""
        if progress.stage == "merging" and progress.merges:
            self.rates.add(progress.vocab_size, progress.rate)
        self.show_curve(curve, progress.vocab_size - progress.merges + progress.merges_wanted)

    def show_curve(self, curve: TrainingCurve, vocab_size: int) -> None:
        """Draw this curve, soon or when it is next shown; ``vocab_size`` is the end of its axis."""
        self._curve = curve
        self._vocab_size = vocab_size
        self._describe()
        if self._plots is None and self.isVisible():
            self._load()
        elif not self._redraw.isActive():
            self._redraw.start()

    @Slot(object)
    def set_references(self, references: Sequence[tuple[str, float]]) -> None:
        """Draw other encodings as dashed reference lines: their names, and bytes per token on the evaluated texts."""
        self._references = tuple(references)
        tip = self.tr("Use the arrow keys, Page Up, Page Down, Home and End to move along the curve")
        if self._references:
            tip += "\n" + self.tr("Dashed lines: other encodings on the texts of the last evaluation")
        self.setToolTip(tip)
        self._describe()
        if self._curve is not None and not self._redraw.isActive():
            self._redraw.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._plots is not None:
            self._turn.ask_later()
        elif self._curve is not None:
            self._load()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move along the curve by points or by tenths; the point is announced."""
        last = len(self._curve.vocab_sizes) - 1 if self._curve is not None else -1
        tenth = max(1, last // 10)
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageUp: -tenth,
            Qt.Key.Key_PageDown: tenth,
            Qt.Key.Key_Home: -last,
            Qt.Key.Key_End: last,
        }
        if self._plots is None or self._plots.isHidden() or event.key() not in steps:
            super().keyPressEvent(event)
            return
        before = last if self._at is None else self._at
        self._at = min(max(before + steps[event.key()], 0), last)
        self._plots.mark(self._at)
        self._describe()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._at = None
        self._describe()
        if self._plots is not None:
            self._plots.unmark()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._turn.ask()

    def _describe(self) -> None:
        curve = self._curve
        if curve is None or not len(curve.vocab_sizes):
            self.setAccessibleDescription("")
            return
        at = -1 if self._at is None else self._at
        size, density = int(curve.vocab_sizes[at]), float(curve.bytes_per_token[at])
        words = [self.words(size, density)]
        words += [
            self.tr("{name}: {density}").format(name=name, density=self._text.decimal(reference))
            for name, reference in self._references
        ]
        self.setAccessibleDescription(", ".join(words))

    def words(self, vocab_size: int, density: float) -> str:
        """Return a point of the curve in words."""
        return self.tr("{size} entries: {density} bytes per token").format(
            size=self._text.number(vocab_size), density=self._text.decimal(density)
        )

    def _load(self) -> None:
        if not self._was_asked:
            self._was_asked = True
            self._hint.setText(self.tr("Loading the curve…"))
            self._loading.when_loaded(("gui.widgets.plots",), self._make_plots)

    @Slot()
    def _make_plots(self) -> None:
        try:
            from gui.widgets.plots import TrainingPlots
        except ImportError as error:  # not retried for every point
            self._hint.setText(self.tr("Could not draw the curve: {reason}").format(reason=error))
            return
        self._plots = TrainingPlots(self._theme, self._text, self)
        self._plots.hide()
        self._plots.point_hovered.connect(self._on_hovered)
        self._body.addWidget(self._plots, 1)
        self._redraw.start()  # not at once: creating, showing and drawing in one go would block the window

    @Slot()
    def _draw(self) -> None:
        self._redraw.stop()
        if self._plots is None:
            return
        curve = self._curve
        known = curve is not None and len(curve.vocab_sizes) > 0
        self._plots.setVisible(known)
        self._hint.setVisible(not known)
        if not known:
            self._hint.setText(self.tr("The curve starts with the first merge."))
        elif self.isVisible():
            self._plots.draw(curve, self.rates, self._vocab_size, self._references)

    @Slot(object, QPointF)
    def _on_hovered(self, point: tuple[int, float] | None, position: QPointF) -> None:
        if point is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(position.toPoint(), self.words(*point), self._plots)

"""Background compilation of the program's own kernels, which count from then on.

Nothing waits for it: counting starts with tiktoken's encoder and stays with it if the compilation fails.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.encoding import compiling
from engine.encoding.compiling import ENCODE
from engine.encoding.encoder_choice import EncoderChoice
from engine.runtime import caches
from gui.runtime.jobs import JobCancelled, JobFailure, JobResult, JobRunner, Ticket

PATIENCE_MS = 3000
"""Delay between the first counts and the compilation, so that a short-lived window compiles nothing and startup stays
responsive."""


OTHERS = "others"
"""Requests all kernel families except the one used for counting."""


class KernelBuild(QObject):
    """Background build of the kernels, and their activation.

    Signals: ``taken_over()`` when our kernels count; ``failed(str, str)`` with a sentence for the user and details.
    """

    taken_over = Signal()
    failed = Signal(str, str)

    def __init__(self, runner: JobRunner, folder: Path, parent: QObject | None = None) -> None:
        """``folder``: cache of compiled kernels."""
        super().__init__(parent)
        self.use = use = EncoderChoice(folder)
        self._begun = False
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self.begin)
        self._lane = runner.background(self.tr("Compiling"), functools.partial(_build, use))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def begin_soon(self) -> None:
        """Schedule the build. Only the first call has an effect."""
        if not self._begun and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def begin(self) -> None:
        """Start the build. Only the first call has an effect, so a failure is not repeated."""
        if not self._begun:
            self._begun = True
            self._timer.stop()
            self._lane.submit(ENCODE)

    @property
    def busy(self) -> bool:
        """True while kernels are being compiled or loaded."""
        return self._lane.busy

    @staticmethod
    def release_pages() -> None:
        """Drop encoder caches and release the memory pages of vocabulary tables and of the compiler; all are restored
        on use. Thread-safe."""
        caches.drop_all()
        if "engine.vocabulary.tables" in sys.modules:  # loaded with the first kernels
            from engine.vocabulary.tables import release_pages

            release_pages()
            caches.release_code(caches.COMPILER)

    def description(self) -> str:
        """Return a short description of the active encoder."""
        if self.use.active:
            return self.tr("Tokenloupe's own, compiled for this computer")
        if self.busy:
            return self.tr("tiktoken's, while Tokenloupe's own is compiled")
        return self.tr("tiktoken's")

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if result.request == ENCODE and self.use.active:
            self.taken_over.emit()
            self._lane.submit(OTHERS)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        if failure.request != ENCODE:
            return  # the error recurs and is reported where these kernels are used
        self.use.stop_waiting()
        self.failed.emit(
            self.tr(
                "Tokenloupe's own, faster encoder is unavailable: {why}. tiktoken keeps counting, with the same "
                "results; the next start tries again."
            ).format(why=failure.why.rstrip(".")),
            getattr(failure.error, "details", ""),
        )


def _build(use: EncoderChoice, request: str, ticket: Ticket) -> None:
    """Compile missing kernels in a child process, since it takes long and would hold the GIL; then activate the
    encoder. On a worker thread. Raises CompilingFailedError, and any error of loading the compiled code."""
    if compiling.keeps_nothing(use.folder):
        return

    def cancel_check() -> None:
        if ticket.cancelled:
            raise JobCancelled

    if request == ENCODE:
        if not use.active:
            compiling.compile_in_child(use.folder, [ENCODE], cancel_check)
        use.take_over()
        return
    missing = [family for family in compiling.FAMILIES if not compiling.is_compiled(use.folder, family)]
    if missing:
        compiling.compile_in_child(use.folder, missing, cancel_check)

"""Compiles our own kernels while the window is in use, and has them count from then on.

Nothing waits for it: counting begins with tiktoken's encoder, and goes on with it where anything goes wrong.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from engine.encoding import compiling
from engine.encoding.compiling import ENCODE
from engine.encoding.kernel_use import KernelUse
from engine.runtime import caches
from gui.runtime.jobs import JobCancelled, JobFailure, JobResult, JobRunner, Ticket

PATIENCE_MS = 3000
"""How long after the first counts compiling begins. A window that is opened for a moment does without, and the first
seconds belong to whoever opened it."""


OTHERS = "others"
"""Asks for all families of kernels but the one that counts."""


class KernelBuild(QObject):
    """Signals: ``taken_over()`` when our own kernels count; ``failed(str, str)``: a sentence for the user on why they
    will not, and details."""

    taken_over = Signal()
    failed = Signal(str, str)

    def __init__(self, runner: JobRunner, folder: Path, parent: QObject | None = None) -> None:
        """``folder``: where compiled kernels are kept."""
        super().__init__(parent)
        self.use = use = KernelUse(folder)
        self._begun = False
        self._timer = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timer.timeout.connect(self.begin)
        self._lane = runner.background(self.tr("Compiling"), functools.partial(_build, use))
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)

    @Slot()
    def begin_soon(self) -> None:
        """Begin when the window has been in use for a while. Once; further calls do nothing."""
        if not self._begun and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def begin(self) -> None:
        """Begin. Once; further calls do nothing, so that what failed is not tried again and again."""
        if not self._begun:
            self._begun = True
            self._timer.stop()
            self._lane.submit(ENCODE)

    @property
    def busy(self) -> bool:
        """Whether kernels are being compiled or loaded."""
        return self._lane.busy

    @staticmethod
    def release_pages() -> None:
        """Let go of what encoders keep for the next text, and of the pages of vocabularies' tables and of the compiler,
        all of which comes back where it is used. Safe from any thread."""
        caches.let_go_of_all()
        if "engine.vocabulary.tables" in sys.modules:  # with the first kernels
            from engine.runtime.library_pages import COMPILER, release_code
            from engine.vocabulary.tables import release_pages

            release_pages()
            release_code(COMPILER)

    def description(self) -> str:
        """Which encoder counts, in a few words."""
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
            return  # whoever uses them meets it again, and says what it means there
        self.failed.emit(
            self.tr(
                "Tokenloupe's own, faster encoder is unavailable: {why}. tiktoken keeps counting, with the same "
                "results; the next start tries again."
            ).format(why=failure.why.rstrip(".")),
            getattr(failure.error, "details", ""),
        )


def _build(use: KernelUse, request: str, ticket: Ticket) -> None:
    """Compile what is not yet compiled, in a child process: it takes long and would keep the interpreter. What counts
    is then used. On a worker thread. CompilingFailedError, or whatever loading the compiled code raises."""
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

"""Gives the window its dialogs about tokenizers, and takes what is dropped on it. Made with the first picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from gui.widgets.dropped_files import DroppedFiles

if TYPE_CHECKING:
    from gui.tokenizers.library.controller import TokenizerFlow
    from gui.workbench import Workbench


class TokenizerWiring(QObject):
    """What has to do with tokenizers is made when somebody first asks for it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._flow: TokenizerFlow | None = None
        DroppedFiles(bench.window).dropped.connect(self.take_dropped)
        bench.panel.editor.files_dropped.connect(self._on_names_dropped)

    @property
    def flow(self) -> TokenizerFlow | None:
        """What does it all; None before there is a list of encodings."""
        bench = self._bench
        if self._flow is None and bench.encodings is not None and bench.runner is not None:
            from gui.tokenizers.library.controller import TokenizerFlow

            self._flow = TokenizerFlow(bench, bench.runner)
        return self._flow

    @Slot()
    def choose(self) -> None:
        """Ask for a tokenizer file, and show what is in it."""
        if self.flow is not None:
            self.flow.choose()

    @Slot()
    def manage(self) -> None:
        """Show the user's own tokenizers."""
        if self.flow is not None:
            self.flow.manage()

    @Slot(list)
    def _on_names_dropped(self, names: list[str]) -> None:
        self.take_dropped([Path(name) for name in names])

    @Slot(list)
    def take_dropped(self, paths: list[Path]) -> None:
        """Tokenizers are imported, folders counted; other files are for the prompt."""
        from gui.core.local_tokenizers import looks_like_tokenizer

        flow = self.flow
        tokenizers = [path for path in paths if flow is not None and looks_like_tokenizer(path)]
        if flow is not None and tokenizers:
            flow.open_paths(tokenizers)
        folders = [path for path in paths if path.is_dir()]
        if self._bench.folders is not None and folders:
            self._bench.folders.count_paths(folders)
            tokenizers += folders
        self._bench.files.open_paths([path for path in paths if path not in tokenizers])

"""Make the pictures of the README: ``python packaging/take_screenshots.py``.

A window on a fresh profile, with the sample prompt, in the light and the dark theme. Needs a screen (or Xvfb: the
picture is then the same, with the fonts of that machine).
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QTableView

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZE = (1280, 860)
SETTLE_MS = 1500
"""After the last figure: for bars, marks and scroll bars to come to rest."""


def wait(milliseconds: int) -> None:
    """Let the event loop run."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def take(theme: str, target: Path) -> None:
    """One picture in one theme."""
    from gui.app import create_window
    from gui.paths import profile_paths
    from gui.workbench import Workbench

    with tempfile.TemporaryDirectory() as folder:
        paths = profile_paths(Path(folder))
        paths.settings_file.write_text(json.dumps({"theme": theme}), encoding="utf-8")
        window = create_window(Path(folder))
        bench = window.findChild(Workbench)
        window.resize(*SIZE)
        window.show()
        table = window.findChild(QTableView, "costTable")
        while table.model().rowCount() < 10 or bench.prompt.stale or bench.runner.busy:
            wait(50)
        wait(SETTLE_MS)
        window.grab().save(str(target))
        window.close()
        wait(50)


def main() -> None:
    """Both pictures."""
    app = QApplication(["tokenloupe", "-style", "fusion"])
    for theme in ("light", "dark"):
        take(theme, ROOT / "docs" / f"window-{theme}.png")
    app.quit()


if __name__ == "__main__":
    main()

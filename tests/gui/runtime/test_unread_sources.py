"""Sources of modules stay unread when a window is made."""

from __future__ import annotations

import subprocess
import sys

from gui.runtime.pyside_workarounds import SOURCES_ARE_UNREAD

WHAT_IS_READ = """
import linecache
from gui.runtime.display_check import why_no_window
why_no_window()
import gui.app
import gui.tokenizers.train.panel
from PySide6.QtWidgets import QWidget
read = [name for name, kept in linecache.cache.items() if len(kept) > 1]
print(sum("tokenizers/train" in name or "main_window" in name for name in read), len(read))
assert hasattr(QWidget, "setWindowTitle") and not hasattr(QWidget, "set_window_title")
"""


def test_no_source_is_read_behind_the_first_import_of_qt():
    ended = subprocess.run([sys.executable, "-c", WHAT_IS_READ], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    ours, all_of_them = map(int, ended.stdout.split())
    assert ours == 0
    assert all_of_them < 5  # a window reads 300 else


def test_the_versions_that_this_program_takes_are_of_that_kind():
    assert SOURCES_ARE_UNREAD

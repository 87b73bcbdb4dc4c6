"""The former place of ``gui.services.file_writing``."""

from __future__ import annotations

from gui.services.file_writing import set_aside, write_atomic

__all__ = ["set_aside", "write_atomic"]

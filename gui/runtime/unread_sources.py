"""Keeps Qt for Python from reading the source of every module that is imported; done by importing this.

From its own import on, it has each module that comes later read by ``inspect``, to see whether the text says "PySide6":
only for such modules it looks at which features they ask for (``from __feature__ import snake_case``). ``inspect``
keeps the lines of all that it reads until the end. With the compiler behind the kernels that came to 1,200 files and
36 MB of small strings, and to a sixth of the time that imports take; where there are no sources, as in the packaged
program, all loaded modules were searched for each. No module here asks for a feature, so each can be taken for one that
says PySide6.
"""

from __future__ import annotations

import sys

import PySide6.QtCore  # noqa: F401 - brings the module that is changed below

_ASKED_OF_A_MODULE = "_mod_uses_pyside"
"""Of the module below, which belongs to no public interface: where it is not there, sources are read as ever."""


def leave_sources_unread() -> bool:
    """Have it done so from now on. False where this version of Qt for Python does it in another way."""
    feature = sys.modules.get("shibokensupport.feature")
    if not hasattr(feature, _ASKED_OF_A_MODULE):
        return False
    setattr(feature, _ASKED_OF_A_MODULE, lambda _module: True)
    return True


SOURCES_ARE_UNREAD = leave_sources_unread()

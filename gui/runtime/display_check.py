"""Whether a window can be opened here, found out before Qt is asked: Qt ends the process where it cannot. No Qt at
import.

The answer is one sentence: what is missing, what to install, and which command serves without a window.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NEEDS_NO_DISPLAY = frozenset({"offscreen", "minimal", "vnc", "linuxfb", "eglfs", "minimalegl", "vkkhrdisplay"})


def why_no_window(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str | None:
    """Why no window can be opened, as a sentence without a full stop; None where one can."""
    environment = os.environ if environment is None else environment
    missing = _missing_library()
    if missing is not None:
        return missing
    if not platform.startswith(("linux", "freebsd")):
        return None
    chosen = environment.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if chosen in NEEDS_NO_DISPLAY:
        return None
    wayland, x11 = environment.get("WAYLAND_DISPLAY"), environment.get("DISPLAY")
    if not wayland and not x11:
        return f"there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; {_instead()}"
    from gui.runtime.x_display import (  # Not for those who ask for no display: it loads sockets.
        REFUSED,
        WELCOME,
        ask_display,
    )

    if wayland and chosen in {"", "wayland"} and _wayland_answers(wayland, environment):
        missing = _missing_plugin_library("wayland")
        if missing is None or not x11 or chosen:
            return missing
        # Qt now tries X11.
    if x11 and chosen in {"", "xcb"}:
        answer = ask_display(x11, environment)
        if answer == WELCOME:
            return _missing_plugin_library("xcb")
        if answer == REFUSED:
            return f"the display {x11} does not let this user in (`xauth` and `xhost` decide that); {_instead()}"
    named = x11 if x11 and chosen != "wayland" else wayland
    return f"the display {named} does not answer; {_instead()}"


def _instead() -> str:
    from gui.core.about import (
        own_command,  # Not for those who have a display: it loads what packages say of themselves.
    )

    program = own_command()
    return f"without a window, `{program} count FILE` counts tokens and `{program} cost FILE` prices them"


def _missing_library() -> str | None:
    """What Qt itself needs of the system."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ModuleNotFoundError as error:
        return f"Qt is not installed ({error}): `pip install .` installs what the program needs; {_instead()}"
    except ImportError as error:
        return _with_advice("Qt cannot be loaded", error)
    return None


def _missing_plugin_library(platform: str) -> str | None:
    """What Qt's plugin for X11 (``xcb``) or ``wayland`` needs of the system. Loading it here costs nothing: Qt would
    load it next."""
    import ctypes
    from importlib.util import find_spec

    found = find_spec("PySide6")
    if found is None or not found.submodule_search_locations:
        return None
    plugin = Path(found.submodule_search_locations[0], "Qt", "plugins", "platforms", f"libq{platform}.so")
    if not plugin.exists():
        return None  # A system's own PySide6 keeps its plugins elsewhere, and its libraries come with it.
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return _with_advice(f"Qt cannot open windows on {'X11' if platform == 'xcb' else 'Wayland'}", error)
    return None


def _with_advice(what: str, error: Exception) -> str:
    """Return what fails and why, with all missing packages, so that one installation is enough."""
    from gui.runtime.system_libraries import missing_packages

    library, _, why = str(error).partition(":")
    packages = " ".join(missing_packages()) if "cannot open shared object file" in why else ""
    if not packages:
        return f"{what} ({' '.join(str(error).split())}); {_instead()}"
    return f"{what}, {library} is missing: on Debian or Ubuntu `apt install {packages}`; {_instead()}"


def _wayland_answers(name: str, environment: Mapping[str, str]) -> bool:
    from gui.runtime.x_display import connect_unix

    path = name if name.startswith("/") else str(Path(environment.get("XDG_RUNTIME_DIR", "/"), name))
    connection = connect_unix(path)
    if connection is None:
        return False
    connection.close()
    return True

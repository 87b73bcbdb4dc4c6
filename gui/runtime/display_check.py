"""Check that a window can be opened, done before Qt starts, since Qt ends the process on failure. No Qt at import.

The result is one sentence: what is missing, what to install, and which command works without a window.

A desktop has the system libraries that Qt loads, a bare server may not. ``python -m gui.runtime.display_check`` prints
their missing Debian packages; it needs the standard library alone, so it runs before anything is installed.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

NEEDS_NO_DISPLAY = frozenset({"offscreen", "minimal", "vnc", "linuxfb", "eglfs", "minimalegl", "vkkhrdisplay"})


def why_no_window(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str | None:
    """Return why no window can be opened, as a sentence without a full stop; None if one can."""
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

    if wayland and chosen in {"", "wayland"} and _wayland_answers(wayland, environment):
        missing = _missing_plugin_library("wayland")
        if missing is None or not x11 or chosen:
            return missing
        # Qt tries X11 next.
    if x11 and chosen in {"", "xcb"}:
        answer = ask_display(x11, environment)
        if answer == WELCOME:
            return _missing_plugin_library("xcb")
        if answer == REFUSED:
            return f"the display {x11} does not let this user in (`xauth` and `xhost` decide that); {_instead()}"
    named = x11 if x11 and chosen != "wayland" else wayland
    return f"the display {named} does not answer; {_instead()}"


def _instead() -> str:
    from gui.core.about import own_command  # imported late: reads package metadata, which is slow

    program = own_command()
    return f"without a window, `{program} count FILE` counts tokens and `{program} cost FILE` prices them"


def _missing_library() -> str | None:
    """Return which library Qt itself lacks; None if it loads."""
    try:
        import gui.runtime.pyside_workarounds  # noqa: F401, I001 - first, since it affects later imports
        import PySide6.QtWidgets  # noqa: F401
    except ModuleNotFoundError as error:
        return f"Qt is not installed ({error}): `pip install .` installs what the program needs; {_instead()}"
    except ImportError as error:
        return _with_advice("Qt cannot be loaded", error)
    return None


def _missing_plugin_library(platform: str) -> str | None:
    """Return which library Qt's plugin for X11 (``xcb``) or ``wayland`` lacks; None if it loads. Costs nothing: Qt
    would load the plugin next."""
    from importlib.util import find_spec

    found = find_spec("PySide6")
    if found is None or not found.submodule_search_locations:
        return None
    plugin = Path(found.submodule_search_locations[0], "Qt", "plugins", "platforms", f"libq{platform}.so")
    if not plugin.exists():
        return None  # A distribution's own PySide6 has its plugins elsewhere; its package depends on their libraries.
    import ctypes

    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return _with_advice(f"Qt cannot open windows on {'X11' if platform == 'xcb' else 'Wayland'}", error)
    return None


def _with_advice(what: str, error: Exception) -> str:
    """Return what fails and why, with all missing packages, so that one installation is enough."""
    library, _, why = str(error).partition(":")
    packages = " ".join(missing_packages()) if "cannot open shared object file" in why else ""
    if not packages:
        return f"{what} ({' '.join(str(error).split())}); {_instead()}"
    return f"{what}, {library} is missing: on Debian or Ubuntu `apt install {packages}`; {_instead()}"


def _wayland_answers(name: str, environment: Mapping[str, str]) -> bool:
    path = name if name.startswith("/") else str(Path(environment.get("XDG_RUNTIME_DIR", "/"), name))
    connection = connect_unix(path)
    if connection is None:
        return False
    connection.close()
    return True


# --- asking an X display ----------------------------------------------------------------------------------------------
#
# See "Connection Setup" in the X protocol and the format of ``.Xauthority`` files (Xau). Only MIT-MAGIC-COOKIE-1 is
# tried; an X server that answers with another authentication method is assumed to accept us.


ABSENT = "absent"
REFUSED = "refused"
WELCOME = "welcome"

FIRST_PORT = 6000
CONNECT_SECONDS = 2.0
COOKIE = b"MIT-MAGIC-COOKIE-1"
_REFUSAL = b"\0"


def ask_display(display: str, environment: Mapping[str, str]) -> str:
    """Connect to ``[host]:number[.screen]``; return ``ABSENT`` if nothing listens, ``REFUSED``, or ``WELCOME``."""
    host, colon, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not colon or not number.isdigit():
        return ABSENT
    answer = ABSENT
    for cookie in (*_cookies(number, environment), b""):
        connection = _connect(host, int(number))
        if connection is None:
            return ABSENT
        with connection:
            answer = _greet(connection, cookie)
        if answer == WELCOME:
            break
    return answer


def _connect(host: str, number: int) -> socket.socket | None:
    import socket

    if host not in {"", "unix"} and not host.startswith("/"):
        try:
            return socket.create_connection((host, FIRST_PORT + number), CONNECT_SECONDS)
        except OSError:
            return None
    usual = f"/tmp/.X11-unix/X{number}"
    for path in [f"{host}:{number}"] if host.startswith("/") else ["\0" + usual, usual]:
        connection = connect_unix(path)
        if connection is not None:
            return connection
    return None


def connect_unix(path: str) -> socket.socket | None:
    """Return a connection to a local socket, None if nothing listens."""
    import socket  # takes 3 ms, and platforms without a display do not need it

    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(CONNECT_SECONDS)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection


def _greet(connection: socket.socket, cookie: bytes) -> str:
    name = COOKIE if cookie else b""
    head = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(name), len(cookie))
    try:
        connection.sendall(head + _padded(name) + _padded(cookie))
        answer = connection.recv(1)
    except OSError:
        return ABSENT
    if not answer:
        return ABSENT
    return REFUSED if answer == _REFUSAL else WELCOME


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _cookies(number: str, environment: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the cookies for a display number."""
    path = Path(environment.get("XAUTHORITY") or Path(environment.get("HOME", "/"), ".Xauthority"))
    try:
        data = path.read_bytes()
    except OSError:
        return
    offset = 0
    while offset + 2 <= len(data):
        offset += 2  # skip the address family; each matching cookie is tried
        fields = []
        for _ in ("address", "number", "name", "data"):
            if offset + 2 > len(data):
                return
            (length,) = struct.unpack_from(">H", data, offset)
            fields.append(data[offset + 2 : offset + 2 + length])
            offset += 2 + length
        if fields[1] in (number.encode(), b"") and fields[2] == COOKIE and fields[3]:
            yield fields[3]


# --- system libraries -------------------------------------------------------------------------------------------------

PACKAGES = {
    # Qt itself
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    # its plugin for X11
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    # its plugin for Wayland
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
"""The package of each library, by its name in Debian 12."""
RENAMED = {"libglib2.0-0": "libglib2.0-0t64"}
"""Package names since the transition to 64-bit time: Debian 13, Ubuntu 24.04."""
FONTS = "fonts-dejavu-core"

_DPKG = Path("/var/lib/dpkg/info")
_FONT_FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("~/.local/share/fonts"),
    Path("~/.fonts"),
)
_FONT_FILES = frozenset({".ttf", ".otf", ".ttc", ".pfb", ".pcf", ".gz"})


def missing_packages() -> list[str]:
    """Return the missing Debian packages that Qt needs, and a font package if there is no font."""
    names = RENAMED if has_long_times() else {}
    packages = [names.get(package, package) for library, package in PACKAGES.items() if not can_load(library)]
    if not has_font():
        packages.append(FONTS)
    return list(dict.fromkeys(packages))


def can_load(library: str) -> bool:
    """Return True if a library and its dependencies can be loaded. Loads it."""
    import ctypes

    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_long_times(dpkg: Path = _DPKG) -> bool:
    """Return True if the system's packages use 64-bit time: many are then named for it."""
    return next(dpkg.glob("*t64*.list"), None) is not None


def has_font(folders: tuple[Path, ...] = _FONT_FOLDERS) -> bool:
    """Return True if the font folders contain a font."""
    return any(file.suffix.lower() in _FONT_FILES for folder in folders for file in _expanded(folder).rglob("*"))


def _expanded(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # The home folder is unknown.
        return folder


if __name__ == "__main__":
    sys.stdout.write(" ".join(missing_packages()) + "\n")

"""System libraries that Qt loads, and their Debian packages. No Qt.

A desktop has them, a bare server may not. ``python -m gui.runtime.system_libraries`` prints the missing packages.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

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
    import sys

    sys.stdout.write(" ".join(missing_packages()) + "\n")

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import PySide6
import pytest
import shiboken6

from gui.runtime import display_check
from gui.runtime.display_check import FONTS, PACKAGES, RENAMED, can_load, has_font, has_long_times, missing_packages

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about libraries of Linux")

QT = Path(PySide6.__file__).parent
USED = (
    *(f"Qt{name}.abi3.so" for name in ("Core", "Gui", "Widgets", "Svg", "DBus")),
    "Qt/plugins/platforms/libqxcb.so",
    "Qt/plugins/platforms/libqwayland.so",
    "Qt/plugins/platforms/libqoffscreen.so",
    "Qt/plugins/xcbglintegrations/*.so",
    "Qt/plugins/wayland-*-client/*.so",
    "Qt/plugins/wayland-shell-integration/*.so",
    "Qt/plugins/iconengines/*.so",
    "Qt/plugins/imageformats/libqsvg.so",
    "Qt/plugins/platforminputcontexts/lib[ci]*.so",
    "Qt/plugins/platformthemes/libqxdgdesktopportal.so",
)
"""What of Qt the window loads, or may load."""
EVERYWHERE = (
    *("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so"),
    *("libgcc_s.so", "libstdc++.so", "libz.so", "libzstd.so"),
)
"""Parts of every Debian: apt and dpkg need them."""


def needed_by(file: Path) -> Iterator[str]:
    """The libraries that an ELF file of 64 bits, little endian, names as needed."""
    data = file.read_bytes()
    assert data[:6] == b"\x7fELF\2\1"
    (sections,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + number * size) for number in range(count)]
    for _, kind, _, _, start, length, strings, *_ in headers:
        if kind == 6:  # SHT_DYNAMIC
            for tag, value in struct.iter_unpack("<QQ", data[start : start + length]):
                if tag == 1:  # DT_NEEDED
                    begin = headers[strings][4] + value
                    yield data[begin : data.index(b"\0", begin)].decode()


def test_every_library_that_qt_needs_of_the_system_has_its_package():
    bundled = {
        file.name: file
        for folder in (QT, QT / "Qt" / "lib", Path(shiboken6.__file__).parent)
        for file in folder.glob("*.so*")
    }
    waiting = [file for pattern in USED for file in QT.glob(pattern)]
    assert len(waiting) >= len(USED)
    seen: set[str] = set()
    wanted: set[str] = set()
    while waiting:
        for name in needed_by(waiting.pop()):
            if name in bundled and name not in seen:
                waiting.append(bundled[name])
            elif name not in bundled and not name.startswith(EVERYWHERE):
                wanted.add(name)
            seen.add(name)
    assert wanted <= set(PACKAGES)


def test_all_that_is_missing_is_listed_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(display_check, "can_load", lambda library: "glib" not in library and "gthread" not in library)
    monkeypatch.setattr(display_check, "has_font", lambda: False)
    monkeypatch.setattr(display_check, "has_long_times", lambda: False)
    assert missing_packages() == ["libglib2.0-0", FONTS]
    monkeypatch.setattr(display_check, "has_long_times", lambda: True)
    assert missing_packages() == ["libglib2.0-0t64", FONTS]


def test_nothing_is_missing_where_all_can_be_loaded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: name)
    monkeypatch.setattr(display_check, "has_font", lambda: True)
    assert missing_packages() == []


def test_what_was_renamed_is_a_package_of_the_list():
    assert set(RENAMED) <= set(PACKAGES.values())


def test_a_library_is_there_or_not():
    assert can_load("libc.so.6")
    assert not can_load("libnobody-has-this.so.1")


def test_the_names_of_packages_follow_those_that_are_installed(tmp_path: Path):
    assert not has_long_times(tmp_path / "no dpkg here")
    (tmp_path / "libssl3:amd64.list").touch()
    assert not has_long_times(tmp_path)
    (tmp_path / "libssl3t64:amd64.list").touch()
    assert has_long_times(tmp_path)


def test_a_font_is_found_wherever_it_lies(tmp_path: Path):
    folders = (tmp_path / "nowhere", tmp_path / "fonts")
    assert not has_font(folders)
    (tmp_path / "fonts" / "truetype").mkdir(parents=True)
    (tmp_path / "fonts" / "truetype" / "README").touch()
    assert not has_font(folders)
    (tmp_path / "fonts" / "truetype" / "Some.TTF").touch()
    assert has_font(folders)


def test_the_list_can_be_asked_for_without_qt():
    code = "import sys, gui.runtime.display_check; sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    command = [sys.executable, "-m", "gui.runtime.display_check"]
    asked = subprocess.run(command, check=True, capture_output=True, text=True)
    assert asked.stdout == " ".join(missing_packages()) + "\n"

from __future__ import annotations

import builtins
import ctypes
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.runtime import display_check
from gui.runtime.display_check import why_no_window

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about displays of Linux")


@pytest.fixture
def wayland(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A Wayland socket that somebody listens at."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        yield {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}


def test_without_a_display_it_says_what_to_do():
    why = why_no_window({})
    assert why is not None
    assert "DISPLAY" in why
    assert "python main.py count" in why
    assert "\n" not in why


def test_a_built_program_names_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    why = why_no_window({})
    assert why is not None
    assert "`tokenloupe count" in why
    assert "main.py" not in why


def test_platforms_without_a_display_are_fine():
    assert why_no_window({"QT_QPA_PLATFORM": "offscreen"}) is None
    assert why_no_window({"QT_QPA_PLATFORM": "vnc:size=800x600"}) is None


def test_other_systems_have_one(monkeypatch: pytest.MonkeyPatch):
    assert why_no_window({}, "darwin") is None
    assert why_no_window({}, "win32") is None


@pytest.fixture
def all_plugins_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of displays ask nothing of the libraries here."""
    monkeypatch.setattr(display_check, "_missing_plugin_library", lambda name: None)


@pytest.mark.usefixtures("all_plugins_load")
def test_a_display_that_answers(wayland: dict[str, str]):
    assert why_no_window(wayland) is None
    assert why_no_window(wayland | {"WAYLAND_DISPLAY": str(Path(wayland["XDG_RUNTIME_DIR"], "wayland-7"))}) is None
    # Qt falls back to X11, but not where X11 alone was asked for.
    assert why_no_window(wayland | {"QT_QPA_PLATFORM": "xcb"}) is not None


@pytest.mark.parametrize(
    "environment",
    [
        {"DISPLAY": ":4711"},
        {"DISPLAY": "unix:4711.0"},
        {"DISPLAY": "nonsense"},
        {"DISPLAY": "localhost:59000"},
        {"WAYLAND_DISPLAY": "wayland-4711", "XDG_RUNTIME_DIR": "/nowhere"},
        {"DISPLAY": ":4711", "WAYLAND_DISPLAY": "wayland-4711"},
    ],
)
def test_a_display_that_does_not_answer(environment: dict[str, str]):
    why = why_no_window(environment)
    assert why is not None
    assert "does not answer" in why
    assert (environment.get("DISPLAY") or environment["WAYLAND_DISPLAY"]) in why


class FakeXServer:
    """Answers the greeting of X clients; ``welcome`` says whether it lets them in."""

    def __init__(self, welcome: bool) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.cookies: list[bytes] = []
        self._welcome = welcome
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                head = client.recv(12)
                if len(head) < 12:
                    continue
                name, data = struct.unpack("<HH", head[6:10])
                rest = client.recv((name + 3) // 4 * 4 + (data + 3) // 4 * 4) if name else b""
                self.cookies.append(rest[-((data + 3) // 4 * 4) :][:data] if data else b"")
                client.sendall((b"\1" if self._welcome else b"\0") + b"\0" * 7)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def x_server(request: pytest.FixtureRequest) -> Iterator[FakeXServer]:
    server = FakeXServer(getattr(request, "param", True))
    yield server
    server.close()


def greeted(server: FakeXServer, monkeypatch: pytest.MonkeyPatch, authority: Path | None = None) -> str | None:
    monkeypatch.setattr(display_check, "FIRST_PORT", server.port)
    environment = {"DISPLAY": "127.0.0.1:0", "XAUTHORITY": str(authority or "/nowhere")}
    return why_no_window(environment)


@pytest.mark.usefixtures("all_plugins_load")
def test_a_display_that_welcomes(x_server: FakeXServer, monkeypatch: pytest.MonkeyPatch):
    assert greeted(x_server, monkeypatch) is None


@pytest.mark.usefixtures("all_plugins_load")
def test_the_cookie_of_the_display_is_shown(x_server: FakeXServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def entry(family: int, address: bytes, number: bytes, name: bytes, data: bytes) -> bytes:
        parts = (address, number, name, data)
        return struct.pack(">H", family) + b"".join(struct.pack(">H", len(part)) + part for part in parts)

    authority = tmp_path / "Xauthority"
    authority.write_bytes(
        entry(256, b"other-host", b"9", b"MIT-MAGIC-COOKIE-1", b"x" * 16)
        + entry(256, b"some-host", b"0", b"MIT-MAGIC-COOKIE-1", b"0123456789abcdef")
    )
    assert greeted(x_server, monkeypatch, authority) is None
    assert x_server.cookies[-1] == b"0123456789abcdef"


@pytest.mark.parametrize("x_server", [False], indirect=True)
def test_a_display_that_turns_us_away(x_server: FakeXServer, monkeypatch: pytest.MonkeyPatch):
    why = greeted(x_server, monkeypatch)
    assert why is not None
    assert "does not let" in why


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def broken(name: str, *rest: object) -> object:
        if name.startswith("PySide6"):
            raise ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", broken)
    monkeypatch.setattr(display_check, "missing_packages", lambda: ["libegl1", "libxcb-cursor0"])
    why = why_no_window({"DISPLAY": ":0"})
    assert why is not None
    assert "libEGL.so.1 is missing" in why
    assert "`apt install libegl1 libxcb-cursor0`" in why


def test_what_no_package_mends_is_said_as_it_is(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def broken(name: str, *rest: object) -> object:
        if name.startswith("PySide6"):
            raise ImportError("libc.so.6: version `GLIBC_2.34' not found\n(required by libQt6Core.so.6)")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", broken)
    monkeypatch.setattr(display_check, "missing_packages", lambda: ["libwayland-egl1"])
    why = why_no_window({"DISPLAY": ":0"})
    assert why is not None
    assert "version `GLIBC_2.34' not found (required by libQt6Core.so.6)" in why
    assert "apt" not in why
    assert "\n" not in why


def test_qt_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def broken(name: str, *rest: object) -> object:
        if name.startswith("PySide6"):
            raise ModuleNotFoundError("No module named 'PySide6'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", broken)
    why = why_no_window({"DISPLAY": ":0"})
    assert why is not None
    assert "not installed" in why


def test_a_missing_library_of_x11_is_named(x_server: FakeXServer, monkeypatch: pytest.MonkeyPatch):
    def broken(_name: str) -> None:
        raise OSError("libxcb-cursor.so.0: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(ctypes, "CDLL", broken)
    why = greeted(x_server, monkeypatch)
    assert why is not None
    assert "X11, libxcb-cursor.so.0 is missing" in why
    # All that could be missing, not only what X11 wants: one command must do.
    assert {"libegl1", "libxcb-cursor0", "libxkbcommon-x11-0", "libwayland-cursor0"} <= set(why.split("`")[1].split())


def test_a_missing_library_of_wayland_is_named(monkeypatch: pytest.MonkeyPatch, wayland: dict[str, str]):
    real = ctypes.CDLL

    def broken(name: str) -> object:
        if name.endswith("libqwayland.so"):
            raise OSError("libwayland-cursor.so.0: cannot open shared object file: No such file or directory")
        return real(name)

    monkeypatch.setattr(ctypes, "CDLL", broken)
    monkeypatch.setattr(display_check, "missing_packages", lambda: ["libwayland-cursor0"])
    why = why_no_window(wayland)
    assert why is not None
    assert "Wayland, libwayland-cursor.so.0 is missing" in why
    assert "`apt install libwayland-cursor0`" in why


def test_without_a_library_of_wayland_x11_serves(
    monkeypatch: pytest.MonkeyPatch, wayland: dict[str, str], x_server: FakeXServer
):
    monkeypatch.setattr(display_check, "FIRST_PORT", x_server.port)
    both = wayland | {"DISPLAY": "127.0.0.1:0", "XAUTHORITY": "/nowhere"}
    monkeypatch.setattr(display_check, "_missing_plugin_library", lambda name: None if name == "xcb" else "missing")
    assert why_no_window(both) is None
    assert why_no_window(both | {"QT_QPA_PLATFORM": "wayland"}) == "missing"


def test_importing_the_check_loads_no_qt():
    code = "import sys, gui.runtime.display_check; sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False, env=dict(os.environ)).returncode == 0

"""Asks an X display whether it is there and lets us in, in the few bytes with which every X client begins. No Qt.

From the X protocol's "Connection Setup" and the format of ``.Xauthority`` files (Xau). Only the common cookies are
tried: whoever uses another way to prove who they are gets the benefit of the doubt.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

ABSENT = "absent"
REFUSED = "refused"
WELCOME = "welcome"

FIRST_PORT = 6000
CONNECT_SECONDS = 2.0
COOKIE = b"MIT-MAGIC-COOKIE-1"
_REFUSAL = b"\0"


def ask_display(display: str, environment: Mapping[str, str]) -> str:
    """``ABSENT`` if nothing listens at ``[host]:number[.screen]``, ``REFUSED``, or ``WELCOME``."""
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
    """A connection to a local socket, None if nothing listens."""
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
    """The cookies for a display of that number."""
    path = Path(environment.get("XAUTHORITY") or Path(environment.get("HOME", "/"), ".Xauthority"))
    try:
        data = path.read_bytes()
    except OSError:
        return
    place = 0
    while place + 2 <= len(data):
        place += 2  # The family of the address: whatever it is, the cookie fits or it does not.
        parts = []
        for _ in ("address", "number", "name", "data"):
            if place + 2 > len(data):
                return
            (length,) = struct.unpack_from(">H", data, place)
            parts.append(data[place + 2 : place + 2 + length])
            place += 2 + length
        if parts[1] in (number.encode(), b"") and parts[2] == COOKIE and parts[3]:
            yield parts[3]

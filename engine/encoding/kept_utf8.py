"""The UTF-8 that Python keeps of a text already, read where it stands.

A text of ASCII is its own UTF-8. Of another, Python makes UTF-8 when an extension asks for it (tiktoken does, and so
does SQLite) and keeps it as long as the text lives. To ask for it here would take more memory for good, so what is not
kept is not made. No function of Python's says whether it is kept, but every text does, in two words of its header: how
many bytes of UTF-8 there are, and where. Which two, Python's headers show (``PyCompactUnicodeObject``); they differ
from version to version. So they are looked for, once, in texts of our own whose UTF-8 Python is asked for. Where they
are not found as they should be, only ASCII is read in place.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sys
import sysconfig
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WORDS = struct.Struct("nP")  # bytes of UTF-8, and where they are
_NOTHING = _WORDS.pack(0, 0)


class _Kept:
    """Memory of a text as numpy takes it (its array interface, version 3): an array of it keeps the text alive."""

    def __init__(self, text: str, address: int, size: int) -> None:
        self.text = text
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, True)}


def kept_utf8(text: str) -> NDArray[np.uint8] | None:
    """uint8[n], read-only: the UTF-8 of a text; nothing is known to be behind it. None where Python keeps none."""
    if type(text) is not str or not text:
        return None
    if text.isascii():
        address, size = _asked_for(text)
    else:
        place = _place()
        if place is None:
            return None
        size, address = _WORDS.unpack(ctypes.string_at(id(text) + place, _WORDS.size))
    return np.asarray(_Kept(text, address, size)) if address else None


def _asked_for(text: str) -> tuple[int, int]:
    """Where the UTF-8 of a text is, and its bytes. It is made, if Python does not keep it: of ASCII it always does."""
    size = ctypes.c_ssize_t()
    return _as_utf8()(text, ctypes.byref(size)), size.value


@functools.cache
def _as_utf8() -> Any:
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.POINTER(ctypes.c_ssize_t))
    return kind(("PyUnicode_AsUTF8AndSize", ctypes.pythonapi))


@functools.cache
def _place() -> int | None:
    """How many bytes from its start a text has the two words. None where that cannot be told: in a Python without
    headers like these, or without the interpreter lock, which keeps both words the same until they are read."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    places = {_found_in(character) for character in ("\xe9", "\u6f22", "\U0001f600")}
    return places.pop() if len(places) == 1 else None


def _found_in(character: str) -> int | None:
    """The place of the two words in texts of such characters; None where they are not in one place alone."""
    text = character * 1009  # no other number of a header is that of its bytes of UTF-8
    width = (sys.getsizeof(2 * text) - sys.getsizeof(text)) // len(text)
    header = sys.getsizeof(text) - width * (len(text) + 1)
    before = ctypes.string_at(id(text), header)
    address, size = _asked_for(text)
    after = ctypes.string_at(id(text), header)
    wanted = _WORDS.pack(size, address)
    inner = range(object.__basicsize__, header - _WORDS.size + 1, struct.calcsize("P"))
    ends = [(place, place + _WORDS.size) for place in inner]
    places = [place for place, end in ends if before[place:end] == _NOTHING and after[place:end] == wanted]
    return places[0] if len(places) == 1 else None

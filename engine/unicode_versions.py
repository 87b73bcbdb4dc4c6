"""Normalisation as ``tokenizers`` does it, whatever version of Unicode this Python knows.

``tokenizers`` normalises by the tables of about Unicode 9, Python by those of its own version, and each version orders
further marks and composes further letters. So texts with a character that versions differ on are left to that library;
Unicode's stability policy has all others come out the same, and Python's own functions are thirty times as fast.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

_NEWEST = (17, 0, 0)
"""The version of Unicode that ``_RANGES`` goes up to. Newer ones may have more to differ on."""

_RANGES = (
    "0558 058b-058c 05c8-05c9 07fd 0897-089f 08ca-08d3 09fe 0afa-0aff 0b53-0b55 0c04 0c3c 0cf3 0d00 0d3b-0d3c 0d81 "
    "0eba 0ece 1715 180f 1abf-1af0 1c89 1cf7 1df6-1dfa 209d-209f 32ff a7cb-a7ce a7d2-a7d4 a7da-a7dd a7e2 a7f1-a7f4 "
    "a82c a8ff ab69-ab6d 105c0-105ff 10781-107bf 10d24-10d27 10d50-10d65 10d69-10d6d 10eab-10eac 10ecb-10ecf "
    "10ef0-10eff 10f46-10f50 10f82-10f85 11070-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 11383-11385 "
    "1138e-11391 113b8-113d2 113e1-113e2 1145e 1182c-1183a 11930-11943 119d1-119e0 119e4 11a01-11a0a 11a33-11a3e "
    "11a47 11a51-11a5b 11a8a-11a99 11b60-11b67 11d31-11d36 11d3a-11d47 11d8a-11d97 11df0 11ef3-11ef6 11f00-11f03 "
    "11f34-11f3a 11f3e-11f42 11f5a 13440 13447-13455 1611e-1612f 16d40-16d7f 16ea0-16eb8 16f4f 16f7f-16f87 16fe4 "
    "16ff0-16ff1 1b123-1b126 1ccd6-1ccf9 1cf00-1cf46 1d127-1d128 1d250-1d252 1d25b-1d25f 1d280-1d281 1d6a6 1df40 "
    "1df48-1df4d 1df51 1df68-1df6e 1df72-1df7e 1df95 1dfcd-1dfff 1e030-1e06d 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef "
    "1e4ec-1e4ef 1e5ee-1e5ef 1e6e3-1e6e6 1e6ee-1e6ef 1e6f5 1f16c 1fbf0-1fbf9 "
)
"""Code points that normalisation, lowercase or taking off marks treats otherwise in Unicode 17 than in the tables of
``tokenizers``, those that only newer characters are composed of, and some in between that are harmless."""

_SOUND = re.compile("[^\ud800-\udfff]+")


@functools.cache
def _doubtful() -> Any:
    """bool[1114112]: the code points that versions may differ on. A look-up is a hundred times as fast as ``re``."""
    import numpy as np

    points = np.zeros(0x110000, dtype=np.bool_)
    if tuple(map(int, unicodedata.unidata_version.split("."))) > _NEWEST:
        points[0x80:] = True
    for first, _, last in (one.partition("-") for one in _RANGES.split()):
        points[int(first, 16) : int(last or first, 16) + 1] = True
    return points


def may_differ(text: str) -> bool:
    """Return whether versions of Unicode may differ on what becomes of a text."""
    if text.isascii():
        return False
    import numpy as np

    return bool(_doubtful()[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")].any())


_COMPOSED = (
    "400-482 48a-52f 531-556 561-586 5d0-5ea 620-64a 904-939 e01-e30 2010-2027 2030-205e 2070-20cf 2100-2125 "
    "2127-2129 212c-2328 232b-2adb 2add-2bff 3001-3029 3030-3098 309b-312f 3400-4dbf 4e00-9fff ac00-d7a3 ff01-ff9d "
    "1f300-1f64f 1f680-1f6ff 1f900-1f9ff"
)
"""Code points from U+0300 on that NFC leaves alone whatever stands around them, of scripts that are often written."""

_FIRST_OF_MARKS = 0xCC
"""The first byte of U+0300 in UTF-8. Below that code point every text is composed."""


@functools.cache
def _composed() -> Any:
    """bool[1114112]: the code points of ``_COMPOSED`` on which no versions differ."""
    import numpy as np

    points = np.zeros(0x110000, dtype=np.bool_)
    for first, _, last in (one.partition("-") for one in _COMPOSED.split()):
        points[int(first, 16) : int(last, 16) + 1] = True
    return points & ~_doubtful()


def is_surely_composed(text: str) -> bool:
    """Return True if NFC changes nothing of a text in any version of Unicode; False where that takes a closer look.

    Looks at the bytes of the text in UTF-8, of which few begin a character from U+0300 on in most texts.
    """
    if text.isascii():
        return True
    import numpy as np

    raw = np.frombuffer(text.encode("utf-8", "surrogatepass") + b"\0\0\0", dtype=np.uint8)
    at = np.flatnonzero(raw >= _FIRST_OF_MARKS)
    first, second, third, fourth = (raw[at + place].astype(np.uint32) for place in range(4))
    two = (first & 0x1F) << 6 | (second & 0x3F)
    three = (first & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
    four = (first & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | (fourth & 0x3F)
    points = np.where(first < 0xE0, two, np.where(first < 0xF0, three, four))
    return bool(_composed()[points].all())


@functools.cache
def _library_step(name: str) -> Any:
    from tokenizers import normalizers

    return getattr(normalizers, name)()


def by_library(name: str, text: str) -> str:
    """Return what a normalizer of ``tokenizers`` makes of a text. Lone surrogates stay as they are.

    ``name``: of its class, such as ``NFC``, ``Lowercase`` or ``StripAccents``.
    """
    normalize = _library_step(name).normalize_str
    try:
        return str(normalize(text))
    except UnicodeEncodeError:
        return _SOUND.sub(lambda match: str(normalize(match.group())), text)

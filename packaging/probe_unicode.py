r"""Extract the Unicode tables of tiktoken's split engine from the installed tiktoken into engine/data/unicode.classes.

    python packaging/probe_unicode.py [--out FILE]

An encoding whose tokens are single bytes and whose pattern is, say, ``\p{Lu}`` returns the characters of a text that
are uppercase letters. The text has every code point once, so one call returns a whole category. Case folding is probed
for each character that has case variants. Takes about two seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from engine.runtime.tiktoken_core import byte_core  # noqa: E402
from engine.text.character_classes import CATEGORIES, N_CODE_POINTS, WHITE_SPACE, pack  # noqa: E402

SURROGATES = range(0xD800, 0xE000)
REPLACEMENT = 0xFFFD
ALL_CHARACTERS = "".join(chr(point) for point in range(N_CODE_POINTS) if point not in SURROGATES)
VERSIONS = [(15, 0), (15, 1), (16, 0), (17, 0), (18, 0), (19, 0)]


class ProbeError(Exception):
    """tiktoken's split engine answers in a way that the format of the table cannot represent."""


def members(pattern: str, text: str = ALL_CHARACTERS) -> str:
    """Return the characters of ``text`` that ``pattern`` matches; it must match single characters."""
    return bytes(byte_core(pattern).encode_ordinary(text)).decode("utf-8")


def code_points(characters: str) -> list[int]:
    """Return the code points of characters."""
    return [ord(character) for character in characters]


def probe_version() -> tuple[int, int]:
    """Return the newest Unicode version whose ``Age`` the split engine knows."""
    known = []
    for major, minor in VERSIONS:
        try:
            members(rf"\p{{age={major}.{minor}}}", "a")
        except ValueError:
            continue
        known.append((major, minor))
    if not known or known[-1] == VERSIONS[-1]:
        raise ProbeError("the Unicode version of tiktoken is not among those that this script knows")
    return known[-1]


def probe_categories() -> np.ndarray:
    """Return the category of each code point, as uint8[1114112] of indexes in CATEGORIES."""
    categories = np.full(N_CODE_POINTS, 255, dtype=np.uint8)
    for position, name in enumerate(CATEGORIES):
        points = code_points(members(rf"\p{{{name}}}"))
        if (categories[points] != 255).any():
            raise ProbeError(f"characters of {name} have another category as well")
        categories[points] = position
    categories[SURROGATES.start : SURROGATES.stop] = categories[REPLACEMENT]
    if (categories == 255).any():
        raise ProbeError("characters without a category")
    if code_points(members(r"\s")) != sorted(WHITE_SPACE):
        raise ProbeError("White_Space is not what it has always been")
    return categories


def probe_orbits() -> list[tuple[int, ...]]:
    """Return the sets of characters that match each other if case is ignored."""
    changing = members(r"[\p{CWCF}\p{CWL}\p{CWU}\p{CWT}\p{CWCM}]")
    escaped = "".join(rf"\x{{{ord(character):x}}}" for character in changing)
    if members(f"(?i:[{escaped}])") != changing:
        raise ProbeError("characters that no change of case concerns fold nevertheless")
    orbits = {tuple(code_points(members(rf"(?i:\x{{{ord(character):x}}})", changing))) for character in changing}
    orbits = {orbit for orbit in orbits if len(orbit) > 1}
    if len({point for orbit in orbits for point in orbit}) != sum(map(len, orbits)):
        raise ProbeError("case folding is not an equivalence")
    return sorted(orbits)


def main() -> int:
    """Probe, write the table, and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PROJECT / "engine" / "data" / "unicode.classes")
    out = parser.parse_args().out
    version = probe_version()
    categories = probe_categories()
    orbits = probe_orbits()
    content = pack(version, categories, orbits)
    out.write_bytes(content)
    assigned = int((categories != CATEGORIES.index("Cn")).sum()) - len(SURROGATES)
    print(f"tiktoken {importlib.metadata.version('tiktoken')}: Unicode {version[0]}.{version[1]}")
    print(f"{assigned} characters in {len(CATEGORIES) - 1} categories, {len(orbits)} orbits of case folding")
    print(f"{out.name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Draw docs/architecture.svg from the sources, and print the number of modules and lines of each folder.

    python packaging/draw_architecture.py

Folders are ordered like the ``layers`` contracts in pyproject.toml: each imports only from those below it. Arrows are
imports from one package into another, labelled with the number of importing modules.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
PACKAGES = ("commands", "gui", "engine", "pricing")

WIDTH = 960
GAP = 6
ROW = 40
HEAD = 34
NARROW, WIDE = 150, 400
"""Minimum widths of a box to show its size and its purpose, in pixels."""
LETTER = 5.7
"""Approximate width of a character of the text, in pixels."""
STYLE = """
  svg { color-scheme: light dark; font: 12px system-ui, sans-serif; }
  .package { fill: #f4f5f7; stroke: #c9ced6; } .room { fill: #fff; stroke: #d9dde3; }
  .title { font-size: 15px; font-weight: 600; fill: #1b1f24; } .name { font-weight: 600; fill: #1b1f24; }
  .size { fill: #57606a; } .arrow { stroke: #57606a; fill: none; stroke-width: 1.5; } .head { fill: #57606a; }
  @media (prefers-color-scheme: dark) {
    .package { fill: #1d2126; stroke: #3d444d; } .room { fill: #262b31; stroke: #3d444d; }
    .title, .name { fill: #e6e9ed; } .size { fill: #9aa4af; } .arrow { stroke: #9aa4af; } .head { fill: #9aa4af; }
  }
"""


@dataclass(frozen=True, slots=True)
class Size:
    """Amount of code."""

    modules: int
    lines: int

    def __str__(self) -> str:
        return f"{self.modules} module{'s' * (self.modules != 1)}, {self.lines:,} lines"


def main() -> None:
    """Draw the picture, and print the sizes."""
    for package in PACKAGES:
        print(f"{package:24} {size_of(files_in(package))}")
        for room in (room for row in rows_of(package) for room in row):
            print(f"  {room:22} {size_of(files_of(package, room))}")
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"drawn: {PICTURE.relative_to(ROOT).as_posix()}")


def files_in(package: str) -> list[Path]:
    """Return the source files of a package."""
    return sorted((ROOT / package).rglob("*.py"))


def files_of(package: str, room: str) -> list[Path]:
    """Return the source files of a folder, or of a module outside of one."""
    folder = ROOT / package / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def size_of(files: list[Path]) -> Size:
    """Return the size of these files. An ``__init__.py`` without code does not count as a module."""
    sources = {file: file.read_text(encoding="utf-8") for file in files}
    modules = [file for file, source in sources.items() if file.stem != "__init__" or len(ast.parse(source).body) > 1]
    return Size(len(modules), sum(len(source.splitlines()) for source in sources.values()))


def purpose_of(package: str, room: str) -> str:
    """Return the first sentence of the docstring of a folder or module."""
    folder = ROOT / package / room
    source = (folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")).read_text(encoding="utf-8")
    words = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    return words.partition(". ")[0].removesuffix(".")


def rows_of(package: str) -> list[list[str]]:
    """Return the folders of a package in rows, importers first; folders in the same row do not import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    for contract in contracts:
        if contract.get("containers") == [package]:
            return [[name.strip() for name in layer.replace("|", ":").split(":")] for layer in contract["layers"]]
    return []


def imports_between(package: str) -> Counter[str]:
    """Return the number of modules of a package that import each other package."""
    found: Counter[str] = Counter()
    for file in files_in(package):
        found.update({name for name in _imported(ast.parse(file.read_text(encoding="utf-8"))) if name != package})
    return Counter({name: found[name] for name in PACKAGES if found[name]})


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)


def picture() -> str:
    """Return the drawing as SVG."""
    top = max(_height("commands"), _height("gui"))
    places = {
        "commands": (10, 10, 170, top),
        "gui": (240, 10, WIDTH - 250, top),
        "engine": (10, top + 70, 640, max(_height("engine"), _height("pricing"))),
        "pricing": (680, top + 70, WIDTH - 690, max(_height("engine"), _height("pricing"))),
    }
    bottom = places["engine"][1] + places["engine"][3] + 10
    parts = [part for package, place in places.items() for part in _package(package, *place)]
    middle = top + 10
    for start, end, x in (("commands", "engine", 95), ("gui", "engine", 400), ("gui", "pricing", 830)):
        parts += _arrow(x, middle, x, middle + 60, str(imports_between(start)[end]))
    parts += _arrow(180, 60, 240, 60, str(imports_between("commands")["gui"]))
    bend = f"M 150 {middle} V {middle + 22} H 720 V {middle + 52}"
    parts += [f'<path class="arrow" d="{bend}"/>', _head(720, middle + 60, 720, middle + 52)]
    parts.append(_text(158, middle + 16, "size", str(imports_between("commands")["pricing"])))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom}" role="img" '
        'aria-label="The packages and their folders, each importing only what stands below it">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _height(package: str) -> int:
    rows = len(rows_of(package)) or 2
    return HEAD + rows * (ROW + GAP) + GAP


def _package(package: str, x: int, y: int, width: int, height: int) -> Iterator[str]:
    yield _box("package", x, y, width, height)
    yield _text(x + 12, y + 22, "title", package)
    rows = rows_of(package)
    size = size_of(files_in(package))
    if not rows:
        for line, words in enumerate((f"{size.modules} modules", f"{size.lines:,} lines")):
            yield _text(x + 12, y + 44 + 18 * line, "size", words)
        return
    yield _text(x + 22 + 9 * len(package), y + 22, "size", str(size))
    for number, row in enumerate(rows):
        above = y + HEAD + number * (ROW + GAP)
        cell = (width - GAP * (len(row) + 1)) / len(row)
        for place, room in enumerate(row):
            left = x + GAP + place * (cell + GAP)
            about = size_of(files_of(package, room))
            yield _box("room", left, above, cell, ROW)
            yield _text(left + 8, above + 17, "name", room)
            words = f"{about.modules} · {about.lines:,}" if cell < NARROW else str(about)
            yield _text(left + 8, above + 32, "size", words)
            if cell > WIDE:
                yield _text(left + 150, above + 24, "size", _shortened(purpose_of(package, room), cell - 158))


def _shortened(words: str, width: float) -> str:
    most = int(width / LETTER)
    return words if len(words) <= most else f"{words[: most - 1].rstrip(' ,')}…"


def _box(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>'


def _text(x: float, y: float, kind: str, words: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def _arrow(x: int, y: int, to_x: int, to_y: int, words: str) -> Iterator[str]:
    near = 8
    end = (to_x - near, to_y) if to_y == y else (to_x, to_y - near)
    yield f'<path class="arrow" d="M {x} {y} L {end[0]} {end[1]}"/>'
    yield _head(to_x, to_y, *end)
    yield _text(*((x + 12, y - 8) if to_y == y else (x + 8, y + 44)), "size", words)


def _head(x: int, y: int, back_x: int, back_y: int) -> str:
    """Return the head of an arrow that comes from above or from the left."""
    if y == back_y:
        return f'<path class="head" d="M {x} {y} L {back_x} {y - 4} V {y + 4} Z"/>'
    return f'<path class="head" d="M {x} {y} L {back_x - 4} {back_y} H {back_x + 4} Z"/>'


if __name__ == "__main__":
    main()

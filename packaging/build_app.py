"""Build the program as a folder that needs no Python: ``python packaging/build_app.py``, with the extra ``package``.

Creates ``dist/tokenloupe`` (on macOS ``dist/Tokenloupe.app`` as well) and an archive of it, and prints their sizes.
``packaging/try_app.py`` then tests it. Kernels are compiled on the user's computer, for its processor, while the first
window is open; the next start finds them.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SPECIFICATION = ROOT / "packaging" / "tokenloupe.spec"
DRAWING = ROOT / "gui" / "look" / "icons" / "tokenloupe.svg"
LINUX = ROOT / "packaging" / "linux"
ICON_PIXELS = 512
MEGABYTE = 1_000_000


def draw_icon(target: Path) -> None:
    """Write the icon as a bitmap, which Windows and macOS need instead of SVG."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    picture = QImage(ICON_PIXELS, ICON_PIXELS, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(str(DRAWING)).render(painter)
    painter.end()
    target.parent.mkdir(parents=True, exist_ok=True)
    if not picture.save(str(target)):
        raise OSError(f"{target} cannot be written")
    del application


def size_of(folder: Path) -> int:
    """Return the total size of the files in a folder, in bytes, without symbolic links."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def build(target: Path) -> Path:
    """Build into ``target``. Return the folder of the program."""
    from PyInstaller.__main__ import run

    work = ROOT / "build" / "package"
    draw_icon(work / "tokenloupe.png")
    run(["--noconfirm", "--log-level=WARN", f"--distpath={target}", f"--workpath={work}", str(SPECIFICATION)])
    folder = target / "tokenloupe"
    if sys.platform.startswith("linux"):
        for file in (*sorted(LINUX.iterdir()), DRAWING):
            shutil.copy2(file, folder / file.name)
    return folder


def archive(folder: Path) -> Path:
    """Pack the folder, with version, system and processor in the name of the archive."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    name = f"tokenloupe-{version}-{platform.system().lower()}-{platform.machine().lower()}"
    form = "zip" if sys.platform == "win32" else "gztar"
    return Path(shutil.make_archive(str(folder.parent / name), form, folder.parent, folder.name))


def main() -> int:
    """Build, pack, and print the sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where it is built")
    parser.add_argument("--no-archive", action="store_true", help="leave it as a folder")
    options = parser.parse_args()
    folder = build(options.to.resolve())
    print(f"{folder}: {size_of(folder) / MEGABYTE:,.0f} MB")
    if not options.no_archive:
        packed = archive(folder)
        print(f"{packed}: {packed.stat().st_size / MEGABYTE:,.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a clipboard, or somebody who drags, offers to the editor."""

from __future__ import annotations

from PySide6.QtCore import QMimeData

_TEXT = ("text/plain;charset=utf-8", "text/plain")
"""In the order in which ``QMimeData.text`` asks for them."""


def offered_utf8(source: QMimeData) -> memoryview:
    """The text that is offered, in UTF-8; empty without any.

    ``QMimeData.text`` would make a string for Qt of ten megabytes and a second one for Python, in 26 ms; this takes 7,
    and what is read of it is decoded when it is wanted. What is no UTF-8 Qt has converted.
    """
    return next((memoryview(data) for data in map(source.data, _TEXT) if data.size()), memoryview(b""))


def local_files(source: QMimeData) -> list[str]:
    """Paths of local files, if all that is offered are such."""
    urls = source.urls() if source.hasUrls() else []
    return [url.toLocalFile() for url in urls] if urls and all(url.isLocalFile() for url in urls) else []

"""Files and folders that are dropped on a widget."""

from __future__ import annotations

from PySide6.QtGui import QDropEvent


def dropped_paths(event: QDropEvent) -> list[str]:
    """The files and folders of this computer that are being dropped; none where something else is."""
    data = event.mimeData()
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []

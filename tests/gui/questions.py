"""Counts what is asked of models."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt


def roles_asked(monkeypatch: pytest.MonkeyPatch, kind: type[QAbstractItemModel]) -> list[int]:
    """The roles for which models of a kind are asked from now on."""
    roles: list[int] = []
    answer = kind.data

    def data(self: QAbstractItemModel, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        roles.append(role)
        return answer(self, index, role)

    monkeypatch.setattr(kind, "data", data)
    return roles

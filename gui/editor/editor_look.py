"""Appearance of token editors, from settings and theme: colours, font, wrapping, visible whitespace."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from gui.editor.token_editor import TokenEditor
from gui.look.corner import plain_corner
from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.state.settings import SettingsStore


class EditorLook(QObject):
    """Appearance of one editor, by settings and theme; shares the lifetime of the editor."""

    def __init__(self, editor: TokenEditor, theme: Theme, settings: SettingsStore, least_lines: int = 0) -> None:
        """``least_lines``: minimum number of visible lines, whatever opens around the editor."""
        super().__init__(editor)
        self._editor, self._theme, self._settings = editor, theme, settings
        self._least_lines = least_lines
        editor.setCornerWidget(plain_corner(editor))
        theme.changed.connect(self._on_theme)
        settings.changed.connect(self._on_setting)
        self._take_colours()
        for name in ("font_family", "word_wrap", "show_whitespace"):
            self._on_setting(name)

    @Slot()
    def _on_theme(self) -> None:
        self._take_colours()
        if fixed_font(self._settings.values.font_size, self._settings.values.font_family) != self._font:
            self._on_setting("font_family")

    @Slot()
    def _take_colours(self) -> None:
        self._editor.set_palette(self._theme.token_palette(self._settings.values.token_colours))

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        values = self._settings.values
        if name == "token_colours":
            self._take_colours()
        elif name in ("font_family", "font_size"):
            self._font = fixed_font(values.font_size, values.font_family)
            self._editor.setFont(self._font)
            if self._least_lines:
                self._editor.setMinimumHeight(self._editor.fontMetrics().lineSpacing() * self._least_lines)
        elif name == "word_wrap":
            self._editor.set_word_wrap(values.word_wrap)
        elif name == "show_whitespace":
            self._editor.set_show_whitespace(values.show_whitespace)


class TokenView(TokenEditor):
    """A read-only text with its tokens, in the look of the prompt editor."""

    def __init__(self, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        EditorLook(self, theme, settings)

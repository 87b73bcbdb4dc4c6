"""The user's settings: a dataclass whose fields describe themselves, and the store that saves them in a JSON file.

The settings dialog is built from the fields. A damaged file never prevents the start: it is set aside and the defaults
are used. A bad value only resets itself. Keys of newer versions are kept.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QObject, QTimer, Signal, Slot

from gui.core.profile_files import DamagedFile, Document, is_newer, read_document, set_aside
from gui.state.storage import SharedFile, Storage

VERSION = 1

WRITE_DELAY_MS = 400
"""Settings changed in quick succession (such as by a spin box) are written once."""


class Option(NamedTuple):
    """Description of a setting. Texts are translated where they are shown, in the context ``Settings``.

    ``choices``: value and title of each possible value. ``lowest``, ``highest``, ``unit``: for numbers. ``font``: the
    value is the family of a fixed-pitch font, empty for the system's own.
    """

    page: str
    title: str
    help: str
    choices: tuple[tuple[str, str], ...] = ()
    lowest: int = 0
    highest: int = 0
    unit: str = ""
    font: bool = False


def _setting(default: Any, *description: Any, **more: Any) -> Any:
    """Return a field of ``Settings``; the other arguments are those of ``Option``."""
    return field(default=default, metadata={"option": Option(*description, **more)})


APPEARANCE = QT_TRANSLATE_NOOP("Settings", "Appearance")
EDITOR = QT_TRANSLATE_NOOP("Settings", "Editor")
FILES = QT_TRANSLATE_NOOP("Settings", "Files and session")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. ``describe`` gives the ``Option`` of each."""

    theme: str = _setting(
        "system",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Theme"),
        QT_TRANSLATE_NOOP("Settings", "Light, dark, or as the system. Applies at once."),
        choices=(
            ("system", QT_TRANSLATE_NOOP("Settings", "System default")),
            ("light", QT_TRANSLATE_NOOP("Settings", "Light")),
            ("dark", QT_TRANSLATE_NOOP("Settings", "Dark")),
        ),
    )
    contrast: str = _setting(
        "system",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Contrast"),
        QT_TRANSLATE_NOOP("Settings", "High contrast draws text in black or white and every border as a line."),
        choices=(
            ("system", QT_TRANSLATE_NOOP("Settings", "System default")),
            ("normal", QT_TRANSLATE_NOOP("Settings", "Normal")),
            ("high", QT_TRANSLATE_NOOP("Settings", "High")),
        ),
    )
    token_colours: str = _setting(
        "standard",
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Token colours"),
        QT_TRANSLATE_NOOP("Settings", "Meaning of token colours. Boundaries are visible in every mode."),
        choices=(
            ("standard", QT_TRANSLATE_NOOP("Settings", "Alternate")),
            ("by_id", QT_TRANSLATE_NOOP("Settings", "By ID")),
            ("by_length", QT_TRANSLATE_NOOP("Settings", "By length")),
            ("colour_safe", QT_TRANSLATE_NOOP("Settings", "Colour-blind safe")),
            ("none", QT_TRANSLATE_NOOP("Settings", "Boundaries only")),
        ),
    )
    system_fonts: bool = _setting(
        False,
        APPEARANCE,
        QT_TRANSLATE_NOOP("Settings", "Use the system's fonts"),
        QT_TRANSLATE_NOOP("Settings", "Instead of Inter and JetBrains Mono. Some texts change at the next start."),
    )
    font_family: str = _setting(
        "",
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Font"),
        QT_TRANSLATE_NOOP("Settings", "Monospaced font of the editor."),
        font=True,
    )
    font_size: int = _setting(
        11,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Font size"),
        QT_TRANSLATE_NOOP("Settings", "Size before zooming. The View menu changes the zoom."),
        lowest=6,
        highest=48,
        unit=QT_TRANSLATE_NOOP("Settings", "pt"),
    )
    word_wrap: bool = _setting(
        True,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Wrap long lines"),
        QT_TRANSLATE_NOOP("Settings", "Wrap at the window edge. The text itself is not changed."),
    )
    show_whitespace: bool = _setting(
        False,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Show whitespace"),
        QT_TRANSLATE_NOOP("Settings", "Mark spaces and tabs."),
    )
    line_numbers: bool = _setting(
        True,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Show line numbers"),
        QT_TRANSLATE_NOOP("Settings", "Line numbers in the margin of the prompt."),
    )
    line_tokens: bool = _setting(
        False,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Show tokens per line"),
        QT_TRANSLATE_NOOP("Settings", "Number of tokens of each line, in the margin."),
    )
    hover_card: bool = _setting(
        True,
        EDITOR,
        QT_TRANSLATE_NOOP("Settings", "Show token card on hover"),
        QT_TRANSLATE_NOOP(
            "Settings", "Shows ID, bytes and rank. The line below the prompt shows them for the token at the caret."
        ),
    )
    restore_session: bool = _setting(
        True,
        FILES,
        QT_TRANSLATE_NOOP("Settings", "Restore last session"),
        QT_TRANSLATE_NOOP("Settings", "Open the last text at startup. After a crash it is always restored."),
    )
    private_mode: bool = _setting(
        False,
        FILES,
        QT_TRANSLATE_NOOP("Settings", "Private mode"),
        QT_TRANSLATE_NOOP("Settings", "Save no session and no text. When switched off, the next window saves again."),
    )
    autosave_seconds: int = _setting(
        4,
        FILES,
        QT_TRANSLATE_NOOP("Settings", "Autosave after"),
        QT_TRANSLATE_NOOP("Settings", "Longest delay between a change and its autosave."),
        lowest=1,
        highest=5,
        unit=QT_TRANSLATE_NOOP("Settings", "s"),
    )
    recent_files: int = _setting(
        12,
        FILES,
        QT_TRANSLATE_NOOP("Settings", "Recent files"),
        QT_TRANSLATE_NOOP("Settings", "Number of files in the File menu."),
        lowest=0,
        highest=50,
    )
    largest_file_mb: int = _setting(
        50,
        FILES,
        QT_TRANSLATE_NOOP("Settings", "Maximum file size"),
        QT_TRANSLATE_NOOP("Settings", "Larger files are not opened. Count them on the command line."),
        lowest=1,
        highest=200,
        unit=QT_TRANSLATE_NOOP("Settings", "MB"),
    )
    recent: tuple[str, ...] = ()
    recent_commands: tuple[str, ...] = ()
    dismissed_cards: tuple[str, ...] = ()
    """Cards of the first start that the user has closed or followed."""
    shortcuts: tuple[str, ...] = ()
    """Changed shortcuts, as ``action=keys``; empty keys for no shortcut."""


def describe(name: str) -> Option | None:
    """The ``Option`` of a setting; None if it is not in the dialog."""
    for known in dataclasses.fields(Settings):
        if known.name == name:
            return known.metadata.get("option")
    raise KeyError(name)


def names() -> list[str]:
    """All settings, in the order of the dialog."""
    return [known.name for known in dataclasses.fields(Settings)]


def accepted(name: str, value: object) -> bool:
    """True if ``value`` is valid for the setting ``name``."""
    default = getattr(Settings(), name)
    if isinstance(default, tuple):
        return isinstance(value, list | tuple) and all(isinstance(path, str) for path in value)
    if type(value) is not type(default):
        return False
    option = describe(name)
    assert option is not None
    if option.choices:
        return value in [choice for choice, _title in option.choices]
    if isinstance(value, int) and not isinstance(value, bool):
        return option.lowest <= value <= option.highest
    return True


class SettingsStore(QObject):
    """The settings of this window, and their file.

    Signals: ``changed(str)`` with the name of a changed setting; ``failed(str)`` with a sentence.
    """

    changed = Signal(str)
    failed = Signal(str)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.values = Settings()
        self.problem = ""
        self._file = SharedFile(path, VERSION, self)
        self._file.failed.connect(self._on_write_failed)
        self._touched: frozenset[str] = frozenset()
        self._timer = QTimer(self, singleShot=True, interval=WRITE_DELAY_MS)
        self._timer.timeout.connect(self._write)
        self._load(path)

    def set(self, name: str, value: Any) -> None:
        """Change a setting: applied at once, written soon. Raises ValueError for an invalid value."""
        if not accepted(name, value):
            raise ValueError(f"{value!r} is not valid for {name}")
        if getattr(self.values, name) == value:
            return
        self.values = dataclasses.replace(self.values, **{name: value})
        self._touched |= {name}
        self._timer.start()
        self.changed.emit(name)

    def reset(self, page: str | None = None) -> None:
        """Reset the settings of one page of the dialog, or all, to their defaults."""
        defaults = Settings()
        for name in names():
            option = describe(name)
            if option is not None and page in (None, option.page):
                self.set(name, getattr(defaults, name))

    def use_storage(self, storage: Storage) -> None:
        """Write off the GUI thread from now on, with ``storage``, which has no other writer."""
        self._file.use_storage(storage)

    def close(self) -> None:
        """Write pending changes."""
        if self._timer.isActive():
            self._timer.stop()
            self._write()

    def _write(self) -> None:
        touched, self._touched = self._touched, frozenset()

        def merge(document: Document) -> None:
            """Merge our current values into the file, which another window may have changed."""
            values = self.values
            document |= {name: getattr(values, name) for name in touched}

        self._file.change(merge)

    @Slot(str)
    def _on_write_failed(self, why: str) -> None:
        self.failed.emit(self.tr("Could not save the settings: {why}").format(why=why))

    def _load(self, path: Path) -> None:
        try:
            raw = read_document(path)
        except OSError as error:
            words = self.tr("Could not read the settings ({why}). The defaults are in use.")
            self.problem = words.format(why=error.strerror or error)
            return
        except DamagedFile:
            self.problem = self._set_aside(path)
            return
        newer = is_newer(raw, VERSION)
        good = {name: raw.pop(name) for name in names() if name in raw and accepted(name, raw[name])}
        good = {name: tuple(value) if isinstance(value, list) else value for name, value in good.items()}
        bad = [name for name in names() if name in raw]
        self.values = Settings(**good)
        if newer:
            self.problem = self.tr(
                "The settings were saved by a newer version of Tokenloupe. What this version knows of them is used; "
                "changes here are not saved."
            )
        elif bad:
            self._touched = frozenset(bad)
            self.problem = self.tr("Invalid settings were reset to their defaults: {names}").format(
                names=", ".join(bad)
            )

    def _set_aside(self, path: Path) -> str:
        try:
            moved = set_aside(path)
        except OSError as error:
            return self.tr(
                "The settings file is damaged and could not be moved ({why}). The defaults are in use."
            ).format(why=error)
        return self.tr("The settings file was damaged and was moved to {name}. The defaults are in use.").format(
            name=moved
        )

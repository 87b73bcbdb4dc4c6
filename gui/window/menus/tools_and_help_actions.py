"""The actions of the menus Tools and Help."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.window.menus.action_spec import ActionSpec, Standard

TOOLS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "search",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Sea&rch or run…"),
        QT_TRANSLATE_NOOP("Actions", "Find models, encodings, pages and commands by a few letters"),
        ("Ctrl+K",),
        "search",
    ),
    ActionSpec(
        "command_palette",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "&Command palette…"),
        QT_TRANSLATE_NOOP("Actions", "Run any action by typing part of its name"),
        ("Ctrl+Shift+P",),
        "palette",
    ),
    ActionSpec(
        "choose_encoding",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Choose &encoding"),
        QT_TRANSLATE_NOOP("Actions", "Go to the list of encodings"),
        ("Ctrl+E",),
    ),
    ActionSpec(
        "go_to_entry",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to an id of the vocabular&y"),
        QT_TRANSLATE_NOOP(
            "Actions", "Show the entry of an id, or a range; in the vocabulary tab Ctrl+G does it as well"
        ),
    ),
    ActionSpec(
        "show_merges",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "S&how merges of the selection"),
        QT_TRANSLATE_NOOP("Actions", "How the selected text, or the word at the caret, is merged into tokens"),
        ("Ctrl+M",),
    ),
    ActionSpec(
        "import_prices",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "&Import prices…"),
        QT_TRANSLATE_NOOP("Actions", "Compare your prices with a published table, and take over what you pick of it"),
    ),
    ActionSpec(
        "calibrate",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "C&alibrate counts…"),
        QT_TRANSLATE_NOOP("Actions", "Narrow the estimates of a model by what its provider billed for this prompt"),
    ),
    ActionSpec(
        "cancel_jobs",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Stop r&unning jobs"),
        QT_TRANSLATE_NOOP("Actions", "Ask everything that runs in the background to end"),
        ("Ctrl+.",),
    ),
    ActionSpec(
        "show_profile",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Sho&w the profile folder"),
        QT_TRANSLATE_NOOP("Actions", "Open the folder with settings, prices and session"),
    ),
)

HELP: tuple[ActionSpec, ...] = (
    ActionSpec(
        "guide",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Guide"),
        QT_TRANSLATE_NOOP("Actions", "What each page is for"),
        (Standard.HelpContents, "F1"),
        "help",
    ),
    ActionSpec(
        "dots",
        "help",
        QT_TRANSLATE_NOOP("Actions", "What do the &dots mean?"),
        QT_TRANSLATE_NOOP("Actions", "How far each count can be trusted"),
    ),
    ActionSpec(
        "shortcuts",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "See and change the shortcuts of all actions"),
        ("Ctrl+F1",),
    ),
    ActionSpec(
        "about",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&About Tokenloupe"),
        QT_TRANSLATE_NOOP("Actions", "Version, licences and versions of what it stands on"),
    ),
)

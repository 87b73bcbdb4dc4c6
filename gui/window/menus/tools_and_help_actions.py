"""The actions of the menus Tools and Help."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.window.menus.action_spec import ActionSpec, Standard

TOOLS: tuple[ActionSpec, ...] = (
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
        "focus_prompt",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the &prompt"),
        QT_TRANSLATE_NOOP("Actions", "Put the caret into the prompt"),
        ("Ctrl+1",),
        keyword=QT_TRANSLATE_NOOP("Actions", "prompt"),
    ),
    ActionSpec(
        "focus_costs",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the c&ost table"),
        QT_TRANSLATE_NOOP("Actions", "Show the cost table and put the caret into its filter"),
        ("Ctrl+2",),
        keyword=QT_TRANSLATE_NOOP("Actions", "cost"),
    ),
    ActionSpec(
        "focus_training",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to &training"),
        QT_TRANSLATE_NOOP("Actions", "Learn a vocabulary of your own from a folder of texts"),
        ("Ctrl+3",),
        keyword=QT_TRANSLATE_NOOP("Actions", "training"),
    ),
    ActionSpec(
        "focus_vocabulary",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the &vocabulary"),
        QT_TRANSLATE_NOOP("Actions", "Search the entries of an encoding, by text, bytes or expression"),
        ("Ctrl+4",),
        keyword=QT_TRANSLATE_NOOP("Actions", "vocabulary"),
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
        "focus_merges",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to &merges"),
        QT_TRANSLATE_NOOP("Actions", "See how a text is merged into tokens, step by step"),
        ("Ctrl+5",),
        keyword=QT_TRANSLATE_NOOP("Actions", "merges"),
    ),
    ActionSpec(
        "show_merges",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "S&how merges of the selection"),
        QT_TRANSLATE_NOOP("Actions", "How the selected text, or the word at the caret, is merged into tokens"),
        ("Ctrl+M",),
    ),
    ActionSpec(
        "focus_lab",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the &Lab"),
        QT_TRANSLATE_NOOP("Actions", "Experiments on tokens, each with what is true"),
        ("Ctrl+6",),
        keyword=QT_TRANSLATE_NOOP("Actions", "Lab"),
    ),
    ActionSpec(
        "advisor",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Find savin&gs in the prompt"),
        QT_TRANSLATE_NOOP("Actions", "Where the tokens of the prompt are, and which edits would save some"),
        ("Ctrl+8",),
    ),
    ActionSpec(
        "versions",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Ver&sions of the prompt"),
        QT_TRANSLATE_NOOP("Actions", "Keep the prompt under a name, compare it with what was kept, and put that back"),
        ("Ctrl+9",),
    ),
    ActionSpec(
        "focus_files",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to &files"),
        QT_TRANSLATE_NOOP("Actions", "Count a folder, and choose what of it to send"),
        ("Ctrl+Shift+F",),
        keyword=QT_TRANSLATE_NOOP("Actions", "files"),
    ),
    ActionSpec(
        "focus_pricing",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to p&rices"),
        QT_TRANSLATE_NOOP("Actions", "Your own prices, as a file and as a form"),
        ("Ctrl+7",),
        keyword=QT_TRANSLATE_NOOP("Actions", "prices"),
    ),
    ActionSpec(
        "focus_conversation",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the conversatio&n"),
        QT_TRANSLATE_NOOP("Actions", "What a conversation of many turns costs, with a cache and without"),
        ("Ctrl+Shift+D",),
        keyword=QT_TRANSLATE_NOOP("Actions", "conversation"),
    ),
    ActionSpec(
        "focus_request",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the re&quest"),
        QT_TRANSLATE_NOOP("Actions", "Whole requests: messages, tools and images, and what they count"),
        ("Ctrl+Shift+R",),
        keyword=QT_TRANSLATE_NOOP("Actions", "request"),
    ),
    ActionSpec(
        "focus_compare",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Compare enco&dings"),
        QT_TRANSLATE_NOOP("Actions", "See the prompt, or another text, in several encodings, and where they differ"),
        ("Ctrl+Shift+E",),
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
        "shortcuts",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"),
        QT_TRANSLATE_NOOP("Actions", "All shortcuts on one sheet"),
        (Standard.HelpContents, "F1"),
        "help",
    ),
    ActionSpec(
        "about",
        "help",
        QT_TRANSLATE_NOOP("Actions", "&About Tokenloupe"),
        QT_TRANSLATE_NOOP("Actions", "Version, licences and versions of what it stands on"),
    ),
)

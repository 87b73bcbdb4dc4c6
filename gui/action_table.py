"""Every action of the window in one table: name, menu, text, tip, shortcuts, icon.

Menus, toolbar, command palette and the sheet of shortcuts are made from it (``gui.actions``).
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtGui import QKeySequence

Standard = QKeySequence.StandardKey


class ActionSpec(NamedTuple):
    """One action. ``shortcuts`` are key sequences as text, or a standard key of the platform.

    ``menu`` is the menu it is in. ``group`` makes actions exclude each other. ``separator`` puts a line before it.
    """

    name: str
    menu: str
    text: str
    tip: str
    shortcuts: tuple[str | Standard, ...] = ()
    icon: str = ""
    checkable: bool = False
    group: str = ""
    separator: bool = False
    submenu: str = ""


ACTIONS: tuple[ActionSpec, ...] = (
    # File
    ActionSpec(
        "new",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&New prompt"),
        QT_TRANSLATE_NOOP("Actions", "Empty the prompt; undo brings the text back"),
        (Standard.New,),
        "new",
    ),
    ActionSpec(
        "open",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        QT_TRANSLATE_NOOP("Actions", "Open a text file in the prompt"),
        (Standard.Open,),
        "open",
    ),
    ActionSpec(
        "save_as",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Save text &as…"),
        QT_TRANSLATE_NOOP("Actions", "Write the prompt to a file"),
        (Standard.Save, "Ctrl+Shift+S"),
        "save",
        separator=True,
    ),
    ActionSpec(
        "report",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Write a &report…"),
        QT_TRANSLATE_NOOP("Actions", "Counts, scenario, costs and where the prices come from, as a page or Markdown"),
    ),
    ActionSpec(
        "sample",
        "file",
        QT_TRANSLATE_NOOP("Actions", "Insert the sa&mple prompt"),
        QT_TRANSLATE_NOOP("Actions", "Replace the text by the sample of the first start; undo brings it back"),
    ),
    ActionSpec(
        "import_tokenizer",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Import a tokenizer…"),
        QT_TRANSLATE_NOOP("Actions", "Add a tokenizer file of a model to the encodings"),
        separator=True,
    ),
    ActionSpec(
        "tokenizers",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Tokenizers…"),
        QT_TRANSLATE_NOOP("Actions", "Your own tokenizers: rename, remove, assign to models, find on this computer"),
    ),
    ActionSpec(
        "close",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        QT_TRANSLATE_NOOP("Actions", "Close the window; the session is kept"),
        (Standard.Quit,),
        separator=True,
    ),
    # Edit
    ActionSpec(
        "undo",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        QT_TRANSLATE_NOOP("Actions", "Take back the last change of the text"),
        (Standard.Undo,),
        "undo",
    ),
    ActionSpec(
        "redo",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        QT_TRANSLATE_NOOP("Actions", "Make the change again"),
        (Standard.Redo,),
        "redo",
    ),
    ActionSpec(
        "cut",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Cu&t"),
        QT_TRANSLATE_NOOP("Actions", "Move the selection to the clipboard"),
        (Standard.Cut,),
        separator=True,
    ),
    ActionSpec(
        "copy",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Copy"),
        QT_TRANSLATE_NOOP("Actions", "Copy the selection to the clipboard"),
        (Standard.Copy,),
    ),
    ActionSpec(
        "paste",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Paste"),
        QT_TRANSLATE_NOOP("Actions", "Insert the text of the clipboard"),
        (Standard.Paste,),
    ),
    ActionSpec(
        "select_all",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Select &all"),
        QT_TRANSLATE_NOOP("Actions", "Select the whole prompt"),
        (Standard.SelectAll,),
    ),
    ActionSpec(
        "find",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "&Find…"),
        QT_TRANSLATE_NOOP("Actions", "Search the prompt"),
        (Standard.Find,),
        "find",
        separator=True,
    ),
    ActionSpec(
        "replace",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "R&eplace…"),
        QT_TRANSLATE_NOOP("Actions", "Search the prompt and put something else there"),
        ("Ctrl+H", "Ctrl+Alt+F"),
    ),
    ActionSpec(
        "find_next",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Find &next"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next match"),
        ("F3", "Ctrl+G"),
    ),
    ActionSpec(
        "find_previous",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Find pre&vious"),
        QT_TRANSLATE_NOOP("Actions", "Go to the match before"),
        ("Shift+F3", "Ctrl+Shift+G"),
    ),
    ActionSpec(
        "go_to_line",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Go to &line…"),
        QT_TRANSLATE_NOOP("Actions", "Put the caret at the start of a line"),
        ("Ctrl+L",),
        separator=True,
    ),
    ActionSpec(
        "go_to_token",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Go to to&ken…"),
        QT_TRANSLATE_NOOP("Actions", "Select a token by its place in the prompt"),
        ("Ctrl+Shift+L",),
    ),
    ActionSpec(
        "copy_token",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Copy t&oken at the caret"),
        QT_TRANSLATE_NOOP("Actions", "Copy place, id, bytes and text of the token at the caret"),
        ("Ctrl+Shift+C",),
    ),
    ActionSpec(
        "show_card",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Sho&w the card of the token"),
        QT_TRANSLATE_NOOP("Actions", "All about the token at the caret, until Esc"),
        ("Ctrl+I",),
    ),
    ActionSpec(
        "preferences",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Pre&ferences…"),
        QT_TRANSLATE_NOOP("Actions", "Look, editor, files and session"),
        (Standard.Preferences, "Ctrl+,"),
        "settings",
        separator=True,
    ),
    # View
    ActionSpec(
        "zoom_in",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        QT_TRANSLATE_NOOP("Actions", "Larger text in the prompt"),
        (Standard.ZoomIn, "Ctrl+="),
    ),
    ActionSpec(
        "zoom_out",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Zoom &out"),
        QT_TRANSLATE_NOOP("Actions", "Smaller text in the prompt"),
        (Standard.ZoomOut,),
    ),
    ActionSpec(
        "zoom_reset",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Zoom &back"),
        QT_TRANSLATE_NOOP("Actions", "Text of the prompt in its own size"),
        ("Ctrl+0",),
    ),
    ActionSpec(
        "wrap",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Wrap long lines"),
        QT_TRANSLATE_NOOP("Actions", "Break long lines at the edge of the window"),
        ("Alt+Z",),
        "wrap",
        checkable=True,
        separator=True,
    ),
    ActionSpec(
        "whitespace",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Show white &space"),
        QT_TRANSLATE_NOOP("Actions", "Draw a sign for every space and tab"),
        ("Ctrl+Shift+W",),
        "whitespace",
        checkable=True,
    ),
    ActionSpec(
        "special_tokens",
        "view",
        QT_TRANSLATE_NOOP("Actions", "S&pecial tokens as tokens"),
        QT_TRANSLATE_NOOP("Actions", "Count text that spells a special token, such as <|endoftext|>, as that token"),
        ("Ctrl+Shift+T",),
        "special",
        checkable=True,
    ),
    ActionSpec(
        "colours_standard",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Standard"),
        QT_TRANSLATE_NOOP("Actions", "Neighbouring tokens in different colours"),
        checkable=True,
        group="colours",
        submenu="colours",
    ),
    ActionSpec(
        "colours_colour_safe",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Safe for colour-&blind eyes"),
        QT_TRANSLATE_NOOP("Actions", "Colours that differ for every kind of colour vision"),
        checkable=True,
        group="colours",
        submenu="colours",
    ),
    ActionSpec(
        "colours_none",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&No colour, boundaries only"),
        QT_TRANSLATE_NOOP("Actions", "Tokens told apart by lines alone"),
        checkable=True,
        group="colours",
        submenu="colours",
    ),
    ActionSpec(
        "theme_system",
        "view",
        QT_TRANSLATE_NOOP("Actions", "As the &system"),
        QT_TRANSLATE_NOOP("Actions", "Light or dark as the system says"),
        checkable=True,
        group="theme",
        submenu="theme",
    ),
    ActionSpec(
        "theme_light",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Light"),
        QT_TRANSLATE_NOOP("Actions", "Dark text on a light ground"),
        checkable=True,
        group="theme",
        submenu="theme",
    ),
    ActionSpec(
        "theme_dark",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Dark"),
        QT_TRANSLATE_NOOP("Actions", "Light text on a dark ground"),
        checkable=True,
        group="theme",
        submenu="theme",
    ),
    ActionSpec(
        "high_contrast",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&High contrast"),
        QT_TRANSLATE_NOOP("Actions", "Black and white, every border a line"),
        checkable=True,
        submenu="theme",
        separator=True,
    ),
    ActionSpec(
        "full_screen",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Full screen"),
        QT_TRANSLATE_NOOP("Actions", "The window on the whole screen"),
        ("F11",),
        checkable=True,
        separator=True,
    ),
    # Tools
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
    ),
    ActionSpec(
        "focus_costs",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the c&ost table"),
        QT_TRANSLATE_NOOP("Actions", "Show the cost table and put the caret into its filter"),
        ("Ctrl+2",),
    ),
    ActionSpec(
        "focus_training",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to &training"),
        QT_TRANSLATE_NOOP("Actions", "Learn a vocabulary of your own from a folder of texts"),
        ("Ctrl+3",),
    ),
    ActionSpec(
        "focus_vocabulary",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the &vocabulary"),
        QT_TRANSLATE_NOOP("Actions", "Search the entries of an encoding, by text, bytes or expression"),
        ("Ctrl+4",),
    ),
    ActionSpec(
        "go_to_entry",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to an &id of the vocabulary"),
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
    ),
    ActionSpec(
        "show_merges",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Show merges of the se&lection"),
        QT_TRANSLATE_NOOP("Actions", "How the selected text, or the word at the caret, is merged into tokens"),
        ("Ctrl+M",),
    ),
    ActionSpec(
        "focus_lab",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the &Lab"),
        QT_TRANSLATE_NOOP("Actions", "Experiments on tokens, each with what is true"),
        ("Ctrl+6",),
    ),
    ActionSpec(
        "advisor",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Find sa&vings in the prompt"),
        QT_TRANSLATE_NOOP("Actions", "Where the tokens of the prompt are, and which edits would save some"),
        ("Ctrl+8",),
    ),
    ActionSpec(
        "versions",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Versions of the pro&mpt"),
        QT_TRANSLATE_NOOP("Actions", "Keep the prompt under a name, compare it with what was kept, and put that back"),
        ("Ctrl+9",),
    ),
    ActionSpec(
        "focus_files",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to &files"),
        QT_TRANSLATE_NOOP("Actions", "Count a folder, and choose what of it to send"),
        ("Ctrl+Shift+F",),
    ),
    ActionSpec(
        "focus_pricing",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to p&rices"),
        QT_TRANSLATE_NOOP("Actions", "Your own prices, as a file and as a form"),
        ("Ctrl+7",),
    ),
    ActionSpec(
        "focus_conversation",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the conversatio&n"),
        QT_TRANSLATE_NOOP("Actions", "What a conversation of many turns costs, with a cache and without"),
        ("Ctrl+Shift+D",),
    ),
    ActionSpec(
        "focus_request",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Go to the re&quest"),
        QT_TRANSLATE_NOOP("Actions", "Whole requests: messages, tools and images, and what they count"),
        ("Ctrl+Shift+R",),
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
        QT_TRANSLATE_NOOP("Actions", "&Stop running jobs"),
        QT_TRANSLATE_NOOP("Actions", "Ask everything that runs in the background to end"),
        ("Ctrl+.",),
    ),
    ActionSpec(
        "show_profile",
        "tools",
        QT_TRANSLATE_NOOP("Actions", "Show the profile &folder"),
        QT_TRANSLATE_NOOP("Actions", "Open the folder with settings, prices and session"),
    ),
    # Help
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

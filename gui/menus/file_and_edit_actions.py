"""The actions of the menus File and Edit."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from gui.menus.action_spec import ActionSpec, Standard

FILE: tuple[ActionSpec, ...] = (
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
        QT_TRANSLATE_NOOP("Actions", "Write a re&port…"),
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
)

EDIT: tuple[ActionSpec, ...] = (
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
        QT_TRANSLATE_NOOP("Actions", "Preference&s…"),
        QT_TRANSLATE_NOOP("Actions", "Look, editor, files and session"),
        (Standard.Preferences, "Ctrl+,"),
        "settings",
        separator=True,
    ),
)

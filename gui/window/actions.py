"""The window's actions: a table of all menus, and the ``QAction``s made from it. Handlers connect to those.

Menus, command palette and shortcuts page are built from the table. Actions that show a workspace or a page come from
the registry (``gui.window.workspaces``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QT_TR_NOOP, QT_TRANSLATE_NOOP, QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu

from gui.look.icons import Icons
from gui.window.workspaces import SHORTCUT, WORKSPACES

Standard = QKeySequence.StandardKey
tr = QT_TR_NOOP  # marks a text of the table; ``translated`` translates it


class ActionSpec(NamedTuple):
    """An action. ``shortcuts``: key sequences as text, or standard keys of the platform.

    ``group``: actions of a group exclude each other. ``separator``: draw a line before it. ``checked``: initial state.
    ``keyword``: ranks it first in the command palette; ``kind``: shown before its name there, by default the submenu.
    """

    name: str
    text: str
    tip: str
    shortcuts: tuple[str | Standard, ...] = ()
    icon: str = ""
    checkable: bool = False
    group: str = ""
    separator: bool = False
    submenu: str = ""
    keyword: str = ""
    kind: str = ""
    checked: bool = False


def _choice(submenu: str, name: str, text: str, tip: str) -> ActionSpec:
    """Return one of the exclusive choices of a submenu."""
    return ActionSpec(name, text, tip, checkable=True, group=submenu, submenu=submenu)


class Actions:
    """The actions of each menu, in order. The class gives their texts a translation context."""

    FILE: tuple[ActionSpec, ...] = (
        ActionSpec("new", tr("&New prompt"), tr("Clear the editor; Undo restores the text"), (Standard.New,), "new"),
        ActionSpec("open", tr("&Open…"), tr("Open a text file in the prompt"), (Standard.Open,), "open"),
        ActionSpec("save", tr("&Save"), tr("Save the prompt to its file"), (Standard.Save,), "save", separator=True),
        ActionSpec("save_as", tr("Save &as…"), tr("Save the prompt to another file"), ("Ctrl+Shift+S",)),
        ActionSpec(
            "report", tr("Export re&port…"), tr("Export counts, scenario, costs and price sources as HTML or Markdown")
        ),
        ActionSpec(
            "sample", tr("Insert sa&mple prompt"), tr("Replace the text with the sample prompt; Undo restores it")
        ),
        ActionSpec(
            "import_tokenizer", tr("&Import a tokenizer…"), tr("Add an encoding from a tokenizer file"), separator=True
        ),
        ActionSpec(
            "go_private", tr("Private mo&de"), tr("Stop saving text from this window to the profile"), separator=True
        ),
        ActionSpec(
            "remove_texts",
            tr("Remo&ve saved texts…"),
            tr("Remove saved sessions, prompt versions and Lab texts from the profile"),
        ),
        ActionSpec(
            "close", tr("&Quit"), tr("Close the window; the session is saved"), (Standard.Quit,), separator=True
        ),
    )

    EDIT: tuple[ActionSpec, ...] = (
        ActionSpec("undo", tr("&Undo"), tr("Undo the last edit"), (Standard.Undo,), "undo"),
        ActionSpec("redo", tr("&Redo"), tr("Redo the edit that was undone"), (Standard.Redo,), "redo"),
        ActionSpec("cut", tr("Cu&t"), tr("Move the selection to the clipboard"), (Standard.Cut,), separator=True),
        ActionSpec("copy", tr("&Copy"), tr("Copy the selection to the clipboard"), (Standard.Copy,)),
        ActionSpec("paste", tr("&Paste"), tr("Paste text from the clipboard"), (Standard.Paste,)),
        ActionSpec("select_all", tr("Select &all"), tr("Select the whole prompt"), (Standard.SelectAll,)),
        ActionSpec("find", tr("&Find…"), tr("Search the prompt"), (Standard.Find,), "find", separator=True),
        ActionSpec("replace", tr("R&eplace…"), tr("Find and replace in the prompt"), ("Ctrl+H", "Ctrl+Alt+F")),
        ActionSpec("find_next", tr("Find &next"), tr("Go to the next match"), ("F3", "Ctrl+G")),
        ActionSpec("find_previous", tr("Find pre&vious"), tr("Go to the previous match"), ("Shift+F3", "Ctrl+Shift+G")),
        ActionSpec("go_to_line", tr("Go to &line…"), tr("Move the caret to a line"), ("Ctrl+L",), separator=True),
        ActionSpec("go_to_token", tr("Go to to&ken…"), tr("Select a token by its position"), ("Ctrl+Shift+L",)),
        ActionSpec(
            "copy_token",
            tr("Copy t&oken at caret"),
            tr("Copy position, ID, bytes and text of the token at the caret"),
            ("Ctrl+Shift+C",),
        ),
        ActionSpec("copy_token_id", tr("Copy &ID"), tr("Copy the ID of the token at the caret"), submenu="token"),
        ActionSpec(
            "copy_ids",
            tr("Copy I&Ds of selection"),
            tr("Copy the token IDs of the selection, or of the whole prompt"),
            ("Ctrl+Shift+I",),
            submenu="token",
        ),
        ActionSpec(
            "show_in_vocabulary",
            tr("Show in &vocabulary"),
            tr("Open the entry of the token at the caret"),
            submenu="token",
        ),
        ActionSpec(
            "why_not_one_token",
            tr("&Why is this not one token?"),
            tr("Explain why the selection, or the word at the caret, is several tokens"),
            submenu="token",
        ),
        ActionSpec(
            "cut_to_tokens",
            tr("Cut to tokens…"),
            tr("Shorten the prompt to a number of tokens, from its start, end or middle"),
            ("Ctrl+Shift+K",),
        ),
        ActionSpec("ids_to_text", tr("IDs to te&xt…"), tr("Decode pasted token IDs into text")),
        ActionSpec(
            "show_card",
            tr("Sho&w token card"),
            tr("Pin the details of the token at the caret; Esc closes them"),
            ("Ctrl+I",),
        ),
        ActionSpec(
            "preferences",
            tr("Setting&s…"),
            tr("Appearance, editor, files and session"),
            (Standard.Preferences, "Ctrl+,"),
            "settings",
            separator=True,
        ),
    )

    STEPS: tuple[ActionSpec, ...] = (
        ActionSpec(
            "next_page",
            tr("Ne&xt page"),
            tr("Show the next page of the workspace"),
            ("Ctrl+Tab",),
            submenu="pages",
            kind=tr("Page"),
            separator=True,
        ),
        ActionSpec(
            "previous_page",
            tr("Prev&ious page"),
            tr("Show the previous page of the workspace"),
            ("Ctrl+Shift+Tab",),
            submenu="pages",
            kind=tr("Page"),
        ),
        ActionSpec(
            "next_region",
            tr("Next region"),
            tr("Move focus to the next region: rail, header, page, inspector, status bar"),
            ("F6",),
            submenu="pages",
            kind=tr("Keyboard"),
            separator=True,
        ),
        ActionSpec(
            "previous_region",
            tr("Previous region"),
            tr("Move focus to the previous region"),
            ("Shift+F6",),
            submenu="pages",
            kind=tr("Keyboard"),
        ),
    )

    VIEW: tuple[ActionSpec, ...] = (
        ActionSpec(
            "zoom_in", tr("Zoom &in"), tr("Enlarge the prompt text"), (Standard.ZoomIn, "Ctrl+="), separator=True
        ),
        ActionSpec("zoom_out", tr("Zoom &out"), tr("Shrink the prompt text"), (Standard.ZoomOut,)),
        ActionSpec("zoom_reset", tr("Rese&t zoom"), tr("Show the prompt at its normal size"), ("Ctrl+0",)),
        ActionSpec(
            "wrap",
            tr("&Wrap long lines"),
            tr("Wrap long lines at the window edge"),
            ("Alt+Z",),
            "wrap",
            checkable=True,
            separator=True,
        ),
        ActionSpec(
            "whitespace",
            tr("Show white&space"),
            tr("Mark spaces and tabs"),
            ("Ctrl+Shift+W",),
            "whitespace",
            checkable=True,
        ),
        ActionSpec(
            "special_tokens",
            tr("Recognize s&pecial tokens"),
            tr("Count text such as <|endoftext|> as the special token it spells"),
            ("Ctrl+Shift+T",),
            "special",
            checkable=True,
        ),
        ActionSpec("line_numbers", tr("Line &numbers"), tr("Show line numbers in the margin"), checkable=True),
        ActionSpec(
            "line_tokens",
            tr("To&kens per line"),
            tr("Show in the margin how many tokens each line has"),
            checkable=True,
        ),
        _choice("colours", "colours_standard", tr("&Alternate"), tr("Give adjacent tokens different colours")),
        _choice("colours", "colours_by_id", tr("By &ID"), tr("Give the same token always the same colour")),
        _choice("colours", "colours_by_length", tr("By &length"), tr("Give short and long tokens different colours")),
        _choice(
            "colours",
            "colours_colour_safe",
            tr("Colour-&blind safe"),
            tr("Colours that every kind of colour vision can tell apart"),
        ),
        _choice("colours", "colours_none", tr("B&oundaries only"), tr("Tokens separated by lines, without colours")),
        _choice("theme", "theme_system", tr("&System default"), tr("Use the system's light or dark mode")),
        _choice("theme", "theme_light", tr("&Light"), tr("Dark text on a light background")),
        _choice("theme", "theme_dark", tr("&Dark"), tr("Light text on a dark background")),
        ActionSpec(
            "high_contrast",
            tr("&High contrast"),
            tr("Black and white, with outlined borders"),
            submenu="theme",
            checkable=True,
            separator=True,
        ),
        ActionSpec(
            "inspector",
            tr("Inspecto&r"),
            tr("Show the token at the caret and the cost breakdown of a model"),
            ("F9",),
            "sidebar",
            checkable=True,
            checked=True,
            separator=True,
        ),
        ActionSpec(
            "full_screen",
            tr("&Full screen"),
            tr("Show the window full screen"),
            ("F11",),
            checkable=True,
            separator=True,
        ),
    )

    TOOLS: tuple[ActionSpec, ...] = (
        ActionSpec(
            "search", tr("Sea&rch or run…"), tr("Find models, encodings, pages and commands"), ("Ctrl+K",), "search"
        ),
        ActionSpec(
            "command_palette",
            tr("&Command palette…"),
            tr("Run any action by typing part of its name"),
            ("Ctrl+Shift+P",),
            "palette",
        ),
        ActionSpec("choose_encoding", tr("Choose &encoding"), tr("Focus the encoding picker"), ("Ctrl+E",)),
        ActionSpec(
            "go_to_entry",
            tr("Go to an ID in the vocabular&y"),
            tr("Show the entry of an ID, or a range. On the page Vocabulary, Ctrl+G does the same"),
        ),
        ActionSpec(
            "show_merges",
            tr("S&how merges of the selection"),
            tr("Show how the selection, or the word at the caret, is merged"),
            ("Ctrl+M",),
        ),
        ActionSpec(
            "import_prices",
            tr("&Import prices…"),
            tr("Compare your prices with a published table and import selected values"),
        ),
        ActionSpec(
            "calibrate",
            tr("C&alibrate counts…"),
            tr("Narrow a model's estimates with what its provider billed for this prompt"),
        ),
        ActionSpec("cancel_jobs", tr("Stop r&unning jobs"), tr("Cancel all background jobs"), ("Ctrl+.",)),
        ActionSpec(
            "show_profile", tr("Sho&w the profile folder"), tr("Open the folder with settings, prices and session")
        ),
    )

    HELP: tuple[ActionSpec, ...] = (
        ActionSpec("guide", tr("&Guide"), tr("Introduce every page"), (Standard.HelpContents, "F1"), "help"),
        ActionSpec("dots", tr("What do the &dots mean?"), tr("Explain count quality")),
        ActionSpec(
            "shortcuts", tr("&Keyboard shortcuts"), tr("See and change the shortcuts of all actions"), ("Ctrl+F1",)
        ),
        ActionSpec("about", tr("&About Tokenloupe"), tr("Version, licences and bundled components")),
    )


# --- table ------------------------------------------------------------------------------------------------------------

MENUS = {
    "file": QT_TRANSLATE_NOOP("Actions", "&File"),
    "edit": QT_TRANSLATE_NOOP("Actions", "&Edit"),
    "view": QT_TRANSLATE_NOOP("Actions", "&View"),
    "tools": QT_TRANSLATE_NOOP("Actions", "&Tools"),
    "help": QT_TRANSLATE_NOOP("Actions", "&Help"),
}

SUBMENUS = {
    "recent": QT_TRANSLATE_NOOP("Actions", "Open &recent"),
    "pages": QT_TRANSLATE_NOOP("Actions", "P&ages"),
    "token": QT_TRANSLATE_NOOP("Actions", "Token at the caret"),
    "theme": QT_TRANSLATE_NOOP("Actions", "T&heme"),
    "colours": QT_TRANSLATE_NOOP("Actions", "Token colo&urs"),
}

WORKSPACE_ACTION = "workspace_{}"
"""Name of the action that shows a workspace, by its position."""


def _workspace_actions() -> Iterator[ActionSpec]:
    for number, workspace in enumerate(WORKSPACES, 1):
        yield ActionSpec(
            WORKSPACE_ACTION.format(number),
            workspace.menu,
            workspace.tip,
            (SHORTCUT.format(number),),
            workspace.icon,
            checkable=True,
            group="workspace",
            kind=QT_TRANSLATE_NOOP("Actions", "Workspace"),
        )


def _page_actions() -> Iterator[ActionSpec]:
    for workspace in WORKSPACES:
        for page in workspace.pages:
            yield ActionSpec(
                page.action,
                page.menu,
                page.tip,
                page.shortcuts,
                submenu="pages",
                separator=page is workspace.pages[0] and workspace is not WORKSPACES[0],
                keyword=page.keyword or page.title,
                kind=workspace.title,
            )


ACTIONS: dict[str, tuple[ActionSpec, ...]] = {
    "file": Actions.FILE,
    "edit": Actions.EDIT,
    "view": (*_workspace_actions(), *_page_actions(), *Actions.STEPS, *Actions.VIEW),
    "tools": Actions.TOOLS,
    "help": Actions.HELP,
}
"""The actions of each menu, by the keys of ``MENUS``."""


# --- actions ----------------------------------------------------------------------------------------------------------


class WindowActions(QObject):
    """The ``QAction`` of every row of the table, accessed by name with ``[]``."""

    def __init__(self, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._groups: dict[str, QActionGroup] = {}
        self._actions: dict[str, QAction] = {}
        self._defaults: dict[str, list[QKeySequence]] = {}
        for specs in ACTIONS.values():
            for spec in specs:
                self._actions[spec.name] = self._make(spec, icons)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self):
        return iter(self._actions.items())

    def default_keys(self, name: str) -> list[QKeySequence] | None:
        """Return the default keys of an action; None if it is not in the table."""
        return self._defaults.get(name)

    def use_shortcuts(self, changed: Iterable[str]) -> None:
        """Apply the user's shortcuts (``Settings.shortcuts``); all other actions get their default keys."""
        changed_keys = {name: keys for name, _, keys in (entry.partition("=") for entry in changed)}
        for name, action in self._actions.items():
            own = [QKeySequence(changed_keys[name])] if changed_keys.get(name) else []
            keys = own if name in changed_keys else self._defaults[name]
            if action.shortcuts() != keys:
                _set_keys(action, keys)

    def _make(self, spec: ActionSpec, icons: Icons) -> QAction:
        action = QAction(translated(spec.text), self)
        action.setObjectName(spec.name)
        keys: list[QKeySequence] = []
        for shortcut in spec.shortcuts:
            if isinstance(shortcut, str):
                keys.append(QKeySequence(shortcut))
            else:
                # The first is the one in use; others are on few keyboards, such as F14 and Copy.
                keys += QKeySequence.keyBindings(shortcut)[:1]
        self._defaults[spec.name] = _without_repeats(keys)
        action.setStatusTip(translated(spec.tip))
        _set_keys(action, self._defaults[spec.name])
        action.setProperty("kind", translated(spec.kind) if spec.kind else "")
        action.setProperty("keyword", translated(spec.keyword) if spec.keyword else "")
        action.setCheckable(spec.checkable)
        action.setChecked(spec.checked)
        if spec.icon:
            action.setIcon(icons.icon(spec.icon))
        if spec.group:
            group = self._groups.get(spec.group)
            if group is None:
                group = self._groups[spec.group] = QActionGroup(self)
            group.addAction(action)
        return action


def _set_keys(action: QAction, keys: list[QKeySequence]) -> None:
    """Set the keys of an action, and name the first one in its tooltip."""
    action.setShortcuts(keys)
    shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{action.statusTip()} ({shown})" if shown else action.statusTip())


def translated(text: str) -> str:
    """Translate a text of the action table."""
    return QCoreApplication.translate("Actions", text)


def plain_text(action: QAction) -> str:
    """Return the name of an action, without its mnemonic mark and the ellipsis that announces a dialog."""
    text = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    return text.removesuffix("…")


def submenu_of(action: QAction) -> QMenu | None:
    """Return the submenu that contains an action; None if it is in a menu of the menu bar."""
    menus = (owner for owner in action.associatedObjects() if isinstance(owner, QMenu))
    return next((menu for menu in menus if isinstance(menu.parentWidget(), QMenu)), None)


def _without_repeats(keys: list[QKeySequence]) -> list[QKeySequence]:
    seen: list[QKeySequence] = []
    for key in keys:
        if not key.isEmpty() and key not in seen:
            seen.append(key)
    return seen

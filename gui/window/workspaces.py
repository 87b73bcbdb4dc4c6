"""The registry of workspaces and their pages.

Rail, page switcher, View menu, palette, shortcuts, session and lazy building are derived from ``WORKSPACES``: adding,
moving or removing a page needs no change elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP

PROMPT_PAGE = "promptTab"
MODELS_PAGE = "modelsPage"
SHORTCUT = "Ctrl+{}"
"""Shortcut of a workspace, by its position."""


class PageSpec(NamedTuple):
    """A page of a workspace.

    ``name``: object name, which sessions store. ``description``: accessible name. ``action``: name of the action that
    shows the page, ``menu`` its menu text with a mnemonic, ``keyword`` (by default the title) ranks it first in the
    palette. ``controller``
    ("module:class") is created after the first paint with the ``AppContext``, and with the field ``state`` of the
    session if there is one; it builds the page when the page is first shown.
    """

    name: str
    title: str
    menu: str
    description: str
    action: str
    tip: str
    controller: str = ""
    state: str = ""
    shortcuts: tuple[str, ...] = ()
    keyword: str = ""


class Workspace(NamedTuple):
    """An entry of the rail with its pages."""

    id: str
    title: str
    menu: str
    icon: str
    tip: str
    pages: tuple[PageSpec, ...]


WORKSPACES: tuple[Workspace, ...] = (
    Workspace(
        "prompt",
        QT_TRANSLATE_NOOP("Actions", "Prompt"),
        QT_TRANSLATE_NOOP("Actions", "Pro&mpt"),
        "prompt",
        QT_TRANSLATE_NOOP("Actions", "The prompt: text, chat, comparison, savings and versions"),
        (
            PageSpec(
                PROMPT_PAGE,
                QT_TRANSLATE_NOOP("Actions", "Text"),
                QT_TRANSLATE_NOOP("Actions", "&Text"),
                QT_TRANSLATE_NOOP("Actions", "Text of the prompt and its tokens"),
                "focus_prompt",
                QT_TRANSLATE_NOOP("Actions", "Focus the editor"),
                keyword=QT_TRANSLATE_NOOP("Actions", "prompt"),
            ),
            PageSpec(
                "requestTab",
                QT_TRANSLATE_NOOP("Actions", "Chat"),
                QT_TRANSLATE_NOOP("Actions", "&Chat"),
                QT_TRANSLATE_NOOP("Actions", "Whole requests: messages, tools and images"),
                "focus_request",
                QT_TRANSLATE_NOOP("Actions", "Count whole requests: messages, tools and images"),
                "gui.prompt.chat.controller:ChatController",
                "request",
                ("Ctrl+Shift+R",),
                QT_TRANSLATE_NOOP("Actions", "request"),
            ),
            PageSpec(
                "compareTab",
                QT_TRANSLATE_NOOP("Actions", "Compare"),
                QT_TRANSLATE_NOOP("Actions", "Co&mpare"),
                QT_TRANSLATE_NOOP("Actions", "One text in several encodings"),
                "focus_compare",
                QT_TRANSLATE_NOOP("Actions", "Compare the tokens of a text in several encodings"),
                "gui.prompt.compare.controller:CompareController",
                "compare",
                ("Ctrl+Shift+E",),
            ),
            PageSpec(
                "savingsTab",
                QT_TRANSLATE_NOOP("Actions", "Savings"),
                QT_TRANSLATE_NOOP("Actions", "&Savings"),
                QT_TRANSLATE_NOOP("Actions", "Heaviest parts of the prompt, and edits that save tokens"),
                "advisor",
                QT_TRANSLATE_NOOP("Actions", "Find the heaviest parts of the prompt and edits that save tokens"),
                "gui.prompt.savings.controller:SavingsController",
            ),
            PageSpec(
                "versionsTab",
                QT_TRANSLATE_NOOP("Actions", "Versions"),
                QT_TRANSLATE_NOOP("Actions", "&Versions"),
                QT_TRANSLATE_NOOP("Actions", "Saved versions of the prompt and their differences"),
                "versions",
                QT_TRANSLATE_NOOP("Actions", "Save versions of the prompt; compare and restore them"),
                "gui.prompt.versions.controller:VersionsController",
            ),
        ),
    ),
    Workspace(
        "cost",
        QT_TRANSLATE_NOOP("Actions", "Cost"),
        QT_TRANSLATE_NOOP("Actions", "&Cost"),
        "cost",
        QT_TRANSLATE_NOOP("Actions", "Cost of the prompt by model"),
        (
            PageSpec(
                MODELS_PAGE,
                QT_TRANSLATE_NOOP("Actions", "Models"),
                QT_TRANSLATE_NOOP("Actions", "M&odels"),
                QT_TRANSLATE_NOOP("Actions", "Cost of the prompt by model"),
                "focus_costs",
                QT_TRANSLATE_NOOP("Actions", "Compare the cost of all models and filter them"),
                keyword=QT_TRANSLATE_NOOP("Actions", "cost"),
            ),
            PageSpec(
                "conversationTab",
                QT_TRANSLATE_NOOP("Actions", "Conversation"),
                QT_TRANSLATE_NOOP("Actions", "Co&nversation"),
                QT_TRANSLATE_NOOP("Actions", "Cost of a conversation, turn by turn"),
                "focus_conversation",
                QT_TRANSLATE_NOOP("Actions", "Calculate the cost of a conversation, with and without caching"),
                "gui.costs.conversation_controller:ConversationController",
                "conversation",
                ("Ctrl+Shift+D",),
            ),
            PageSpec(
                "pricingTab",
                QT_TRANSLATE_NOOP("Actions", "Prices"),
                QT_TRANSLATE_NOOP("Actions", "&Prices"),
                QT_TRANSLATE_NOOP("Actions", "Your own prices"),
                "focus_pricing",
                QT_TRANSLATE_NOOP("Actions", "Edit your own prices in a form or as YAML"),
                "gui.costs.prices_controller:PricesController",
                "pricing",
            ),
        ),
    ),
    Workspace(
        "files",
        QT_TRANSLATE_NOOP("Actions", "Files"),
        QT_TRANSLATE_NOOP("Actions", "Fil&es"),
        "files",
        QT_TRANSLATE_NOOP("Actions", "Tokens of a folder, file by file"),
        (
            PageSpec(
                "filesTab",
                QT_TRANSLATE_NOOP("Actions", "Files"),
                QT_TRANSLATE_NOOP("Actions", "&Files"),
                QT_TRANSLATE_NOOP("Actions", "Tokens of a folder, file by file"),
                "focus_files",
                QT_TRANSLATE_NOOP("Actions", "Count a folder and choose which files to send"),
                "gui.files.files_controller:FilesController",
                "files",
                ("Ctrl+Shift+F",),
            ),
        ),
    ),
    Workspace(
        "tokenizers",
        QT_TRANSLATE_NOOP("Actions", "Tokenizers"),
        QT_TRANSLATE_NOOP("Actions", "Tokeni&zers"),
        "tokenizers",
        QT_TRANSLATE_NOOP("Actions", "Tokenizer library, training, vocabularies and merges"),
        (
            PageSpec(
                "libraryTab",
                QT_TRANSLATE_NOOP("Actions", "Library"),
                QT_TRANSLATE_NOOP("Actions", "Librar&y"),
                QT_TRANSLATE_NOOP("Actions", "Tokenizer library"),
                "tokenizers",
                QT_TRANSLATE_NOOP("Actions", "Find, import, rename and remove tokenizers, and assign them to models"),
                "gui.tokenizers.library.controller:LibraryController",
                keyword=QT_TRANSLATE_NOOP("Actions", "tokenizers"),
            ),
            PageSpec(
                "trainingTab",
                QT_TRANSLATE_NOOP("Actions", "Train"),
                QT_TRANSLATE_NOOP("Actions", "T&rain"),
                QT_TRANSLATE_NOOP("Actions", "Training of a tokenizer on your own texts"),
                "focus_training",
                QT_TRANSLATE_NOOP("Actions", "Train a tokenizer on a folder of text"),
                "gui.tokenizers.train.controller:TrainingController",
                "training",
                keyword=QT_TRANSLATE_NOOP("Actions", "training"),
            ),
            PageSpec(
                "vocabularyTab",
                QT_TRANSLATE_NOOP("Actions", "Vocabulary"),
                QT_TRANSLATE_NOOP("Actions", "Voca&bulary"),
                QT_TRANSLATE_NOOP("Actions", "Entries of a vocabulary"),
                "focus_vocabulary",
                QT_TRANSLATE_NOOP("Actions", "Search an encoding's vocabulary by text, bytes or regex"),
                "gui.tokenizers.vocabulary.controller:VocabularyController",
                "vocabulary",
            ),
            PageSpec(
                "mergesTab",
                QT_TRANSLATE_NOOP("Actions", "Merges"),
                QT_TRANSLATE_NOOP("Actions", "Mer&ges"),
                QT_TRANSLATE_NOOP("Actions", "How a text is merged into tokens"),
                "focus_merges",
                QT_TRANSLATE_NOOP("Actions", "See how a text is merged into tokens, step by step"),
                "gui.tokenizers.merges.controller:MergesController",
                "merges",
            ),
        ),
    ),
    Workspace(
        "lab",
        QT_TRANSLATE_NOOP("Actions", "Lab"),
        QT_TRANSLATE_NOOP("Actions", "&Lab"),
        "lab",
        QT_TRANSLATE_NOOP("Actions", "Small experiments with tokens, to edit and run"),
        (
            PageSpec(
                "labTab",
                QT_TRANSLATE_NOOP("Actions", "Lab"),
                QT_TRANSLATE_NOOP("Actions", "&Lab"),
                QT_TRANSLATE_NOOP("Actions", "Experiments on tokens"),
                "focus_lab",
                QT_TRANSLATE_NOOP("Actions", "Small experiments with tokens, to edit and run"),
                "gui.lab.lab_controller:LabController",
            ),
        ),
    ),
)


def all_pages() -> tuple[PageSpec, ...]:
    """Return every page, in the order of the workspaces."""
    return tuple(page for workspace in WORKSPACES for page in workspace.pages)

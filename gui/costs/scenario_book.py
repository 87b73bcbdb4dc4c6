"""Scenarios: the user's choices, as saved in the session, and named ones in a file with their menu."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QMenu, QPushButton, QWidget

from gui.core.figures import MAX_TOKENS
from gui.core.profile_files import DamagedFile, Document, is_newer, read_document, set_aside
from gui.core.token_text import visible_line
from gui.costs.cost_service import calls_of_a_month
from gui.runtime.notify import Notifier, Offer
from gui.state.storage import SharedFile, Storage
from gui.widgets.forms import Dialog, button_row, column_of, label_of
from gui.widgets.labels import plain_tip, wrapped_label

if TYPE_CHECKING:
    from pricing.types import CallMix, Scenario


MAX_CALLS = 1_000_000_000
MAX_BUDGET = Decimal("9999999.99")
MIN_FACTOR, MAX_FACTOR = Decimal("0.01"), Decimal(1000)
TOKENS, PER_CENT = "tokens", "percent"
DOLLARS = "USD"
SERVICES = ("flex", "priority", "fast", "ultrafast")
"""Same as ``pricing.types.SERVICES``, so that a window need not import ``pricing`` to read its session."""
HOURS = ("peak", "off-peak", "average")
"""Same as ``pricing.types.HOURS``."""
LONGEST_NAME = 60
"""Maximum length of a scenario's name, in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioChoices:
    """All choices of a scenario, with their defaults.

    ``output_range`` and ``reasoning_range`` are the minimum and maximum tokens, and include the expected number; None:
    exactly the expected number. ``cached`` is in tokens, or in percent of the prompt, by ``cached_unit``.
    ``hit_percent`` of the calls hit the cache for that part, the others write it; None: every call hits it, and writes
    ``cache_write`` and ``cache_write_1h`` tokens. ``calls_a_day`` is 0 if it is not given. If ``batch`` is set,
    ``batch_percent`` of the calls are batch calls, and none use the tier ``service``. ``hours`` are those of a price
    that depends on them, empty for all. ``budget`` is in US dollars for all calls, 0 for none. ``on`` is None if prices
    follow the calendar. ``currency`` is one that the user's price file has a rate for.
    """

    output_tokens: int = 500
    output_range: tuple[int, int] | None = None
    reasoning_tokens: int = 0
    reasoning_range: tuple[int, int] | None = None
    cached: int = 0
    cached_unit: str = TOKENS
    cache_write: int = 0
    cache_write_1h: int = 0
    hit_percent: Decimal | None = None
    for_an_hour: bool = False
    calls: int = 1_000
    calls_a_day: int = 0
    batch: bool = False
    batch_percent: int = 100
    service: str = ""
    hours: str = ""
    budget: Decimal = Decimal(0)
    factor: Decimal = Decimal(1)
    on: date | None = None
    currency: str = DOLLARS

    def scenario(self, today: date) -> Scenario:
        """Return the scenario to price."""
        from pricing.types import Scenario

        share = Decimal(self.cached) / 100 if self.cached_unit == PER_CENT else None
        return Scenario(
            on=self.on or today,
            output_tokens=self.output_tokens,
            output_range=self.output_range,
            reasoning_tokens=self.reasoning_tokens,
            reasoning_range=self.reasoning_range,
            cached_tokens=self.cached if share is None else None,
            cached_share=share,
            cache_write_tokens=self.cache_write,
            cache_write_1h_tokens=self.cache_write_1h,
            batch=self.batch,
            service="" if self.batch else self.service,
            hours=self.hours,
            now=_this_quarter() if self.on in (None, today) else None,
            calls=self.calls,
            factor=self.factor,
        )

    def mix(self) -> CallMix:
        """Return how calls differ from each other."""
        from pricing.types import CallMix

        return CallMix(
            hit_rate=None if self.hit_percent is None else self.hit_percent / 100,
            for_an_hour=self.for_an_hour,
            batch_share=Decimal(self.batch_percent) / 100 if self.batch and self.batch_percent < 100 else None,
        )

    def plain(self) -> dict[str, Any]:
        """Return the choices as JSON data; amounts as text, so that no digit is lost."""
        found: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            found[field.name] = str(value) if isinstance(value, (date, Decimal)) else value
        return found


def _this_quarter() -> datetime:
    """Return the start of the current quarter of an hour, so that scenarios within it are equal."""
    now = datetime.now(UTC)
    return now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)


def choices_of(plain: Mapping[str, Any]) -> ScenarioChoices:
    """Restore what ``plain`` returned. Missing and invalid values get their defaults."""
    known: dict[str, Any] = {}
    for field in fields(ScenarioChoices):
        value = _READERS[field.name](plain.get(field.name))
        if value is not None:
            known[field.name] = value
    if known.get("cached_unit") == PER_CENT:
        known["cached"] = min(known.get("cached", 0), 100)
    for name in ("output", "reasoning"):
        ends, likely = known.get(f"{name}_range"), known.get(f"{name}_tokens", 0 if name == "reasoning" else 500)
        if ends is not None:
            known[f"{name}_range"] = (min(ends[0], likely), max(ends[1], likely))
    return ScenarioChoices(**known)


def _whole(least: int, most: int) -> Any:
    def read(value: object) -> int | None:
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return value if right else None  # type: ignore[return-value]

    return read


def _amount(least: Decimal, most: Decimal) -> Any:
    def read(value: object) -> Decimal | None:
        try:
            amount = Decimal(value) if isinstance(value, str) else None
        except InvalidOperation:
            return None
        return amount if amount is not None and amount.is_finite() and least <= amount <= most else None

    return read


def _ends(value: object) -> tuple[int, int] | None:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return None
    low, high = map(_whole(0, MAX_TOKENS), value)
    return None if low is None or high is None or low > high else (low, high)


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _one_of(names: tuple[str, ...]) -> Any:
    def read(value: object) -> str | None:
        return value if value in names else None  # type: ignore[return-value]

    return read


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _code(value: object) -> str | None:
    return value if isinstance(value, str) and value.isascii() and value.isalpha() and len(value) == 3 else None


_READERS: dict[str, Any] = {
    **dict.fromkeys(("output_tokens", "reasoning_tokens", "cached"), _whole(0, MAX_TOKENS)),
    **dict.fromkeys(("cache_write", "cache_write_1h"), _whole(0, MAX_TOKENS)),
    **dict.fromkeys(("output_range", "reasoning_range"), _ends),
    **dict.fromkeys(("for_an_hour", "batch"), _flag),
    "cached_unit": _one_of((TOKENS, PER_CENT)),
    "service": _one_of(SERVICES),
    "hours": _one_of(HOURS),
    "hit_percent": _amount(Decimal(0), Decimal(100)),
    "calls": _whole(1, MAX_CALLS),
    "calls_a_day": _whole(0, MAX_CALLS),
    "batch_percent": _whole(1, 100),
    "budget": _amount(Decimal(0), MAX_BUDGET),
    "factor": _amount(MIN_FACTOR, MAX_FACTOR),
    "on": _day,
    "currency": _code,
}


class ScenarioState(QObject):
    """Current choices, shown and changed by bar and dialog.

    Signals: ``changed()`` after every change.
    """

    changed = Signal()

    def __init__(self, today: Callable[[], date] = date.today, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._today = today
        self._shown_day = today()
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self.choices = ScenarioChoices()

    @property
    def day(self) -> date:
        """Day whose prices are used."""
        return self.choices.on or self._today()

    @property
    def budget(self) -> Decimal | None:
        """Limit for all calls in US dollars; None if not set."""
        return self.choices.budget or None

    def scenario(self) -> Scenario:
        """Return the scenario to price."""
        return self.choices.scenario(self._today())

    def mix(self) -> CallMix:
        """Return how calls differ from each other."""
        return self.choices.mix()

    def set(self, choices: ScenarioChoices) -> None:
        """Replace all choices."""
        self._cached_by_unit = {TOKENS: 0, PER_CENT: 0}
        self._take(choices)

    @Slot()
    def reset(self) -> None:
        """Reset the choices to their defaults, except the currency."""
        self.set(ScenarioChoices(currency=self.choices.currency))

    def change(self, **fields: Any) -> None:
        """Change some of the choices, and those that depend on them.

        Calls per day set the calls per month; ranges include their expected number; each unit of the cached part
        remembers its own number, since 30 tokens are not 30 percent; choosing today means to follow the calendar.
        """
        if "calls_a_day" in fields:
            if fields["calls_a_day"]:
                fields["calls"] = calls_of_a_month(fields["calls_a_day"])
        elif "calls" in fields:
            fields["calls_a_day"] = 0
        unit = fields.get("cached_unit", self.choices.cached_unit)
        if unit != self.choices.cached_unit:
            self._cached_by_unit[self.choices.cached_unit] = self.choices.cached
            fields.setdefault("cached", self._cached_by_unit[unit])
        if fields.get("on") == self._today():
            fields["on"] = None
        self._take(_including_expected(replace(self.choices, **fields)))

    def follow_day(self) -> None:
        """Emit ``changed`` on a new day if prices follow the calendar; for windows left open over midnight."""
        if self.choices.on is None and self._shown_day != self._today():
            self._shown_day = self._today()
            self.changed.emit()

    def _take(self, choices: ScenarioChoices) -> None:
        self._shown_day = self._today()
        self.choices = choices
        self.changed.emit()


def _including_expected(choices: ScenarioChoices) -> ScenarioChoices:
    """Widen ranges to include the expected number."""
    for name in ("output", "reasoning"):
        ends, likely = getattr(choices, f"{name}_range"), getattr(choices, f"{name}_tokens")
        if ends is not None:
            choices = replace(choices, **{f"{name}_range": (min(ends[0], likely), max(ends[1], likely))})
    return choices


VERSION = 1


class ScenarioBook(QObject):
    """Saved scenarios by name; every change is written at once.

    A damaged file is set aside, without further loss. Changes that another window saved in the meantime are kept, and
    are loaded with the next change.

    Signals: ``changed()`` when a name or its scenario changed; ``failed(str)`` with a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, path: Path, storage: Storage, parent: QObject | None = None) -> None:
        """``storage``: has no other user."""
        super().__init__(parent)
        self.problem = ""
        self._file = SharedFile(path, VERSION, self)
        self._file.use_storage(storage)
        self._known: Mapping[str, ScenarioChoices] = self._read(path)
        self._file.written.connect(self._on_written)
        self._file.failed.connect(self._on_failed)

    def names(self) -> list[str]:
        """Return all names in alphabetical order, ignoring case."""
        return sorted(self._known, key=_order)

    def get(self, name: str) -> ScenarioChoices | None:
        """Return the scenario saved under a name; None if there is none."""
        return self._known.get(name)

    def save(self, name: str, choices: ScenarioChoices) -> None:
        """Save a scenario, replacing one of the same name."""
        self._touch({name: choices})

    def rename(self, before: str, after: str) -> None:
        """Rename a scenario, replacing one of the new name. Raises KeyError if the old name is unknown."""
        self._touch({before: None, after: self._known[before]})

    def delete(self, name: str) -> None:
        """Delete a scenario."""
        self._touch({name: None})

    def _touch(self, changes: Mapping[str, ScenarioChoices | None]) -> None:
        updated = {**self._known, **changes}
        self._known = {name: choices for name, choices in updated.items() if choices is not None}
        names = tuple(changes)

        def with_ours(document: Document) -> None:
            if document:
                _known(document)
            known, saved = self._known, dict(document.get("scenarios", {}))
            for name in names:
                saved.pop(name, None)
                if name in known:
                    saved[name] = known[name].plain()
            document["scenarios"] = dict(sorted(saved.items(), key=lambda item: _order(item[0])))

        self._file.change(with_ours)
        self.changed.emit()

    def _read(self, path: Path) -> dict[str, ScenarioChoices]:
        try:
            document = read_document(path)
            known = _known(document) if document else {}
        except OSError as error:
            self.problem = self.tr("Could not read the saved scenarios: {why}.").format(why=error.strerror or error)
        except DamagedFile:
            self.problem = self._set_aside(path)
        else:
            if is_newer(document, VERSION):
                self.problem = self.tr(
                    "The scenarios were saved by a newer version of Tokenloupe. What this version knows of them is "
                    "used; changes here are not saved."
                )
            return known
        return {}

    def _set_aside(self, path: Path) -> str:
        try:
            moved_to = set_aside(path)
        except OSError as error:
            return self.tr("The scenario file is damaged and could not be moved: {why}.").format(why=error)
        return self.tr("The scenario file was damaged. It was moved to {name}.").format(name=moved_to)

    @Slot(object)
    def _on_written(self, document: Document) -> None:
        """Load what other windows have saved in the meantime."""
        known = _known(document)
        if known != self._known and not self._file.is_busy:
            self._known = known
            self.changed.emit()

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        self.failed.emit(self.tr("Could not save the scenarios: {why}.").format(why=why))


def _order(name: str) -> tuple[str, str]:
    """Return a sort value that ignores case."""
    return name.casefold(), name


def _known(document: Document) -> dict[str, ScenarioChoices]:
    """Parse a document. Raises DamagedFile if it is not a scenario file."""
    saved = document.get("scenarios")
    if not isinstance(saved, dict) or not all(isinstance(one, dict) for one in saved.values()):
        raise DamagedFile("not a scenario file")
    return {name[:LONGEST_NAME]: choices_of(plain) for name, plain in saved.items() if name.strip()}


DELETED = "scenario-deleted"


class ScenarioNames(QObject):
    """Controller of named scenarios. The button shows the name of the current scenario, and whether it has changed.

    Signals: ``name_changed()`` when the current name has changed.
    """

    name_changed = Signal()

    def __init__(self, button: QPushButton, state: ScenarioState, notifier: Notifier) -> None:
        super().__init__(button)
        self._button, self._state, self._notifier = button, state, notifier
        self._book: ScenarioBook | None = None
        self.name = ""
        self._menu = QMenu(button)
        button.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._fill)
        self.save = self._action(
            "scenarioSave", self.tr("&Save changes"), self.tr("Save the changes to this scenario"), self.save_changes
        )
        self.save_as = self._action(
            "scenarioSaveAs",
            self.tr("Save scenario &as…"),
            self.tr("Save the scenario under a new name"),
            self.ask_name,
        )
        self.rename = self._action(
            "scenarioRename", self.tr("Re&name scenario…"), self.tr("Rename this scenario"), self.ask_other_name
        )
        self.delete = self._action(
            "scenarioDelete",
            self.tr("&Delete scenario"),
            self.tr("Delete this scenario; its values stay until you change them"),
            self.delete_shown,
        )
        self.reset = self._action(
            "costResetScenario", self.tr("&Reset scenario"), self.tr("Restore the default scenario"), self._on_reset
        )
        state.changed.connect(self._show)
        self._show()

    def start(self, book: ScenarioBook) -> None:
        """Enable saving scenarios."""
        self._book = book
        book.changed.connect(self._show)
        book.failed.connect(self._notifier.warning)
        if book.problem:
            self._notifier.warning(book.problem)
        self._show()

    def actions(self) -> list[QAction]:
        """Return the actions for the menus and the command palette."""
        return [self.save, self.save_as, self.rename, self.delete, self.reset]

    def set_name(self, name: str) -> None:
        """Set the name that the current scenario was loaded from or saved as; "" for none."""
        if name != self.name:
            self.name = name
            self.name_changed.emit()
        self._show()

    @Slot()
    def save_changes(self) -> None:
        """Save the current scenario under its name, or ask for a name."""
        if self._book is not None and self._book.get(self.name) is not None:
            self._save(self.name)
        else:
            self.ask_name()

    @Slot()
    def ask_name(self) -> None:
        """Ask for a name and save the current scenario."""
        self._ask(self.tr("Save scenario"), self._save, frozenset())

    @Slot()
    def ask_other_name(self) -> None:
        """Ask for a new name of the current scenario."""
        self._ask(self.tr("Rename scenario"), self._rename, frozenset({self.name}))

    @Slot()
    def delete_shown(self) -> None:
        """Delete the current scenario, with an offer to undo."""
        assert self._book is not None
        name, choices = self.name, self._book.get(self.name)
        if choices is None:
            return
        self._book.delete(name)
        self.set_name("")
        back = Offer(self.tr("Undo"), partial(self._bring_back, name, choices))
        self._notifier.done(self.tr("Deleted scenario “{name}”.").format(name=name), key=DELETED, offers=(back,))

    def load(self, name: str) -> None:
        """Load the scenario of this name."""
        choices = self._book.get(name) if self._book is not None else None
        if choices is not None:
            self.name = ""  # so that the change is emitted once, when it is loaded
            self._state.set(choices)
            self.set_name(name)

    def _bring_back(self, name: str, choices: ScenarioChoices) -> None:
        assert self._book is not None
        self._notifier.withdraw(DELETED)
        self._book.save(name, choices)
        self.load(name)

    def _save(self, name: str) -> None:
        assert self._book is not None
        self._book.save(name, self._state.choices)
        self.set_name(name)
        self._notifier.remark(self.tr("Saved scenario “{name}”.").format(name=name))

    def _rename(self, name: str) -> None:
        assert self._book is not None
        if name != self.name:
            self._book.rename(self.name, name)
            self.set_name(name)

    def _ask(self, title: str, take: Callable[[str], None], free: frozenset[str]) -> None:
        if self._book is not None:
            taken = frozenset(self._book.names()) - free
            ScenarioName(title, self.name, taken, take, self._button.window()).open()

    def _action(self, name: str, text: str, tip: str, act: Callable[[], None]) -> QAction:
        action = QAction(text, self, objectName=name)
        action.setStatusTip(tip)
        action.triggered.connect(act)
        return action

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for name in self._book.names() if self._book is not None else ():
            action = self._menu.addAction(visible_line(name).replace("&", "&&"), partial(self.load, name))
            action.setCheckable(True)
            action.setChecked(name == self.name)
        self._menu.addSeparator()
        self._menu.addActions(self.actions())

    @Slot()
    def _on_reset(self) -> None:
        self.set_name("")
        self._state.reset()

    @Slot()
    def _show(self) -> None:
        saved = self._book.get(self.name) if self._book is not None else None
        changed = saved is not None and saved != self._state.choices
        words = visible_line(self.name) if saved is not None else self.tr("not saved")
        shown = words + (" *" if changed else "")
        width = self._button.width() - 32
        text = self._button.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, width)
        self._button.setText(text.replace("&", "&&"))
        spoken = self.tr("Scenario: {name}, modified") if changed else self.tr("Scenario: {name}")
        self._button.setAccessibleName(spoken.format(name=words))
        tip = self.tr("Saved scenarios. *: modified.\n{name}")
        self._button.setToolTip(plain_tip(tip.format(name=words)))
        self.save.setEnabled(changed)
        self.save_as.setEnabled(self._book is not None)
        for action in (self.rename, self.delete):
            action.setEnabled(saved is not None)


class ScenarioName(Dialog):
    """Dialog that calls ``take`` with the name. A name of ``taken`` must be confirmed: it would be replaced."""

    def __init__(
        self, title: str, now: str, taken: Collection[str], take: Callable[[str], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("scenarioNameDialog")
        self.setWindowTitle(title)
        self._taken, self._take, self._asked = taken, take, ""
        self.name = QLineEdit(now, objectName="scenarioName", accessibleName=self.tr("Name of the scenario"))
        self.name.setMaxLength(LONGEST_NAME)
        self.name.selectAll()
        label = label_of(self.name, self.tr("&Name of the scenario"))
        self.remark = wrapped_label("scenarioNameRemark")
        kinds = QDialogButtonBox.StandardButton
        buttons = button_row(self, kinds.Save, kinds.Cancel)
        self.save = buttons.button(kinds.Save)
        self._save_text = self.save.text()
        column_of(label, self.name, self.remark, buttons, parent=self, margins=None)
        self.name.textChanged.connect(self._on_typed)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._on_typed()

    def accept(self) -> None:
        name = self.name.text().strip()
        if not name:
            return
        if name in self._taken and self._asked != name:
            self._asked = name
            self.remark.setText(self.tr("⚠ This name is taken. Replace that scenario, or choose another name."))
            self.save.setText(self.tr("&Replace"))
            return
        super().accept()
        self._take(name)

    @Slot()
    def _on_typed(self) -> None:
        self._asked = ""
        self.remark.setText("")
        self.save.setText(self._save_text)
        self.save.setEnabled(bool(self.name.text().strip()))

"""Price table and the user's price file: loading, checking, changing and saving; the values of one model for its form.

A user's file with errors never takes effect in part. The window then keeps its present prices. At the start, when it
has none, it loads the last valid copy of the user's file, and without a copy the bundled prices alone.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QFileSystemWatcher, QObject, Signal, Slot

from gui.core.profile_files import regular_bytes
from gui.editor.offsets import document_text
from gui.editor.soft_breaks import TextMirror

if TYPE_CHECKING:
    from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket
    from pricing.declaration import Field
    from pricing.editing import Value
    from pricing.types import Batch, CountRule, Model, OffPeak, Problem, Rates, Service


YOURS, BUNDLED = "yours", "bundled"
"""Origins of a value."""
KEPT, LAST_GOOD = "kept", "last good"
"""Prices in effect instead of a broken file, besides ``BUNDLED``."""
OWN_VENDOR = "yours"
"""Vendor of the rows of user encodings."""


# --- loading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Request to load prices. ``user_file``: the user's file, which may not exist; ``good_copy``: its last valid copy.

    ``have_prices``: True if prices are in effect already, so that a broken file changes nothing. ``user_encodings``
    returns the names of the user's encodings, which a price file may count with; each also gets a row.
    """

    user_file: Path | None
    good_copy: Path | None
    have_prices: bool
    user_encodings: Callable[[], Sequence[str]] = tuple


@dataclass(frozen=True, slots=True)
class LoadedPrices:
    """Result of loading. ``models`` is None if the present prices stay in effect.

    ``problems`` are the errors of the user's file, empty if it is in effect or does not exist. ``instead`` names the
    prices in effect instead of a broken file: ``KEPT``, ``LAST_GOOD`` or ``BUNDLED``; empty if there is no error.
    ``notices`` are remarks on a valid file. ``file_hash`` is the SHA-256 of the user's file in effect, empty without
    one. ``exchange_rates`` are the prices of one unit of other currencies in US dollars, from that file.
    """

    models: tuple[Model, ...] | None
    problems: tuple[Problem, ...] = ()
    instead: str = ""
    notices: tuple[str, ...] = ()
    file_hash: str = ""
    exchange_rates: Mapping[str, Decimal] = field(default_factory=dict)


def load_prices(request: LoadRequest, _ticket: Ticket | None = None) -> LoadedPrices:
    """Load the prices, with the fallbacks of the module. Raises if not even the bundled prices can be read."""
    names = tuple(request.user_encodings())
    loaded = _load(request, names)
    if loaded.models is None or not names:
        return loaded
    return replace(loaded, models=(*loaded.models, *map(_own_row, names)))


def _load(request: LoadRequest, names: tuple[str, ...]) -> LoadedPrices:
    from pricing.types import PriceFileError, Problem

    user_file = request.user_file
    if user_file is None or not user_file.exists():
        return _loaded(None, names)
    try:
        loaded = _loaded(user_file, names)
        _keep_copy(user_file, request.good_copy)
        return loaded
    except PriceFileError as error:
        problems = error.problems
    except (OSError, UnicodeError) as error:
        problems = (Problem(user_file.name, 0, 0, "", str(error)),)
    if request.have_prices:
        return LoadedPrices(None, problems, KEPT)
    copy = request.good_copy
    if copy is not None and copy.exists():
        try:
            good = _loaded(copy, names)
            return replace(good, problems=problems, instead=LAST_GOOD, notices=())
        except (PriceFileError, OSError, UnicodeError):
            pass  # The copy is as invalid as the file, whose problems are reported; use the bundled prices.
    return LoadedPrices(_loaded(None, names).models, problems, BUNDLED)


def _own_row(name: str) -> Model:
    """Return a row without a price for a user encoding, to compare its count of the prompt with the models'."""
    from pricing.types import CountRule, Model, Price, Rates

    return Model(
        id=f"{OWN_VENDOR}/{name}",
        vendor=OWN_VENDOR,
        name=name,
        provider=QCoreApplication.translate("CostText", "Your vocabulary"),
        price=Price(Rates()),
        count=CountRule(name, "exact"),
    )


def _loaded(file: Path | None, names: tuple[str, ...]) -> LoadedPrices:
    from pricing import load_catalog

    catalog = load_catalog(file, names)
    file_hash = sha256(file.read_bytes()).hexdigest() if file is not None else ""
    notices = tuple(notice.message for notice in catalog.notices)
    rates = {name: rate for name, rate in catalog.exchange_rates.items() if name != "USD"}
    return LoadedPrices(catalog.models, notices=notices, file_hash=file_hash, exchange_rates=rates)


def _keep_copy(file: Path, copy: Path | None) -> None:
    from gui.core.profile_files import write_atomic

    if copy is None:
        return
    content = file.read_bytes()
    try:
        if not copy.exists() or copy.read_bytes() != content:
            write_atomic(copy, content)
    except OSError:
        pass  # Without a copy, a file broken later falls back to the bundled prices; these prices are valid anyway.


# --- reading and saving the text --------------------------------------------------------------------------------------

TEMPLATE = """\
# Your prices, in US dollars per million tokens.
# They override the built-in ones, value by value:
# what you leave out stays built in.
# Remove the '# ' of an example to use it.
# Ctrl+Space lists the names allowed at the caret.
version: 2

# For prices in another currency: the value of one
# unit of it in US dollars.
# rates:
#   EUR: 1.16

models:

#   openai/gpt-4o:         # overrides the built-in price
#     price:
#       input: 2.00        # your negotiated price
#       output: 8.00
#     checked: 2026-11-20  # when you checked it

#   openai/o3: null        # hidden from the table

#   acme/in-house-70b:     # a model of your own
#     name: Acme 70B
#     price:
#       input: 0.40
#       output: 0.40
#       cached: 0.04       # default: the input price
#       per_request: 0.0005
#     context: 32k
#     count: {tokenizer: o200k_base, low: 0.9, high: 1.2}
"""


MAX_CHARACTERS = 400_000
"""Maximum size of a file that can be edited here, in characters: hundreds of times what ninety models take."""
MAX_COMPARED_LINES = 5_000
"""Maximum number of lines of texts compared line by line, which takes quadratic time."""

_MARK = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(\r\n|\r|\n|$)")

EXACTLY = "exactly"
TOO_LONG = "too long"
ODD_CHARACTERS = "odd characters"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Splice:
    """Smallest replacement that turns one text into another: UTF-16 offset, number of units removed, inserted text."""

    start_utf16: int
    removed_utf16: int
    inserted: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two texts: lines added and removed, and a unified diff (empty if the texts are too long)."""

    added: int
    removed: int
    lines: str


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Request to read the file. ``against``: the text in the editor, with its revision; None before there is one."""

    path: Path
    against: str | None = None
    revision: int = -1


@dataclass(frozen=True, slots=True)
class FileText:
    """Price file as read. ``text`` is for the editor, ``stored`` as on disk.

    ``digest`` is the SHA-256 of the bytes, empty if there is no file. ``held`` is ``EXACTLY``, or the reason why the
    editor cannot hold the text. ``problem`` is the error of an unreadable file. ``splice`` and ``difference`` lead from
    the text of the request, if it had one, to this text.
    """

    text: str
    stored: str
    digest: str
    held: str = EXACTLY
    problem: Problem | None = None
    splice: Splice | None = None
    difference: Difference | None = None

    @property
    def exists(self) -> bool:
        """True if the file exists."""
        return bool(self.digest)


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """Request to save a text. ``stored`` and ``digest``: the file it was made from; another file is not overwritten."""

    path: Path
    text: str
    stored: str
    digest: str
    revision: int


@dataclass(frozen=True, slots=True)
class Saved:
    """File as written, or ``outside``: the file that another program wrote meanwhile; then nothing was written."""

    file: FileText | None = None
    outside: FileText | None = None


def read_price_text(request: ReadRequest, _ticket: Ticket | None = None) -> FileText:
    """Read the price file for the editor. Raises OSError if it exists and cannot be read."""
    try:
        raw = regular_bytes(request.path)
    except FileNotFoundError:
        return FileText("", "", "")
    file = _file_text(request.path, raw)
    if request.against is None or file.held != EXACTLY or file.text == request.against:
        return file
    change, lines = splice(request.against, file.text), difference(request.against, file.text)
    return replace(file, splice=change, difference=lines)


def save_price_text(request: SaveRequest, _ticket: Ticket | None = None) -> Saved:
    """Write the price file, and keep the previous one as a ``.bak`` file. If it raises OSError, nothing changed."""
    from engine.runtime.atomic_files import only_here
    from gui.core.profile_files import write_atomic

    stored = stored_text(request.text, request.stored)
    raw = stored.encode("utf-8", "surrogatepass")
    folder = Path(os.path.realpath(request.path)).parent  # the folder of ``change_atomic``, used by the command line
    with only_here(folder):  # the second of two concurrent saves sees the file of the first
        outside = read_price_text(ReadRequest(request.path, request.text))
        if outside.digest != request.digest:
            return Saved(outside=outside)
        write_atomic(request.path, raw, keep_backup=True)
    return Saved(FileText(request.text, stored, sha256(raw).hexdigest()))


def stored_text(text: str, before: str) -> str:
    """Return ``text`` with the line ends and the byte order mark of ``before`` on disk.

    A new line gets the most common line end of the file; an unchanged line keeps its own.
    """
    old = [(match.group()[: match.start(1) - match.start()], match.group(1)) for match in _LINE.finditer(before)]
    ends = [end for _, end in old if end]
    usual = max(set(ends), key=ends.count) if ends else "\n"
    mark = _MARK if before.startswith(_MARK) else ""
    if len(set(ends)) < 2:
        return mark + text.replace("\n", usual)
    lines = text.split("\n")
    new_ends = [usual] * len(lines)
    old_lines = [line.removeprefix(_MARK) for line, _ in old]
    for block in difflib.SequenceMatcher(None, old_lines, lines, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            new_ends[block.b + step] = old[block.a + step][1] or usual
    return mark + "".join(line + end for line, end in zip(lines[:-1], new_ends, strict=False)) + lines[-1]


def splice(before: str, after: str) -> Splice:
    """Return the smallest replacement that turns ``before`` into ``after``."""
    mirror = TextMirror(before)
    start, removed, inserted = mirror.replace(0, len(mirror), after.encode("utf-16-le", "replace"))
    return Splice(start, removed, inserted)


def difference(before: str, after: str) -> Difference:
    """Return the difference of two texts, line by line."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MAX_COMPARED_LINES:
        return Difference(0, 0, "")
    lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
    added = sum(line.startswith("+") for line in lines)
    return Difference(added, sum(line.startswith("-") for line in lines), "\n".join(lines))


def _file_text(path: Path, raw: bytes) -> FileText:
    from pricing.load import MAX_BYTES, read_price_file

    digest = sha256(raw).hexdigest()
    try:
        stored = raw.decode("utf-8")
    except UnicodeDecodeError:
        stored = None
    if stored is None or len(raw) > MAX_BYTES:
        problems = read_price_file(path).problems
        return FileText("", "", digest, UNREADABLE, problems[0] if problems else None)
    if len(stored) > MAX_CHARACTERS:
        return FileText("", stored, digest, TOO_LONG)
    text = document_text(stored.removeprefix(_MARK))
    held = EXACTLY if stored_text(text, stored) == stored else ODD_CHARACTERS
    return FileText(text, stored, digest, held)


# --- values of a model ------------------------------------------------------------------------------------------------

IN_THE_TEXT = frozenset({"tiers", "changes", "count", "texts", "services", "off_peak", "history", "dated_aliases"})
"""Kinds of values that take more than one line; they can only be edited in the text."""


UNKNOWN_WORDS = frozenset({"n/a", "null", "~", "unknown"})


_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")


_WHOLE = re.compile(r"[0-9]+(_[0-9]{3})*")


_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?([/?#][!-~]*)?")


MAX_DIGITS = 30
"""Maximum digits of a token count. Longer numbers stay text, since Python refuses to parse thousands of digits."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Value of a model. ``path``: as in the file (``price.input``); ``about``: a sentence on its meaning.

    ``shown`` is the displayed text, empty if it is not set; ``typed`` is the text as the user would type it. ``origin``
    is ``YOURS``, ``BUNDLED`` or empty; ``position`` is its position as ``file:line``; ``line`` is that line in the
    user's file, else 0.
    """

    path: str
    kind: str
    about: str
    shown: str
    typed: str
    origin: str
    position: str
    line: int

    @property
    def by_hand(self) -> bool:
        """True if it can only be edited in the text."""
        return self.kind in IN_THE_TEXT


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """All values of a model, and the rate at which its own prices were converted to US dollars (1 if they were not)."""

    model_id: str
    name: str
    facts: tuple[Fact, ...]
    source: str
    checked: date | None
    currency: str
    exchange_rate: Decimal

    @property
    def is_yours(self) -> bool:
        """True if the user's file has any value of this model."""
        return any(fact.origin == YOURS for fact in self.facts)


@dataclass(frozen=True, slots=True)
class ListedModel:
    """Model in the list of the page. ``checked``: the day of its prices; ``yours``: the user's file sets a value of it.

    ``hidden``: the user's file hides the model, of which only the ID is then known.
    """

    id: str
    name: str
    provider: str = ""
    checked: date | None = None
    retires: date | None = None
    yours: bool = False
    hidden: bool = False


def listed(model: Model) -> ListedModel:
    """Return the model for the list."""
    return ListedModel(model.id, model.name, model.provider, model.checked, model.retires, model.is_yours)


def is_web_address(text: str) -> bool:
    """Return True if a source is an address of the web without a user name, all of it visible: what a browser may
    open."""
    return _WEB_ADDRESS.fullmatch(text) is not None


def facts_of(model: Model) -> ModelFacts:
    """Return the values of a model. Not for the GUI thread: finding lines in built-in files is slow at first."""
    from pricing.declaration import BLOCKS

    facts = [_fact(model, field, f"price.{field.name}") for field in BLOCKS["price"]]
    facts += [
        _fact(model, field, field.name) for field in BLOCKS["model"] if field.name not in ("price", "currency", "like")
    ]
    return ModelFacts(
        model.id, model.name, tuple(facts), model.source, model.checked, model.currency, model.exchange_rate
    )


def fields_below(path: tuple[str, ...]) -> tuple[tuple[str, str, bool], ...]:
    """Return the fields allowed at this path of a price file: name, meaning, and True if a block follows."""
    from pricing.declaration import BLOCKS, LISTS, TABLES, fields_at

    blocks = {*BLOCKS, *LISTS, *TABLES} - {"batch", "count"}
    return tuple((field.name, field.about, field.kind in blocks) for field in fields_at(path))


def value_of(kind: str, typed: str) -> Value:
    """Parse a typed value for the file. Invalid values stay text, so that the checker reports them."""
    text = typed.strip()
    if text.casefold() in UNKNOWN_WORDS:
        return None
    if kind in {"money", "factor"} and _AMOUNT.fullmatch(text):
        try:
            return Decimal(text)
        except InvalidOperation:
            return text
    if kind == "tokens" and len(text) <= MAX_DIGITS and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "date":
        try:
            return date.fromisoformat(text)
        except ValueError:
            return text
    return text


def _fact(model: Model, field: Field, path: str) -> Fact:
    from pricing.catalog import origin_of

    found = origin_of(model, path)
    origin, position = found if found is not None else ("", None)
    value = _value(model, path)
    shown = _shown(field.kind, value) if origin else ""
    return Fact(
        path,
        field.kind,
        field.about,
        shown,
        _typed(model, field.kind, value, origin),
        origin,
        "" if position is None else f"{position.file}:{position.line}",
        position.line if position is not None and origin == YOURS else 0,
    )


def _value(model: Model, path: str) -> Any:
    head, _, name = path.partition(".")
    if head != "price":
        return getattr(model, head)
    return getattr(model.price.rates, name, None) if hasattr(model.price.rates, name) else getattr(model.price, name)


def _shown(kind: str, value: Any) -> str:
    if value is None or value == "":
        return "n/a"
    if kind == "money":
        return amount_text(value)
    if kind == "tokens":
        return f"{value:,}"
    if kind == "batch":
        return _batch_text(value)
    if kind == "count":
        return _count_text(value)
    if kind == "off_peak":
        return _hours_text(value)
    if kind in _ITEM_WORDS:
        return "; ".join(map(_ITEM_WORDS[kind], value)) or "none"
    return str(value)


def _typed(model: Model, kind: str, value: Any, origin: str) -> str:
    """Return the value as the user would type it: an amount in the user's currency if that is exact."""
    if value is None or not origin or kind in IN_THE_TEXT:
        return ""
    if kind == "money":
        return typed_amount(model, value, origin)
    if kind == "batch":
        return value if value == "half" else ""
    return str(value)


def typed_amount(model: Model, usd: Decimal, origin: str) -> str:
    """Return an amount as the user would type it for this model, in its prices' currency; "" if that is not exact."""
    if model.exchange_rate == 1:
        return amount_text(usd)
    own = usd / model.exchange_rate
    return amount_text(own) if origin == YOURS and own * model.exchange_rate == usd else ""


def amount_text(amount: Decimal) -> str:
    """Format an amount with all its digits, never as a power of ten; at least two decimals unless it is whole."""
    whole, _, decimals = format(amount, "f").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals:0<2}" if decimals else whole


def _rates_text(rates: Rates) -> str:
    from pricing.types import RATE_NAMES

    given = ((name, getattr(rates, name)) for name in RATE_NAMES)
    return ", ".join(f"{name} {amount_text(value)}" for name, value in given if value is not None)


def _service_text(service: Service) -> str:
    return _rates_text(service.rates) if service.factor is None else f"× {amount_text(service.factor)}"


def _hours_text(off_peak: OffPeak) -> str:
    from pricing.estimation import peak_hours

    words = peak_hours(off_peak)
    return f"× {amount_text(off_peak.factor)}{f' outside {words}' if words else ''}"


def _batch_text(batch: Batch) -> str:
    return batch if batch is None or isinstance(batch, str) else _rates_text(batch)


_ITEM_WORDS: dict[str, Callable[[Any], str]] = {
    "tiers": lambda tier: f"{tier.condition}: {_rates_text(tier.rates)}",
    "changes": lambda change: f"{change.from_date}: {_rates_text(change.rates)}",
    "history": lambda past: f"{past.from_date}: {_rates_text(past.rates)}",
    "services": lambda service: f"{service.name}: {_service_text(service)}",
    "dated_aliases": lambda alias: f"{alias.name} {alias.period}".strip(),
    "texts": str,
}
"""Words for each item of a value that is a list, by kind."""


def _count_text(rule: CountRule) -> str:
    if rule.tokenizer is None:
        return "n/a"
    if rule.low == rule.high == 1:
        return f"{rule.tokenizer}, {rule.label}"
    return f"{rule.tokenizer} × {rule.low}–{rule.high}, {rule.label}"


# --- checking and changing --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Request to check a text. ``model_id``: the model that the form shows; "" for none."""

    revision: int
    text: str
    file_name: str
    model_id: str
    user_encodings: Callable[[], Sequence[str]]


@dataclass(frozen=True, slots=True)
class CheckedText:
    """Result of a check: all errors or, if there are none, all models by ID, the hidden ones last, and the values of
    the requested model (None if the text hides it or it is unknown)."""

    problems: tuple[Problem, ...]
    models: tuple[ListedModel, ...] = ()
    facts: ModelFacts | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """Request to set a value of a model to the typed text. None removes it from the file; with an empty path, all
    values.

    ``from_table``: True if it was typed in the cost table, not on the page Prices.
    """

    revision: int
    text: str
    file_name: str
    model_id: str
    path: str
    kind: str
    typed: str | None
    user_encodings: Callable[[], Sequence[str]]
    from_table: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """Edit of the text; None if nothing changes, with ``why`` if it cannot be changed."""

    splice: Splice | None
    why: str = ""


def check(request: CheckRequest, ticket: Ticket) -> CheckedText:
    """Check a text, and apply it over the built-in prices."""
    from pricing.bundled import load_bundled
    from pricing.layering import lay_over
    from pricing.load import read_price_text as parse

    bundled = load_bundled()
    own = tuple(request.user_encodings())
    file = parse(request.text, request.file_name, own, bundled.rules, ticket.wait_while_busy)
    if file.problems:
        return CheckedText(file.problems)
    models, notices, hidden = lay_over(bundled, file)
    shown = next((model for model in models if model.id == request.model_id), None)
    return CheckedText(
        (),
        (
            *sorted(map(listed, models), key=lambda model: model.id),
            *(ListedModel(model_id, model_id, yours=True, hidden=True) for model_id in sorted(hidden)),
        ),
        facts_of(shown) if shown is not None else None,
        tuple(notice.message for notice in notices),
    )


def change(request: ChangeRequest, _ticket: Ticket | None = None) -> Change:
    """Change one value in a text, and nothing else."""
    from pricing.editing import remove_field, set_field
    from pricing.types import EditError, PriceFileError

    text, model_id, path = request.text, request.model_id, request.path
    names = tuple(request.user_encodings())
    try:
        if request.typed is None:
            after = remove_field(text, model_id, path, file_name=request.file_name, tokenizers=names)
        else:
            assert request.kind not in IN_THE_TEXT
            value = value_of(request.kind, request.typed)
            after = set_field(text, model_id, path, value, file_name=request.file_name, tokenizers=names)
    except PriceFileError as error:
        return Change(None, "\n".join(problem.message for problem in error.problems))
    except EditError as error:
        return Change(None, str(error))
    return Change(splice(text, after) if after != text else None)


# --- the service ------------------------------------------------------------------------------------------------------


class PriceFileService(QObject):
    """Service for one price file, which may not exist.

    Signals: ``read(FileText, ReadRequest)``, ``checked(CheckedText, CheckRequest)``,
    ``changed(Change, ChangeRequest)``, ``saved(Saved, SaveRequest)``, ``failed(str)`` with the reason; ``touched()``
    when the file may have changed.
    """

    read = Signal(object, object)
    checked = Signal(object, object)
    changed = Signal(object, object)
    saved = Signal(object, object)
    failed = Signal(str)
    touched = Signal()

    def __init__(
        self, path: Path, runner: JobRunner, user_encodings: Callable[[], Sequence[str]], parent: QObject | None = None
    ) -> None:
        """``user_encodings``: as in ``LoadRequest``; called on a worker thread."""
        super().__init__(parent)
        self.path = path
        self._user_encodings = user_encodings
        self._reading = runner.background(self.tr("Reading your price file"), read_price_text)
        self._checking = runner.conflated(self.tr("Checking your price file"), check)
        self._changing = runner.exclusive(self.tr("Changing a price"), change)
        self._saving = runner.exclusive(self.tr("Saving your price file"), save_price_text, stoppable=False)
        for lane, receiver in (
            (self._reading, self._on_read),
            (self._checking, self._on_checked),
            (self._changing, self._on_changed),
            (self._saving, self._on_saved),
        ):
            lane.finished.connect(receiver)
            lane.failed.connect(self._on_failed)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._on_touched)
        self._watcher.fileChanged.connect(self._on_touched)
        self._watch()

    def read_file(self, against: str | None = None, revision: int = -1) -> ReadRequest:
        """Read the file; ``read`` answers with the returned request. ``against``: the text in the editor."""
        request = ReadRequest(self.path, against, revision)
        self._reading.submit(request)
        return request

    def check(self, text: str, revision: int, model_id: str) -> None:
        """Check a text; only the newest request is answered."""
        self._checking.submit(CheckRequest(revision, text, self.path.name, model_id, self._user_encodings))

    def change(
        self, text: str, revision: int, model_id: str, path: str, kind: str, typed: str | None, from_table: bool = False
    ) -> None:
        """Change a value in a text, as described at ``ChangeRequest``; ``changed`` answers."""
        names, file_name = self._user_encodings, self.path.name
        self._changing.submit(ChangeRequest(revision, text, file_name, model_id, path, kind, typed, names, from_table))

    def save(self, text: str, revision: int, file: FileText) -> None:
        """Write a text that was made from ``file``; ``saved`` answers."""
        self._saving.submit(SaveRequest(self.path, text, file.stored, file.digest, revision))

    def _watch(self) -> None:
        """Watch the file and its folder: editors replace a file instead of writing into it."""
        with contextlib.suppress(OSError):  # Without a folder there is nothing to watch; saving reports the error.
            self.path.parent.mkdir(parents=True, exist_ok=True)
        watched = {*self._watcher.files(), *self._watcher.directories()}
        for path in (self.path.parent, self.path):
            if str(path) not in watched and (path.is_file() or path != self.path):
                self._watcher.addPath(str(path))

    @Slot()
    def _on_touched(self) -> None:
        self._watch()
        self.touched.emit()

    @Slot(object)
    def _on_read(self, result: JobResult) -> None:
        self.read.emit(result.value, result.request)

    @Slot(object)
    def _on_checked(self, result: JobResult) -> None:
        self.checked.emit(result.value, result.request)

    @Slot(object)
    def _on_changed(self, result: JobResult) -> None:
        self.changed.emit(result.value, result.request)

    @Slot(object)
    def _on_saved(self, result: JobResult) -> None:
        self._watch()
        self.saved.emit(result.value, result.request)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        self.failed.emit(failure.why)

"""Reader of price files: version, models and settings.

Older versions of the format are converted to the current one. The tree is changed, never the file, and every value
keeps its position.

Version 0 is the flat form of simple lists: prices are directly under the model, without a ``price`` block. Version 1
has no service tiers and no history, its ``off_peak`` is a number, and the peak hours are a text.

An entry holds only what the file says about one model, flat, by path: ``price.input``, ``context``, ``price.tiers``. A
field that the file does not contain is absent, a null field is None. Amounts are US dollars.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from pricing.bundled import BUNDLED_ENCODINGS
from pricing.cancellation import CancelCheck, check_cancelled
from pricing.checks import CountChecker, PriceChecker
from pricing.declaration import names
from pricing.document import Broken, Document, Node, Scalar, Table, read_document
from pricing.types import Alias, CountRule, Position, Problem
from pricing.values import (
    BadValue,
    Checker,
    join,
    read_checked_in,
    read_currency,
    read_date,
    read_id,
    read_number,
    read_text,
    read_tokens,
    shown,
)

# --- versions ---------------------------------------------------------------------------------------------------------

VERSION = 2
"""Version that is written, and to which older ones are converted."""


def migrated(root: Table, version: int) -> Table:
    """Return the tree of an older version converted to the current one. A current tree is returned unchanged."""
    for step in range(version, VERSION):
        root = _STEPS[step](root)
    return root


def is_older(text: str) -> bool:
    """Return True if this is an older, supported version."""
    return text in map(str, _STEPS)


def is_another_form(root: Table) -> bool:
    """Return True if a file has an older version and content that the current version writes differently."""
    version = next((value.text for key, value in root.pairs if key.text == "version" and isinstance(value, Scalar)), "")
    if version == "0":
        return True
    models = next((value for key, value in root.pairs if key.text == "models"), None)
    found = [value for _, value in models.pairs] if isinstance(models, Table) else []
    prices = [value for model in found if isinstance(model, Table) for key, value in model.pairs if key.text == "price"]
    return version == "1" and any(has_old_hours(price) for price in prices if isinstance(price, Table))


def _prices_into_blocks(root: Table) -> Table:
    """Convert version 0 to 1: move the prices of each model into a block."""

    def model(node: Node) -> Node:
        if not isinstance(node, Table) or any(key.text == "price" for key, _ in node.pairs):
            return node
        in_block = {*names("price"), "peak_hours"}
        prices = [pair for pair in node.pairs if pair[0].text in in_block]
        if not prices:
            return node
        first = prices[0][0]
        block = Table(first.line, first.column, prices)
        rest = [pair for pair in node.pairs if pair[0].text not in in_block]
        return Table(node.line, node.column, [*rest, (Scalar("price", False, first.line, first.column), block)])

    def models(node: Node) -> Node:
        if not isinstance(node, Table):
            return node
        return Table(node.line, node.column, [(key, model(value)) for key, value in node.pairs])

    pairs = [(key, models(value) if key.text == "models" else value) for key, value in root.pairs]
    return Table(root.line, root.column, pairs)


def _hours_into_blocks(root: Table) -> Table:
    """Convert version 1 to 2: move the off-peak factor and the text of the hours into a block."""

    def price(node: Node) -> Node:
        pairs = {key.text: (key, value) for key, value in node.pairs} if isinstance(node, Table) else {}
        if not isinstance(node, Table) or not has_old_hours(node):
            return _without(node, "peak_hours")  # without off_peak they had no effect
        key, factor = pairs["off_peak"]
        block = [(Scalar("factor", False, key.line, key.column), factor)]
        if "peak_hours" in pairs:
            name, text = pairs["peak_hours"]
            block.append((Scalar("note", False, name.line, name.column), text))
        rest = [pair for pair in node.pairs if pair[0].text not in {"off_peak", "peak_hours"}]
        return Table(node.line, node.column, [*rest, (key, Table(key.line, key.column, block))])

    def inner(node: Node, name: str | None, change: Callable[[Node], Node]) -> Node:
        if not isinstance(node, Table):
            return node
        pairs = [(key, change(value) if name in {None, key.text} else value) for key, value in node.pairs]
        return Table(node.line, node.column, pairs, node.flow, node.end)

    def models(node: Node) -> Node:
        return inner(node, None, lambda model: inner(model, "price", price))

    found = inner(root, "models", models)
    assert isinstance(found, Table)
    return found


def _without(node: Node, name: str) -> Node:
    if not isinstance(node, Table) or all(key.text != name for key, _ in node.pairs):
        return node
    return Table(node.line, node.column, [pair for pair in node.pairs if pair[0].text != name], node.flow, node.end)


def has_old_hours(price: Table) -> bool:
    """Return True if a price block has the off-peak factor of version 1."""
    return any(key.text == "off_peak" and isinstance(value, Scalar) and not value.is_null for key, value in price.pairs)


_STEPS: Mapping[int, Callable[[Table], Table]] = {0: _prices_into_blocks, 1: _hours_into_blocks}


# --- content ----------------------------------------------------------------------------------------------------------

MAX_BYTES = 4_000_000
MAX_LIKE = 20
"""Maximum length of a chain of ``like``."""

HEADINGS = ("rates", "providers", "counting", "models")

_OF_THE_PRICE = dict.fromkeys(names("price"), "under 'price'")

_SCALAR_READERS = {
    "name": read_text,
    "provider": read_text,
    "context": read_tokens,
    "max_input": read_tokens,
    "max_output": read_tokens,
    "source": read_text,
    "checked": read_date,
    "retires": read_date,
    "like": read_id,
    "checked_in": read_checked_in,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """Content of one file for one model: values by path, the original currency, and the position of each value."""

    fields: Mapping[str, object]
    currency: str = "USD"
    exchange_rate: Decimal = Decimal(1)
    positions: Mapping[str, Position] = field(default_factory=dict, compare=False)


@dataclass(slots=True)
class PriceFile:
    """Content of a price file. If there are problems, the rest is only what could be read.

    ``currency``: of the amounts. ``exchange_rates``: US dollars per unit of each currency named.
    """

    name: str
    models: dict[str, Entry | None] = field(default_factory=dict)
    providers: dict[str, str] = field(default_factory=dict)
    rules: dict[str, CountRule] = field(default_factory=dict)
    currency: str = "USD"
    exchange_rates: dict[str, Decimal] = field(default_factory=lambda: {"USD": Decimal(1)})
    problems: tuple[Problem, ...] = ()


def read_price_file(
    path: Path, tokenizers: Collection[str] = (), rules: Mapping[str, CountRule] | None = None
) -> PriceFile:
    """Read a file from disk. A file that cannot be read is returned as one problem; nothing is raised."""
    name = str(path)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise OSError(errno.EINVAL, "a device, pipe or socket, not a file", name)  # opening a pipe would block
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        return PriceFile(name, problems=(Problem(name, 0, 0, "", f"this file cannot be read: {error.strerror}"),))
    if len(raw) > MAX_BYTES:
        sentence = f"the file is too large for a price file (more than {MAX_BYTES:,} bytes)"
        return PriceFile(name, problems=(Problem(name, 1, 1, "", sentence),))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        sentence = "the file is UTF-16: save it as UTF-8"
        return PriceFile(name, problems=(Problem(name, 1, 1, "", sentence),))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        begin = raw.rfind(b"\n", 0, error.start) + 1
        column = len(raw[begin : error.start].decode("utf-8", "replace")) + 1
        sentence = f"this is not UTF-8 text (byte 0x{raw[error.start]:02X}): save the file as UTF-8"
        return PriceFile(name, problems=(Problem(name, line, column, "", sentence),))
    return read_price_text(text, name, tokenizers, rules)


def read_price_text(
    text: str,
    file_name: str,
    tokenizers: Collection[str] = (),
    rules: Mapping[str, CountRule] | None = None,
    cancel_check: CancelCheck = check_cancelled,
) -> PriceFile:
    """Read a price file from text.

    ``tokenizers``: names of encodings that may be counted with, besides the bundled ones. ``rules``: counting rules
    that the file may name without defining them. ``cancel_check`` is called repeatedly while the syntax is parsed; any
    exception it raises ends the parsing.
    """
    document = read_document(text.replace("\r\n", "\n"), file_name, cancel_check)
    reader = _Reader(document, file_name, {*BUNDLED_ENCODINGS, *tokenizers}, rules or {})
    return reader.read()


class _Reader:
    def __init__(
        self, document: Document, file_name: str, tokenizers: Collection[str], rules: Mapping[str, CountRule]
    ) -> None:
        self._document = document
        self._checker = Checker(file_name, document.problems)
        self._counts = CountChecker(self._checker, tokenizers, rules)
        self._file = PriceFile(file_name)
        self._currency = "USD"
        self._exchange_rates = self._file.exchange_rates
        self._aliases: dict[str, tuple[str, Node]] = {}

    def read(self) -> PriceFile:
        root = self._document.root
        if isinstance(root, Table):
            self._read_file(root)
        elif root is not None:
            self._not_a_table(root)
        elif self._document.complete and not self._document.problems:
            start = Scalar("", False, 1, 1)
            self._checker.report(start, "", f"the file is empty; a price file starts with 'version: {VERSION}'")
        self._file.problems = self._checker.problems
        return self._file

    def _not_a_table(self, root: Node) -> None:
        if isinstance(root, Scalar) and ":" in root.text:
            sentence = f"this is one long text: put a space after the ':' in 'version: {VERSION}'"
            self._checker.report(root, "", sentence)
        else:
            self._checker.expect(f"a block of 'name: value' lines that starts with 'version: {VERSION}'", root, "")

    def _read_file(self, root: Table) -> None:
        version = next((value for key, value in root.pairs if key.text == "version"), None)
        if not self._version_is_known(version):
            return
        if isinstance(version, Scalar) and is_older(version.text):
            root = migrated(root, int(version.text))
        fields = {
            name: (key, value)
            for name, (key, value) in self._checker.table(root, "", names("file")).items()
            # Empty headings are allowed, as in a new file.
            if not (name in HEADINGS and isinstance(value, Scalar) and value.is_empty)
        }
        if "rates" in fields:
            self._read_exchange_rates(fields["rates"][1])
        if "currency" in fields:
            self._currency = self._file.currency = self._read_currency(fields["currency"][1], "currency")
        if "providers" in fields:
            for key, value in self._checker.pairs(fields["providers"][1], "providers"):
                shown_name = self._checker.scalar(value, join("providers", key.text), read_text)
                if shown_name is not None:
                    self._file.providers[key.text] = shown_name
        if "counting" in fields:
            for key, value in self._checker.pairs(fields["counting"][1], "counting"):
                rule = self._counts.rule(value, join("counting", key.text))
                if rule is not None:
                    self._counts.rules[key.text] = self._file.rules[key.text] = rule
        if "models" in fields:
            for key, value in self._checker.pairs(fields["models"][1], "models"):
                self._read_model(key.text, key, value)
        self._check_aliases()
        self._check_likeness()

    def _version_is_known(self, value: Node | None) -> bool:
        """Return False if the file format is newer than supported."""
        if value is None:
            start = Scalar("", False, 1, 1)
            sentence = f"'version: {VERSION}' is missing: add it as the first line"
            self._checker.report(start, "version", sentence)
            return True
        if isinstance(value, Broken):
            return True
        text = value.text if isinstance(value, Scalar) else ""
        if text == str(VERSION) or is_older(text):
            return True
        if text.isascii() and text.isdigit() and int(text[:9]) > VERSION:
            sentence = f"format version {shown(text)} is newer than {VERSION}: update Tokenloupe"
            self._checker.report(value, "version", sentence)
            return False
        self._checker.report(value, "version", f"write the version as 'version: {VERSION}' (got '{shown(text)}')")
        return True

    def _read_exchange_rates(self, node: Node) -> None:
        for key, value in self._checker.pairs(node, "rates"):
            name = key.text
            path = join("rates", name)
            try:
                read_currency(name)
            except BadValue as error:
                self._checker.report(key, path, str(error))
                continue
            rate = self._checker.scalar(value, path, read_number)
            if rate is None:
                continue
            if rate == 0 or (name == "USD" and rate != 1):
                sentence = (
                    "the exchange rate of USD is always 1"
                    if name == "USD"
                    else "an exchange rate must be greater than 0"
                )
                self._checker.report(value, path, f"{sentence} (got '{rate}')")
                continue
            self._exchange_rates[name] = rate

    def _read_currency(self, node: Node, path: str) -> str:
        currency = self._checker.scalar(node, path, read_currency)
        if currency is None:
            return self._currency
        if currency not in self._exchange_rates:
            sentence = f"give the exchange rate of {currency} to USD under 'rates' at the top of the file"
            self._checker.report(node, path, sentence)
            self._exchange_rates[currency] = Decimal(1)
        return currency

    def _read_model(self, model_id: str, key: Scalar, node: Node) -> None:
        path = join("models", model_id)
        try:
            read_id(model_id)
        except BadValue as error:
            self._checker.report(key, path, str(error))
        if isinstance(node, Scalar) and node.is_null:
            self._file.models[model_id] = None
            return
        if isinstance(node, Scalar) and node.is_empty:
            self._checker.report(key, path, "the model is empty; write null to hide it, or give its fields")
            return
        fields = self._checker.table(node, path, names("model"), _OF_THE_PRICE)
        currency = self._read_currency(fields["currency"][1], join(path, "currency")) if "currency" in fields else None
        currency = currency or self._currency
        exchange_rate = self._exchange_rates[currency]
        entry: dict[str, object] = {}
        for name, (_, value) in fields.items():
            where = join(path, name)
            if name == "price":
                prices = PriceChecker(self._checker, exchange_rate).price(value, where)
                entry.update({f"price.{part}": amount for part, amount in prices.items()})
            elif name != "currency":
                self._read_field(entry, name, value, where)
        aliases = entry.get("aliases")
        if isinstance(aliases, tuple):
            for alias in aliases:
                self._note_alias(alias, model_id, fields["aliases"][1], join(path, "aliases"))
        self._file.models[model_id] = Entry(entry, currency, exchange_rate, self._positions(fields))

    def _positions(self, fields: Mapping[str, tuple[Scalar, Node]]) -> dict[str, Position]:
        """Return the positions of a model's values; those of its price have their own paths."""
        values = {name: value for name, (_, value) in fields.items()}
        price = values.pop("price", None)
        if isinstance(price, Table):
            values.update({f"price.{key.text}": value for key, value in price.pairs})
        return {path: Position(self._file.name, value.line, value.column) for path, value in values.items()}

    def _read_field(self, entry: dict[str, object], name: str, node: Node, path: str) -> None:
        if isinstance(node, Scalar) and node.is_null:
            entry[name] = None
            return
        value: object
        if name == "count":
            value = self._counts.count(node, path)
        elif name == "dated_aliases":
            value = self._dated_aliases(node, path)
        elif name == "aliases":
            value = self._checker.texts(node, path, _read_alias)
        elif name == "notes":
            value = self._checker.texts(node, path, read_text)
        else:
            value = self._checker.scalar(node, path, _SCALAR_READERS[name], may_be_null=True)
        if value is not None:
            entry[name] = value

    def _dated_aliases(self, node: Node, path: str) -> tuple[Alias, ...]:
        aliases = []
        for index, item in enumerate(self._checker.items(node, path)):
            where = join(path, index)
            fields = self._checker.table(item, where, names("alias"))
            if not isinstance(item, Table):
                continue
            if "name" not in fields:
                self._checker.report(item, where, "'name' is missing")
                continue
            name = self._checker.scalar(fields["name"][1], join(where, "name"), _read_alias)
            days = {
                field: self._checker.scalar(fields[field][1], join(where, field), read_date)
                for field in ("from_date", "until")
                if field in fields
            }
            start, end = days.get("from_date"), days.get("until")
            if start is not None and end is not None and end <= start:
                self._checker.report(item, where, "'until' must come after 'from_date'")
            elif name is not None:
                aliases.append(Alias(name, start, end))
        return tuple(aliases)

    def _check_likeness(self) -> None:
        """Report ``like`` with an unknown model, and cycles of it."""
        for model_id, entry in self._file.models.items():
            seen = [model_id]
            while entry is not None and isinstance(other := entry.fields.get("like"), str):
                path = join(join("models", model_id), "like")
                if other in seen or len(seen) > MAX_LIKE:
                    why = "cannot be like itself" if other in seen else "has too long a chain of 'like'"
                    self._report_likeness(model_id, path, f"{model_id} {why}")
                    break
                if other not in self._file.models:
                    if not _is_bundled(other):
                        self._report_likeness(model_id, path, f"no model has the id '{shown(other)}'")
                    break
                seen.append(other)
                entry = self._file.models[other]

    def _report_likeness(self, model_id: str, path: str, sentence: str) -> None:
        entry = self._file.models[model_id]
        position = entry.positions.get("like") if entry is not None else None
        node = Scalar("", False, position.line, position.column) if position else Scalar("", False, 1, 1)
        self._checker.report(node, path, sentence)

    def _note_alias(self, alias: str, model_id: str, node: Node, path: str) -> None:
        if alias in self._aliases and self._aliases[alias][0] != model_id:
            other = self._aliases[alias][0]
            self._checker.report(node, path, f"'{shown(alias)}' is already an alias of {other}")
        else:
            self._aliases[alias] = (model_id, node)

    def _check_aliases(self) -> None:
        for alias, (model_id, node) in self._aliases.items():
            if alias in self._file.models:
                path = f"models.{model_id}.aliases"
                self._checker.report(node, path, f"'{shown(alias)}' is a model ID and cannot also be an alias")


def _is_bundled(model_id: str) -> bool:
    from pricing.bundled import load_bundled  # not at the top: the file may be a source of the bundled table

    return model_id in load_bundled().entries


def _read_alias(text: str) -> str:
    alias = read_text(text)
    if " " in alias:
        raise BadValue(f"an alias cannot contain spaces (got '{shown(text)}')")
    return alias

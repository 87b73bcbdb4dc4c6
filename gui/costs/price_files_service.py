"""Loads the price table: the bundled one with the user's file over it. The work of a lane.

A user's file with mistakes is never half in force. The window then keeps the prices it has; at the start, where it has
none, it takes the copy of the user's file that was last found good, and without one the bundled prices alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from gui.jobs import Ticket
    from pricing.types import Model, Problem

KEPT = "kept"
LAST_GOOD = "last good"
BUNDLED = "bundled"
OWN_VENDOR = "yours"


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """``user_file``: the user's prices, which need not exist. ``good_copy``: where its last good version is kept.

    ``have_prices``: prices are in force already, so a broken file changes nothing. ``own_encodings`` gives the names of
    the user's own encodings, which a price file may count with; each is a row of its own as well.
    """

    user_file: Path | None
    good_copy: Path | None
    have_prices: bool
    own_encodings: Callable[[], Sequence[str]] = tuple


@dataclass(frozen=True, slots=True)
class LoadedPrices:
    """``models`` is None where the prices in force stay.

    ``problems`` are those of the user's file, empty where it is in force or absent. ``instead`` says what is in force
    instead of a broken file: ``KEPT``, ``LAST_GOOD`` or ``BUNDLED``; empty where nothing is wrong. ``notices`` are
    remarks about a valid file. ``file_hash`` is the SHA-256 of the user's file in force, empty without one.
    ``exchange_rates`` are what one unit of other currencies costs in US dollars, by that file.
    """

    models: tuple[Model, ...] | None
    problems: tuple[Problem, ...] = ()
    instead: str = ""
    notices: tuple[str, ...] = ()
    file_hash: str = ""
    exchange_rates: Mapping[str, Decimal] = field(default_factory=dict)


def load_prices(request: LoadRequest, _ticket: Ticket | None = None) -> LoadedPrices:
    """Load the prices, falling back as the module says. Raises where not even the bundled prices can be read."""
    names = tuple(request.own_encodings())
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
            pass  # The copy is as bad as the file, whose problems are told; the bundled prices remain.
    return LoadedPrices(_loaded(None, names).models, problems, BUNDLED)


def _own_row(name: str) -> Model:
    """A row for an encoding of the user's own: what it makes of the prompt, beside what the models' do. No price."""
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
    from hashlib import sha256

    from pricing import load_catalog

    catalog = load_catalog(file, names)
    file_hash = sha256(file.read_bytes()).hexdigest() if file is not None else ""
    notices = tuple(notice.message for notice in catalog.notices)
    rates = {name: rate for name, rate in catalog.exchange_rates.items() if name != "USD"}
    return LoadedPrices(catalog.models, notices=notices, file_hash=file_hash, exchange_rates=rates)


def _keep_copy(file: Path, copy: Path | None) -> None:
    from gui.services.file_writing import write_atomic

    if copy is None:
        return
    content = file.read_bytes()
    try:
        if not copy.exists() or copy.read_bytes() != content:
            write_atomic(copy, content)
    except OSError:
        pass  # Without a copy a later broken file falls back to the bundled prices; these prices are good all the same.

"""A handful of models whose prices and counts are easy to check by hand, and rows made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from engine.text.kinds import TextSample
from gui.costs.cost_service import PriceRequest, price_rows
from gui.costs.rows import CostRow
from pricing.types import Change, CountRule, Model, Price, Rates, Scenario

TODAY = date(2026, 11, 21)
CHECKED = date(2026, 11, 8)
D = Decimal


def model(
    id_: str,
    name: str,
    provider: str,
    prices: tuple[str | None, str | None, str | None],
    label: str = "exact",
    tokenizer: str | None = "o200k_base",
    **more: object,
) -> Model:
    factors = (D("1.5"), D("1.4"), D("1.6")) if label == "estimated" else (D(1), D(1), D(1))
    rates = Rates(*(None if price is None else D(price) for price in prices))
    changes = more.pop("changes", ())
    batch = more.pop("batch", "half")
    return Model(
        id=id_,
        vendor=id_.partition("/")[0],
        name=name,
        provider=provider,
        price=Price(rates, batch=batch, changes=changes),
        count=CountRule(tokenizer, label, *factors),
        **{"context": 128_000, "checked": CHECKED, "source": "https://prices.example/" + id_, **more},
    )


MODELS = (
    model("acme/large", "Acme Large", "Acme", ("2", "8", "0.5")),
    model("acme/small", "Acme Small", "Acme", ("0.1", "0.4", "0.01"), label="assumed", context=4_000),
    model("borg/opus", "Borg Opus 10", "Borg", ("5", "25", "0.5"), label="estimated", batch=None),
    model("borg/opus-9", "Borg Opus 9", "Borg", ("5", "25", None), label="estimated", retires=date(2026, 10, 1)),
    model("corp/unknown", "Corp Unpriced", "Corp", (None, "3", None), tokenizer="cl100k_base"),
    model(
        "corp/embed",
        "Corp =Embed|1",
        "Corp",
        ("0.02", "0", None),
        tokenizer="cl100k_base",
        retires=date(2026, 12, 11),
        checked=date(2026, 5, 4),
        notes=("input only",),
        changes=(Change(date(2026, 12, 1), Rates(input=D("0.04"))),),
    ),
    model("dark/none", "Dark None", "Dark", ("1", "2", None), tokenizer=None, context=None, source="", checked=None),
)
COUNTS = {"o200k_base": 1_000, "cl100k_base": 1_200}


def scenario(**more: object) -> Scenario:
    return Scenario(**{"on": TODAY, "output_tokens": 500, "calls": 1_000, **more})


def rows(
    counts: Mapping[str, int] = COUNTS,
    pending: frozenset[str] = frozenset(),
    models: tuple[Model, ...] = MODELS,
    **more: object,
) -> tuple[CostRow, ...]:
    return price_rows(PriceRequest(1, models, counts, pending, scenario(**more)))


@dataclass(frozen=True)
class Counts:
    """What the encoding service says, as far as prices need it."""

    revision: int = 1
    encoding: str = "o200k_base"
    tokens: int = 1_000
    by_encoding: Mapping[str, int | None] = field(default_factory=lambda: dict(COUNTS))
    unavailable: Mapping[str, str] = field(default_factory=dict)
    sample: TextSample | None = None

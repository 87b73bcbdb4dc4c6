"""Compare the built-in prices with three published tables; list conflicts, missing models and models that retire soon.

    python packaging/check_prices.py            the installed litellm, genai-prices and model-prices (extra [prices])
    python packaging/check_prices.py FILE...    these files of theirs instead

Exit status 1 if a table disagrees with a built-in price and ``pricing/data/reviewed/accepted.yaml`` does not decide
which is right, or if that file accepts a conflict that no longer exists; 2 if there is no table to compare with.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ruamel.yaml import YAML  # noqa: E402

from pricing.bundled import Bundled, load_bundled  # noqa: E402
from pricing.catalog import Catalog, load_catalog  # noqa: E402
from pricing.importers import Disagreement, Imported, disagreements, read_import  # noqa: E402
from pricing.importers.compare import BUILT_IN  # noqa: E402
from pricing.importers.sources import installed_tables, read_installed  # noqa: E402

ACCEPTED = ROOT / "pricing" / "data" / "reviewed" / "accepted.yaml"
SOON = timedelta(days=60)
_PRICES = ("price.", "retires")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A reviewed conflict. ``values``: those of the tables, as printed; ``why``: which is right, and the reason."""

    model: str
    field: str
    values: tuple[tuple[str, str], ...]
    why: str


def accepted(path: Path = ACCEPTED) -> list[Acceptance]:
    """Return the reviewed conflicts of the file."""
    found = []
    for entry in YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))["accepted"]:
        values = tuple((table, str(value)) for table, value in entry["values"].items())
        found.append(Acceptance(entry["model"], entry["field"], values, entry["why"]))
    return found


def shown(value: Any) -> str:
    """Format a value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


def judged(found: Sequence[Disagreement], reviewed: Sequence[Acceptance]) -> Iterator[tuple[Disagreement, str]]:
    """Yield every disagreement with the reason why it is accepted; empty if it is not."""
    known = {(one.model, one.field, one.values): one.why for one in reviewed}
    for one in found:
        values = tuple((table, shown(value)) for table, value in one.values)
        yield one, known.get((one.model_id, one.path, values), "")


def stale(found: Sequence[Disagreement], reviewed: Sequence[Acceptance]) -> list[Acceptance]:
    """Return the reviewed conflicts that no longer exist, or have other values now."""
    now = {(one.model_id, one.path, tuple((table, shown(value)) for table, value in one.values)) for one in found}
    return [one for one in reviewed if (one.model, one.field, one.values) not in now]


def missing(tables: Sequence[Imported], catalog: Catalog) -> list[str]:
    """Return the IDs of models of known vendors that two tables price and the built-in table does not know."""
    vendors = {model.vendor for model in catalog.models}
    seen: dict[str, set[str]] = {}
    for table in tables:
        for one in table.candidates:
            gone = one.retires is not None and one.retires <= date.today()
            if one.model_id.partition("/")[0] in vendors and one.price.rates.input and not gone:
                seen.setdefault(one.model_id, set()).add(table.table)
    return sorted(model_id for model_id, said in seen.items() if len(said) > 1 and not _is_known(model_id, catalog))


def _is_known(model_id: str, catalog: Catalog) -> bool:
    try:
        catalog.find(model_id)
    except LookupError:
        return False
    return True


def retiring(bundled: Bundled, today: date) -> list[tuple[date, str]]:
    """Return the models that retire soon, in order of their dates."""
    days = ((entry.get("retires"), model_id) for model_id, entry in bundled.entries.items())
    return sorted((day, model_id) for day, model_id in days if day is not None and today <= day <= today + SOON)


def read_tables(files: Sequence[str]) -> list[Imported]:
    """Read the tables to compare with, and print their names."""
    if files:
        tables = [read_import(Path(name).read_text(encoding="utf-8")) for name in files]
        names = [f"{table.table} ({name})" for table, name in zip(tables, files, strict=True)]
    else:
        installed = installed_tables()
        tables = [read_installed(one) for one in installed]
        names = [f"{one.package} {one.version}" for one in installed]
    for name in names:
        print(f"compared with {name}")
    return tables


def main(files: Sequence[str]) -> int:
    """Print the comparison. Return the exit status."""
    today = date.today()
    tables = read_tables(files)
    if not tables:
        print("no table to compare with: python -m pip install -e '.[prices]'", file=sys.stderr)
        return 2
    bundled, reviewed = load_bundled(), accepted()
    found = [one for one in disagreements(tables, bundled, today) if one.path.startswith(_PRICES)]
    unexplained = 0
    for one, why in judged(found, reviewed):
        unexplained += not why
        print(f"{'accepted' if why else 'DISAGREES'}: {one.model_id} {one.path}")
        for table, value in one.values:
            print(f"    {BUILT_IN if table == BUILT_IN else table}: {shown(value)}")
        if why:
            print(f"    {why}")
    outdated = stale(found, reviewed) if not files else []
    for acceptance in outdated:
        print(f"outdated: {acceptance.model} {acceptance.field}: remove it from {ACCEPTED.name}, or update it")
    for model_id in missing(tables, load_catalog()):
        print(f"missing: {model_id}")
    for day, model_id in retiring(bundled, today):
        print(f"retires on {day}: {model_id}")
    print(f"{len(found)} disagreements, {unexplained} of them not reviewed; {len(outdated)} reviewed ones are outdated")
    return 1 if unexplained or outdated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

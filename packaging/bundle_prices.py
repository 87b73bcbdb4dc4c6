"""Build ``pricing/data/bundled.json``, the built-in price table, from the YAML files beside it.

    python packaging/bundle_prices.py            write it
    python packaging/bundle_prices.py --check    exit 1 if it is out of date, write nothing

Run it after every change of a YAML file in ``pricing/data``; a test fails until then. The table is shipped as JSON
because that loads in milliseconds. The YAML files have the comments and sources, and are the ones to edit.
``counting.yaml`` is read first: the other files refer to its rules.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pricing.bundled import encode  # noqa: E402
from pricing.load import Entry, read_price_text  # noqa: E402
from pricing.types import Problem  # noqa: E402

DATA = ROOT / "pricing" / "data"
TARGET = DATA / "bundled.json"
RULES = "counting.yaml"


class BadPriceFiles(Exception):
    """Price files with errors."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


def bundled_text(data: Path = DATA) -> str:
    """Return the JSON text of all price files in a folder. Raises BadPriceFiles."""
    problems: list[Problem] = []
    counting = read_price_text((data / RULES).read_text(encoding="utf-8"), RULES)
    problems.extend(counting.problems)
    entries: dict[str, Entry] = {}
    providers: dict[str, str] = {}
    for path in sorted(data.glob("*.yaml")):
        if path.name == RULES:
            continue
        file = read_price_text(path.read_text(encoding="utf-8"), path.name, rules=counting.rules)
        problems.extend(file.problems)
        providers.update(file.providers)
        for model_id, entry in file.models.items():
            if model_id in entries or entry is None:
                problems.append(Problem(path.name, 0, 0, model_id, f"{model_id} is hidden, or in two files"))
            elif missing := [name for name in ("name", "source", "checked", "count") if name not in entry.fields]:
                problems.append(Problem(path.name, 0, 0, model_id, f"{model_id} lacks {', '.join(missing)}"))
            else:
                entries[model_id] = entry
    if problems:
        raise BadPriceFiles(problems)
    return encode({model_id: entry.fields for model_id, entry in entries.items()}, counting.rules, providers)


def main() -> int:
    """Write the table, or check it. Return the exit status."""
    parser = argparse.ArgumentParser(description="Make the built-in price table from the YAML files.")
    parser.add_argument("--check", action="store_true", help="only check that the table is up to date")
    check = parser.parse_args().check
    try:
        text = bundled_text()
    except BadPriceFiles as error:
        print(error, file=sys.stderr)
        return 2
    if check:
        fresh = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
        print(f"{TARGET.name} is {'up to date' if fresh else 'out of date, run packaging/bundle_prices.py'}")
        return 0 if fresh else 1
    TARGET.write_text(text, encoding="utf-8", newline="\n")
    print(f"{TARGET.name}: {len(text):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Price files: read, layered, changed line by line; published tables; what providers billed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pricing
from pricing.bundled import load_bundled
from pricing.calibration import UsageError, parse_usage
from pricing.editing import add_models, remove_field, set_field
from pricing.importers import apply_differences, read_import, three_way
from pricing.importers.reading import ImportFileError
from pricing.load import read_price_text
from pricing.types import EditError, PriceFileError
from tests.engine.library.formats.damage import worse_bytes
from tests.fuzzing.damage import HOSTILE_VALUES, HOSTILE_WORDS, worse_json, worse_lines
from tests.fuzzing.judging import Fuzzer

ROOT = Path(__file__).parents[2]
OWN = b"""# mine
version: 1
rates: {EUR: 1.16}
providers: {own: My own}
counting:
  usual: {tokenizer: o200k_base, ratio: 1.1, low: 1, high: 1.2, note: as billed}
models:
  openai/gpt-4.1:
    price: {input: 1.5, output: 6}   # the usual
  own/model:
    name: "Mine: the big one"
    aliases: [mine, my-own]
    currency: EUR
    context: 128_000
    max_output: 16k
    count: usual
    price:
      input: 0.1
      output: 2
      cached: 0.01
      per_request: 0.001
      batch: {input: 0.05, output: 1}
      tiers:
        - {over: 200k, input: 0.2, output: 4}
      changes:
        - from_date: 2026-03-01
          input: 0.2
    source: https://example.org
    checked: 2026-01-02
    notes:
      - one
      - 'and another'
  google/gemini-2.5-pro: null
"""
USAGES = (
    {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 5}}},
    {"model": "m", "usage": {"input_tokens": 9, "cache_read_input_tokens": 3, "output_tokens": 2,
                             "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 1}}},
    {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}},
    {"response": {"usage": {"input_tokens": 1, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 0}}}},
)  # fmt: skip


def price_files(_folder: Path) -> Sequence[bytes]:
    """The user's own, the smaller built-in ones, and those that others have broken."""
    broken = sorted((ROOT / "tests" / "pricing" / "broken").glob("*.yaml"))
    built_in = sorted((ROOT / "pricing" / "data").glob("*.yaml"), key=lambda path: path.stat().st_size)[:4]
    return [*[OWN] * 40, *(path.read_bytes() for path in (*broken, *built_in))]


def feed_prices(content: bytes, folder: Path) -> Iterator[str]:
    """As a user's file over the built-in prices."""
    path = folder / "prices.yaml"
    path.write_bytes(content)
    problems = pricing.check_file(path)
    try:
        catalog = pricing.load_catalog(path)
    except PriceFileError:
        assert problems, "a file without problems was refused"
    else:
        assert not problems, "a file with problems was used"
        scenario = pricing.Scenario(on=date(2026, 5, 1), output_tokens=10, cached_tokens=1)
        given = pricing.TokenCount(100, 100, 100, "exact")
        for model in catalog.models:
            pricing.estimate(model, given, scenario)
    lines = content.count(b"\n") + content.count(b"\r") + 1
    for problem in problems:
        assert problem.line <= lines, f"line {problem.line} of {lines}"
        yield str(problem)


def feed_edits(content: bytes, folder: Path) -> Iterator[str]:
    """The text of a file, changed value by value; what comes of it must be a file without problems."""
    text = content.decode("utf-8", "replace")
    chance = random.Random(content)
    models = ("openai/gpt-4.1", "own/model", "own/new", "a" * 300, "", "x/\u202ey", "own/model:", "#", "null")
    fields = ("price.input", "price.tiers.0.output", "context", "name", "aliases", "price", "", "changes.9.from", "x.y")
    for _ in range(4):
        model, field = chance.choice(models), chance.choice(fields)
        value = chance.choice((*HOSTILE_VALUES, *HOSTILE_WORDS, "1.25", "1.25", None))
        try:
            way = chance.randrange(4)
            if way == 0:
                text = remove_field(text, model, field)
            elif way == 1:
                text = add_models(text, {model: {"name": value, "price": {"input": "1", "output": "2"}}})
            else:
                text = set_field(text, model, field, value)
        except (EditError, PriceFileError) as error:
            # Of a file with many mistakes all are named.
            yield from map(str, error.problems) if isinstance(error, PriceFileError) else [str(error)]
        else:
            assert not pricing.check_text(text, "prices.yaml"), "the change made a mistake"


def tables(_folder: Path) -> Sequence[bytes]:
    """Extracts of what others publish."""
    return [path.read_bytes() for path in sorted((ROOT / "tests/pricing/importers/extracts").glob("*.json"))]


def feed_table(content: bytes, _folder: Path) -> None:
    """Read, compared, and put into a file as a whole."""
    imported = read_import(content.decode("utf-8", "replace"))
    bundled = load_bundled()
    mine = OWN.decode()
    found = three_way(imported, bundled, read_price_text(mine, "prices.yaml", rules=bundled.rules), date(2026, 5, 1))
    try:
        after = apply_differences(mine, [one for one in found if one.applicable], file_name="prices.yaml")
    except (EditError, PriceFileError):  # of which the dialog tells
        return
    assert not pricing.check_text(after, "prices.yaml"), "what was imported has mistakes"


def feed_usage(content: bytes, _folder: Path) -> None:
    """Pasted text."""
    parse_usage(content.decode("utf-8", "surrogateescape"))


def usages(_folder: Path) -> Sequence[bytes]:
    """Answers of each API."""
    return [json.dumps(usage).encode() for usage in USAGES]


FUZZERS = {
    "prices": Fuzzer(price_files, (worse_lines, worse_lines, worse_bytes), feed_prices, place=r"prices\.yaml"),
    "price edits": Fuzzer(price_files, (worse_lines,), feed_edits),
    "price tables": Fuzzer(tables, (worse_json, worse_json, worse_bytes), feed_table, (ImportFileError,)),
    "usage": Fuzzer(usages, (worse_json, worse_json, worse_bytes), feed_usage, (UsageError,)),
}

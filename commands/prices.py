"""The commands ``prices``: check a price file, set one value, print the schema, compare with published tables."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pricing
from commands.encodings import user_encodings
from commands.inputs import Day
from commands.program import BadInput, FilePath, json_option, print_json, program, remark, say, usable
from engine.runtime.atomic_files import change_atomic

if TYPE_CHECKING:
    from pricing.importers import Difference

NULL = "null"
MAX_BYTES = 240_000_000
"""Maximum size of a price table, in bytes. Its characters may take four bytes each."""


@program.group(invoke_without_command=True)
@click.pass_context
def prices(context: click.Context) -> None:
    """Check, edit and compare price files."""
    if context.invoked_subcommand is None:
        raise BadInput("prices: name a command: check, compare, schema or set")


@prices.command()
@click.argument("file")
@json_option
@click.pass_obj
def check(profile: Path | None, file: str, as_json: bool) -> None:
    """Check a price file. Print every problem as FILE:LINE:COLUMN: MESSAGE.

    Notes on what is valid but looks unintended go to standard error.
    """
    usable(lambda: Path(file).stat(), file)
    if Path(file).is_dir():
        raise BadInput(f"{file}: a folder, not a file")
    names = user_encodings(profile)[0]
    problems = pricing.check_file(file, tokenizers=names)
    notices = () if problems else usable(lambda: pricing.load_catalog(file, tokenizers=names)).notices
    notes = [notice.message for notice in notices]
    if as_json:
        print_json({"problems": [str(problem) for problem in problems]} | ({"notes": notes} if notes else {}))
    else:
        for problem in problems:
            say(str(problem))
        if not problems:
            say(f"{file}: no problems")
        for note in notes:
            remark(f"{file}: {note}")
    if problems:
        raise click.exceptions.Exit(1)


@prices.command("set")
@click.argument("file")
@click.argument("model")
@click.argument("field")
@click.argument("value")
@click.pass_obj
def set_value(profile: Path | None, file: str, model: str, field: str, value: str) -> None:
    """Set one FIELD of a MODEL in a price file, such as price.input. The value null makes it unknown.

    Nothing else of the file changes, and concurrent changes by other processes are kept. The old file is
    kept beside it, with the suffix .bak. A file with errors is not changed.
    """
    names = user_encodings(profile)[0]
    if Path(file).exists():
        usable(lambda: check_size(Path(file)), file)
    given = None if value == NULL else value
    if "/" not in model:
        try:
            hint = f"did you mean {pricing.load_catalog().find(model).id}?"
        except LookupError as error:
            hint = str(error)
        raise BadInput(f"MODEL: write vendor/model; {hint}")

    def changed(before: bytes | None) -> bytes:
        text = decoded(before or b"", file)
        return usable(lambda: pricing.set_field(text, model, field, given, file_name=file, tokenizers=names)).encode()

    usable(lambda: change_atomic(Path(file), changed, keep_backup=True), file)


@prices.command()
def schema() -> None:
    """Print the JSON Schema of price files. Editors use it to complete and check YAML."""
    from pricing.declaration import schema_text

    for line in schema_text().splitlines():
        say(line)


@prices.command()
@click.argument("tables", nargs=-1)
@click.option("--prices", "file", type=FilePath(), help="Your price file, which overrides both.")
@click.option("--on", "day", type=Day(), help="Use the prices of this date. Default: today.")
@json_option
def compare(tables: tuple[str, ...], file: Path | None, day: date | None, as_json: bool) -> None:
    """Compare published price tables with the built-in prices and yours.

    Reads files of LiteLLM, llm-prices, models.dev, genai-prices and model-prices. Without a file, uses those of the
    packages litellm, genai-prices and model-prices that are installed beside this program. Changes nothing.
    """
    on = day or date.today()
    if not tables:
        from pricing.importers.sources import installed_tables

        tables = tuple(str(one.path) for one in installed_tables())
        if not tables:
            raise BadInput("name a price table, or install one: litellm, genai-prices or model-prices")
    differences: list[Difference] = []
    for name in tables:
        differences += compared(Path(name), file, on)
    known = [difference for difference in differences if not difference.is_new]
    if as_json:
        print_json({"on": on.isoformat(), "differences": [json_difference(difference) for difference in differences]})
        return
    for line in lines_of(known):
        say(line)
    others = len({difference.model_id for difference in differences if difference.is_new})
    others_text = "1 model that is" if others == 1 else f"{others} models that are"
    say(f"{len(known)} {'difference' if len(known) == 1 else 'differences'}; {others_text} not in the built-in table.")


def compared(table: Path, file: Path | None, on: date) -> Sequence[Difference]:
    """Return the differences of one table. Raises BadInput if a file cannot be read."""
    from pricing.bundled import load_bundled
    from pricing.importers import read_import, three_way
    from pricing.load import PriceFile, read_price_text

    text = text_of(table)
    imported = usable(lambda: read_import(text), str(table))
    bundled = load_bundled()
    mine = PriceFile("") if file is None else read_price_text(text_of(file), str(file), rules=bundled.rules)
    if mine.problems:
        raise BadInput(str(pricing.PriceFileError(mine.problems)))
    return three_way(imported, bundled, mine, on)


def text_of(path: Path) -> str:
    """Return the text of a file with its line ends unchanged. Raises BadInput."""
    return decoded(usable(lambda: _content(path), str(path)), str(path))


def check_size(path: Path) -> None:
    """Raise OSError if a file exceeds the size limit of price tables, before it is read."""
    if path.stat().st_size > MAX_BYTES:
        raise OSError(errno.EFBIG, f"the file is too large for prices (more than {MAX_BYTES:,} bytes)", str(path))


def _content(path: Path) -> bytes:
    """Return the bytes of a file within the size limit of price tables. Raises OSError."""
    check_size(path)
    with path.open("rb") as file:  # a device has no size
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"the file is too large for prices (more than {MAX_BYTES:,} bytes)", str(path))
    return content


def decoded(raw: bytes, file: str) -> str:
    """Decode the bytes of a file as UTF-8. Raises BadInput with the file name."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: this is not UTF-8 text (byte {error.start + 1})") from error


def lines_of(differences: Sequence[Difference]) -> list[str]:
    """Return one line per difference."""
    lines = []
    for one in differences:
        here = f"yours {shown(one.yours)}" if one.state == "yours" else f"built in {shown(one.bundled)}"
        doubt = f" ({one.doubt})" if one.doubt else ""
        lines.append(f"{one.model_id} {one.path}: {here}, {one.table} {shown(one.theirs)}{doubt}")
    return lines


def shown(value: object) -> str:
    """Return a value on one line, as in a price file."""
    from pricing.editing import rendered

    return "unknown" if value is None else rendered(value)


def json_difference(difference: Difference) -> dict[str, Any]:
    """Return a difference as JSON data; amounts are decimal strings."""
    return {
        "table": difference.table,
        "model": difference.model_id,
        "field": difference.path,
        "bundled": plain(difference.bundled),
        "yours": plain(difference.yours),
        "theirs": plain(difference.theirs),
        "state": difference.state,
        "new": difference.is_new,
        "doubt": difference.doubt,
    }


def plain(value: Any) -> Any:
    """Convert decimals and days to text, at any depth."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, (Decimal, date)) else value

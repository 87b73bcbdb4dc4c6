"""The commands ``vocab`` and ``trace``: entries of a vocabulary, and the merges that make a text's tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commands.encodings import required_encoding, tokenizer_options
from commands.inputs import STANDARD_INPUT, read_text
from commands.program import BadInput, json_option, print_json, program, remark, say, usable
from engine.vocabulary.entries import EntryTable, entries_of
from engine.vocabulary.entry_diagnostics import is_reachable
from engine.vocabulary.entry_search import EntryQuery, EntrySearch, read_hex
from gui.core.token_text import hexadecimal, visible, visible_text

if TYPE_CHECKING:
    from engine import Encoding
    from engine.analysis.merge_types import PretokenTrace


@program.command()
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@click.option("--id", "token_id", help="The entry with this ID.")
@click.option("--text", help="Entries with exactly this text.")
@click.option("--hex", "digits", help="Entries with exactly these bytes.")
@click.option("--search", help="Entries that contain this text, ignoring case.")
@json_option
@click.pass_context
def vocab(
    context: click.Context,
    token_id: str | None,
    text: str | None,
    digits: str | None,
    search: str | None,
    as_json: bool,
    **options: str | None,
) -> None:
    """Print entries of a vocabulary. Exit status 1 if none matches."""
    if sum(option is not None for option in (token_id, text, digits, search)) != 1:
        raise BadInput("name one of --id, --text, --hex and --search")
    encoding = required_encoding(context.obj, **options)
    entries = entries_of(encoding)
    if token_id is not None:
        found = [_known_id(entries, token_id)]
    elif text is not None:
        found = _ids_of_bytes(entries, _utf8(text), "--text")
    elif digits is not None:
        found = _ids_of_bytes(entries, usable(lambda: read_hex(digits), "--hex"), "--hex")
    else:
        found = _searched(entries, search or "")
    document = [_described(encoding, entries, one) for one in found]
    if as_json:
        print_json({"entries": document})
    else:
        for entry in document:
            say(_line(entry))
        if not document:
            remark(f"no entry of {encoding.name} matches")
    context.exit(0 if found else 1)


def _known_id(entries: EntryTable, word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > len(str(len(entries))) or int(word) >= len(entries):
        quoted = word if len(word) <= 20 else word[:19] + "…"
        raise BadInput(f"--id: {quoted!r} is not an ID of {entries.name}, which has IDs from 0 to {len(entries) - 1}")
    return int(word)


def _utf8(text: str) -> bytes:
    """Return the bytes of a command-line argument. Invalid UTF-8 is kept as typed."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadInput("--text: a lone surrogate, which no entry contains") from None


def _ids_of_bytes(entries: EntryTable, content: bytes, option: str) -> list[int]:
    if not content:
        raise BadInput(f"{option}: give at least one byte")
    length = len(content)
    exact = EntryQuery(content.hex(), "hex", shortest=length, longest=length)
    return EntrySearch(entries).ids(exact).tolist()


def _searched(entries: EntryTable, text: str) -> list[int]:
    if not text:
        raise BadInput("--search: give at least one character")
    return EntrySearch(entries).ids(EntryQuery(text)).tolist()


def _described(encoding: Encoding, entries: EntryTable, token_id: int) -> dict[str, Any]:
    content = entries.token_bytes(token_id)
    left, right = encoding.parents_of(token_id) or (None, None)
    return {
        "id": token_id,
        "hex": content.hex(),
        "text": content.decode("utf-8", "replace"),
        "kind": entries.kind(token_id),
        "left": left,
        "right": right,
        "reachable": is_reachable(encoding, entries, token_id),
    }


def _line(entry: dict[str, Any]) -> str:
    """Format one entry for people. All its text is made visible, so that nothing in it moves the cursor."""
    parts = "" if entry["left"] is None else f" = {entry['left']} + {entry['right']}"
    remark = ", unreachable" if entry["reachable"] is False else ""
    words = f"{entry['id']:>8}{parts}  {entry['kind']}{remark}"
    content = bytes.fromhex(entry["hex"])
    return f"{words}  [{hexadecimal(content)}]  {visible(content)}" if content else words


TITLES = ("merge", "left", "right", "token", "id", "rank")


@program.command()
@click.argument("text")
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@json_option
@click.pass_obj
def trace(profile: Path | None, text: str, as_json: bool, **options: str | None) -> None:
    """Show the pretokens of TEXT, and every merge in each. TEXT may be - for standard input."""
    from engine.analysis.merge_steps import cut_text, trace_of

    encoding = required_encoding(profile, **options)
    if text == STANDARD_INPUT:
        text = read_text(text).text
    cut = usable(lambda: cut_text(encoding, text))
    pretokens = [cut.pretoken(index) for index in range(len(cut))]
    accounts = [usable(lambda one=one: trace_of(encoding, one)) for one in pretokens]
    if as_json:
        told = [
            {"text": pretoken, "ids": account.ids, "steps": list(_steps(encoding, account))}
            for pretoken, account in zip(pretokens, accounts, strict=True)
        ]
        print_json({"pretokens": told})
        return
    count = sum(len(account.ids) for account in accounts)
    say(f"{_number(len(pretokens), 'pretoken')}, {_number(count, 'token')} in {encoding.name}")
    for pretoken, account in zip(pretokens, accounts, strict=True):
        say()
        _print_trace(encoding, pretoken, account)


def _steps(encoding: Encoding, account: PretokenTrace) -> Iterator[dict[str, Any]]:
    for step in account.steps:
        rank = encoding.token_info(step.token_id).rank
        yield {"left": step.left_id, "right": step.right_id, "id": step.token_id, "rank": rank}


def _print_trace(encoding: Encoding, pretoken: str, account: PretokenTrace) -> None:
    """Print a pretoken as a table with one row per merge, numbers right-aligned."""

    def shown(token_id: int) -> str:
        return visible(encoding.token_info(token_id).token_bytes)

    say(visible_text(pretoken))
    rows = [
        (str(number), shown(step["left"]), shown(step["right"]), shown(step["id"]), str(step["id"]), str(step["rank"]))
        for number, step in enumerate(_steps(encoding, account), 1)
    ]
    if rows:
        widths = [max(map(len, column)) for column in zip(TITLES, *rows, strict=True)]
        for row in (TITLES, *rows):
            cells = (
                cell.ljust(width) if title in ("left", "right", "token") else cell.rjust(width)
                for cell, width, title in zip(row, widths, TITLES, strict=True)
            )
            say("  " + "  ".join(cells).rstrip())
    elif account.is_looked_up:
        say("  is a token, but no merges lead to it")
    ids = "  ".join(f"{shown(token_id)} ({token_id})" for token_id in account.ids)
    say(f"  {_number(len(account.ids), 'token')}: {ids}")


def _number(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"

"""``trace``: the merges of each pretoken of a text, in the order in which they happen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commands.encodings import required_encoding, tokenizer_options
from commands.program import json_option, program, say, say_json, usable
from commands.reading import STANDARD_INPUT, read_text
from gui.core.token_text import visible, visible_text

if TYPE_CHECKING:
    from engine import Encoding
    from engine.merge_types import PretokenAccount

TITLES = ("merge", "left", "right", "token", "id", "rank")


@program.command()
@click.argument("text")
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@json_option
@click.pass_obj
def trace(profile: Path | None, text: str, as_json: bool, **options: str | None) -> None:
    """Show how TEXT becomes tokens: its pretokens, and every merge in each. TEXT may be - for standard input."""
    from engine.merge_account import account_of, cut_text

    encoding = required_encoding(profile, **options)
    if text == STANDARD_INPUT:
        text = read_text(text).text
    cut = usable(lambda: cut_text(encoding, text))
    pretokens = [cut.pretoken(index) for index in range(len(cut))]
    accounts = [usable(lambda one=one: account_of(encoding, one)) for one in pretokens]
    if as_json:
        told = [
            {"text": pretoken, "ids": account.ids, "steps": list(_steps(encoding, account))}
            for pretoken, account in zip(pretokens, accounts, strict=True)
        ]
        say_json({"pretokens": told})
        return
    count = sum(len(account.ids) for account in accounts)
    say(f"{_number(len(pretokens), 'pretoken')}, {_number(count, 'token')} in {encoding.name}")
    for pretoken, account in zip(pretokens, accounts, strict=True):
        say()
        _say_account(encoding, pretoken, account)


def _steps(encoding: Encoding, account: PretokenAccount) -> Iterator[dict[str, Any]]:
    for step in account.steps:
        rank = encoding.token_info(step.token_id).rank
        yield {"left": step.left_id, "right": step.right_id, "id": step.token_id, "rank": rank}


def _say_account(encoding: Encoding, pretoken: str, account: PretokenAccount) -> None:
    """A pretoken as a table: a row a merge, numbers to the right."""

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
        say("  is a token as a whole; no merges lead to it")
    ids = "  ".join(f"{shown(token_id)} ({token_id})" for token_id in account.ids)
    say(f"  {_number(len(account.ids), 'token')}: {ids}")


def _number(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"

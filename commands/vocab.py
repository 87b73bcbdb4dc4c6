"""``vocab``: entries of a vocabulary, by id, text, bytes, or what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commands.encodings import required_encoding, tokenizer_options
from commands.program import BadInput, json_option, program, say, say_json, usable
from engine.entries.query import EntryQuery, read_hex
from engine.entries.reach import is_reachable
from engine.entries.search import EntrySearch
from engine.entries.table import EntryTable, entries_of
from gui.core.token_text import hexadecimal, visible

if TYPE_CHECKING:
    from engine import Encoding


@program.command()
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@click.option("--id", "token_id", help="The entry of an id.")
@click.option("--text", help="Entries that stand for exactly this text.")
@click.option("--hex", "digits", help="Entries that stand for exactly these bytes.")
@click.option("--search", help="Entries with this text somewhere in them, in capitals or not.")
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
    """Print entries of a vocabulary. Status 1: there is none like that."""
    if sum(option is not None for option in (token_id, text, digits, search)) != 1:
        raise BadInput("name one of --id, --text, --hex and --search")
    encoding = required_encoding(context.obj, **options)
    entries = entries_of(encoding)
    if token_id is not None:
        found = [_known_id(entries, token_id)]
    elif text is not None:
        found = _standing_for(entries, _utf8(text), "--text")
    elif digits is not None:
        found = _standing_for(entries, usable(lambda: read_hex(digits), "--hex"), "--hex")
    else:
        found = _searched(entries, search or "")
    document = [_described(encoding, entries, one) for one in found]
    if as_json:
        say_json({"entries": document})
    else:
        for entry in document:
            say(_line(entry))
    context.exit(0 if found else 1)


def _known_id(entries: EntryTable, word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > len(str(len(entries))) or int(word) >= len(entries):
        quoted = word if len(word) <= 20 else word[:19] + "…"
        raise BadInput(f"--id: {quoted!r} is no id of {entries.name}, which has ids from 0 to {len(entries) - 1}")
    return int(word)


def _utf8(text: str) -> bytes:
    """The bytes of a word of the command line, those that are no UTF-8 as they were typed."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise BadInput("--text: it has a lone surrogate, which no entry stands for") from None


def _standing_for(entries: EntryTable, content: bytes, option: str) -> list[int]:
    if not content:
        raise BadInput(f"{option}: no entry stands for nothing; give at least one byte")
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
    """One entry for people; its text with everything made visible, so that nothing in it moves the cursor."""
    parts = "" if entry["left"] is None else f" = {entry['left']} + {entry['right']}"
    remark = ", unreachable" if entry["reachable"] is False else ""
    words = f"{entry['id']:>8}{parts}  {entry['kind']}{remark}"
    content = bytes.fromhex(entry["hex"])
    return f"{words}  [{hexadecimal(content)}]  {visible(content)}" if content else words

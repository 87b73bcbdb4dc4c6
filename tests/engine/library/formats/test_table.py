"""The table of formats: everything that knows a format reads it there."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest

import engine
from engine.errors import FormatError
from engine.library.formats import gguf, opening, reading, table
from engine.library.formats.source import Found, Source
from engine.library.formats.tokenizer_data import TokenizerData
from engine.library.user_encodings import UserEncodings
from gui.core import user_encodings

ROOT = Path(__file__).resolve().parents[4]
BYTES = {bytes([value]): value for value in range(256)}


class Toy(ModuleType):
    """A format of one line: ``toy``, and the split pattern behind it."""

    @staticmethod
    def read_source(file: Source) -> Found | None:
        if not file.content.startswith(b"toy "):
            return None
        return Found(TokenizerData(file.content[4:].decode().strip(), BYTES, {}))

    @staticmethod
    def write_files(data: TokenizerData, path: Path, _name: str, _kind: str):
        return {path.name: f"toy {data.pattern}".encode()}, ("A toy holds no special tokens.",)


@pytest.fixture
def toy(monkeypatch) -> None:
    """One entry more, as a module beside the others would have."""
    module = Toy("toy")
    entry = table.Format(
        "toy",
        "Toy",
        ".toy",
        lambda: module,
        lambda: module,
        only_its_own=True,
        begins=lambda start: start[:4] == b"toy ",
    )
    formats = (*table.FORMATS, entry)
    for place in (table, reading):
        monkeypatch.setattr(place, "FORMATS", formats)
    for place in (table, opening):
        monkeypatch.setattr(place, "WRITTEN", (*table.WRITTEN, entry))


@pytest.mark.usefixtures("toy")
def test_an_entry_is_all_that_a_new_format_needs(tmp_path):
    path = tmp_path / "own.toy"
    encoding = engine.Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=BYTES, special_tokens={})
    saved = engine.save_encoding(encoding, path, "some text")
    assert saved.losses == ("A toy holds no special tokens.",)
    opened = engine.open_tokenizer(path)
    assert (opened.kind, opened.encoding._pat_str) == ("toy", r"\S+|\s+")
    assert user_encodings.looks_like_tokenizer(path)
    assert ".toy" in table.endings()
    assert ".toy" in table.examples()
    own = UserEncodings(frozenset())
    assert own.add_folder(tmp_path) == ()
    assert [entry.name for entry in own.entries()] == ["own"]


def test_without_it_nothing_knows_the_toy(tmp_path):
    path = tmp_path / "own.toy"
    path.write_text("toy x")
    assert not user_encodings.looks_like_tokenizer(path)
    with pytest.raises(FormatError):
        engine.load(path)


def test_names_are_there_once_and_each_format_has_its_modules():
    assert len({one.name for one in table.FORMATS}) == len(table.FORMATS)
    for one in table.FORMATS:
        assert callable(one.reader().read_source)
        assert one.writer is None or callable(one.writer().write_files)


def test_as_much_is_read_of_a_model_as_its_reader_takes():
    known = {one.magic: one.header_bytes for one in table.FORMATS if one.magic}
    assert known == {gguf.MAGIC: gguf.LONGEST_HEADER}


def test_no_other_module_lists_endings():
    """Two of them in one module would be a second table."""
    known = {f'"{ending}"' for ending in table.endings()} - {'".json"'}
    found = set()
    for package in ("commands", "engine", "gui"):
        for path in (ROOT / package).rglob("*.py"):
            words = {
                f'"{node.value}"'
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            if len(words & known) > 1:
                found.add(path.relative_to(ROOT).as_posix())
    assert found == {"engine/library/formats/table.py"}

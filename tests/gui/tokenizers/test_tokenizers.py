"""Tokenizers of the user: imported by dialog and by drop, looked at first, then like any other encoding."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import sentencepiece
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLabel, QMessageBox
from pytestqt.qtbot import QtBot
from tokenizers import Tokenizer

import engine
from engine.encoding.encoding import Encoding
from engine.library.bundled_encodings import ENTRIES
from engine.library.formats.opening import save_encoding
from engine.library.user_encodings import UserEncodings as EngineEncodings
from engine.runtime.atomic_files import LOCK_NAME
from gui.core import user_encodings
from gui.core.user_encodings import UserEncodings
from gui.prompt.figures import TokenReadout
from gui.tokenizers.library.dialogs import TokenizerImportDialog, TokenizerModelsDialog, TokenizerNameDialog
from gui.tokenizers.library.page import ENTRIES as SIZE
from gui.tokenizers.library.page import ORIGIN, LibraryPage
from gui.tokenizers.library.service import LICENCES, SIZES
from gui.tokenizers.merges.panel import MergesPanel
from gui.tokenizers.vocabulary.detail import VocabularyDetail
from gui.window.application import Application
from tests.engine.library.formats import library_files
from tests.engine.library.formats.test_gguf import of_model
from tests.engine.library.formats.trained import trained
from tests.gui.conftest import OpenWindow
from tests.gui.dropping import drop
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.pages()

PLAIN = "The quick brown fox, naïve café 敏捷的 👩\u200d🚀\n"


def import_dialog(qtbot: QtBot, bench: Application) -> TokenizerImportDialog:
    """The dialog, when the file was read."""
    qtbot.waitUntil(lambda: bench.window.findChild(TokenizerImportDialog) is not None)
    dialog = bench.window.findChild(TokenizerImportDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.preview is not None or dialog.says_why)
    return dialog


def facts(dialog: TokenizerImportDialog) -> dict[str, str]:
    """What the dialog says of a file."""
    found = {}
    for row in range(dialog.facts.rowCount()):
        title, words = (
            dialog.facts.itemAt(row, role).widget()
            for role in (QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole)
        )
        assert isinstance(title, QLabel)
        assert isinstance(words, QLabel)
        assert words.textFormat() == Qt.TextFormat.PlainText
        found[title.text().rstrip(":")] = words.text()
    return found


def choose(qtbot: QtBot, bench: Application, path: Path) -> TokenizerImportDialog:
    """Import a file by the menu."""
    bench.window.actions_by_name["import_tokenizer"].trigger()
    chooser = bench.window.findChild(QFileDialog, "tokenizerFile")
    assert chooser is not None
    chooser.fileSelected.emit(str(path))
    chooser.reject()
    return import_dialog(qtbot, bench)


def add(qtbot: QtBot, bench: Application, dialog: TokenizerImportDialog, name: str) -> None:
    dialog.name.setText(name)
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bench.panel.picker.findText(name) >= 0)


def count(qtbot: QtBot, bench: Application, name: str, text: str) -> int:
    """Tokens of a text that the window shows in an encoding."""
    bench.panel.editor.setPlainText(text)
    bench.panel.picker.setCurrentText(name)
    qtbot.waitUntil(lambda: bench.prompt.encoding == name)
    qtbot.waitUntil(
        lambda: (
            bench.prompt.counts is not None
            and not bench.prompt.stale
            and bench.prompt.counts.encoding == name
            and bench.prompt.counts.revision == bench.panel.editor.revision
        )
    )
    return bench.prompt.counts.tokens


KINDS = {
    "WordPiece": ("tokenizer.json", library_files.word_piece, "tokenizers"),
    "Unigram": ("tokenizer.json", library_files.unigram, "tokenizers"),
    "BPE": ("tokenizer.json", library_files.character_bpe, "tokenizers"),
    "BPE over characters": ("own.model", library_files.sentencepiece_model, "sentencepiece"),
}


@pytest.mark.parametrize("model", mostly_deep(KINDS, 2))
def test_a_file_is_looked_at_and_added_and_counts(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, model: str):
    name, make, library = KINDS[model]
    (tmp_path / name).write_bytes(make())
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / name)
    said = facts(dialog)
    assert said["Kind"].endswith(f", {model}")
    assert said["Engine"].startswith(library)
    assert said["IDs"].startswith(f"✓ from {library}")
    assert " itself; checked on " in said["IDs"]
    assert "special tokens" in said["Size"]
    assert said["Special tokens"] != "none"
    add(qtbot, bench, dialog, "theirs")
    if library == "sentencepiece":
        expected = sentencepiece.SentencePieceProcessor(model_proto=make()).encode(PLAIN)
    else:
        expected = Tokenizer.from_str(make().decode()).encode(PLAIN, add_special_tokens=False).ids
    assert count(qtbot, bench, "theirs", PLAIN) == len(expected)
    assert engine.get_encoding("theirs").encode_ordinary(PLAIN) == expected


@pytest.mark.deep
def test_what_our_own_engine_runs_says_so(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    from engine.library.formats.opening import save_encoding

    save_encoding(trained(), tmp_path / "written.json")
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / "written.json")
    said = facts(dialog)
    assert said["Engine"] == "Tokenloupe's own engine"
    assert said["Split"] == "cl100k_base"
    assert said["IDs"].startswith("✓ same as tokenizers ")
    assert said["Lost"].startswith("nothing")
    dialog.reject()


@pytest.mark.deep
def test_a_name_that_is_taken_is_not_accepted(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "own.model").write_bytes(library_files.sentencepiece_model())
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / "own.model")
    dialog.name.setText("gpt2")
    assert "with this name exists" in dialog.remark.text()
    assert not dialog.add.isEnabled()
    dialog.name.setText(" ")
    assert not dialog.add.isEnabled()
    dialog.name.setText("mine")
    assert dialog.add.isEnabled()
    dialog.reject()


@pytest.mark.deep
def test_a_file_without_a_pattern_asks_for_one(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    from engine.library.formats.opening import save_encoding

    save_encoding(trained(), tmp_path / "bare.tiktoken")
    (tmp_path / "bare.tiktoken.json").unlink()
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / "bare.tiktoken")
    assert dialog.says_why
    assert "Choose a pattern" in dialog.about.text()
    assert dialog.asking.isVisible()
    dialog.pattern.setEditText("(")
    qtbot.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.says_why)
    assert "not valid" in dialog.about.text()
    dialog.pattern.setEditText("cl100k_base")
    qtbot.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    add(qtbot, bench, dialog, "mine")
    assert count(qtbot, bench, "mine", PLAIN) == trained().count(PLAIN)


def test_a_hostile_file_is_refused_in_the_dialog(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "tokenizer.json").write_bytes(b'{"model": {"type": "BPE", "vocab": {"<b>a</b>": -1}, "merges": []}}')
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / "tokenizer.json")
    assert "neither" in dialog.about.text()
    assert dialog.about.textFormat() == Qt.TextFormat.PlainText
    assert not dialog.add.isEnabled()
    dialog.reject()


@pytest.mark.deep
def test_one_that_says_it_was_tried_is_tried(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    dialog = choose(qtbot, bench, library_files.forged(tmp_path / "theirs"))
    assert "tokenizers failed on this text" in dialog.about.text()
    assert not dialog.add.isEnabled()
    dialog.reject()


def dropped(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


@pytest.mark.parametrize("place", mostly_deep(["window", "editor", "request"], 1))
def test_a_tokenizer_is_imported_by_dropping_it(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, place: str):
    values = of_model(library_files.sentencepiece_model())
    (tmp_path / "model.gguf").write_bytes(library_files.gguf(values))
    (tmp_path / "note.txt").write_text("a note")
    bench = open_window()
    if place == "request":
        bench.window.actions_by_name["focus_request"].trigger()
        assert drop(bench.pages.request.panel, dropped(tmp_path / "model.gguf"))
    else:
        target = bench.window if place == "window" else bench.panel.editor.viewport()
        assert drop(target, dropped(tmp_path / "model.gguf", tmp_path / "note.txt"))
    dialog = import_dialog(qtbot, bench)
    assert facts(dialog)["Kind"] == "GGUF, BPE over characters"
    dialog.reject()
    if place != "request":
        qtbot.waitUntil(lambda: bench.panel.editor.toPlainText() == "a note")


@pytest.mark.deep
def test_several_are_shown_one_after_the_other(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    for name in ("first.model", "second.model"):
        (tmp_path / name).write_bytes(library_files.sentencepiece_model())
    bench = open_window()
    assert drop(bench.window, dropped(tmp_path / "first.model", tmp_path / "second.model"))
    dialog = import_dialog(qtbot, bench)
    assert dialog.name.text() == "first"
    dialog.reject()
    qtbot.waitUntil(lambda: bench.window.findChildren(TokenizerImportDialog)[-1] is not dialog)
    qtbot.waitUntil(lambda: bench.window.findChildren(TokenizerImportDialog)[-1].preview is not None)
    assert bench.window.findChildren(TokenizerImportDialog)[-1].name.text() == "second"
    bench.window.findChildren(TokenizerImportDialog)[-1].reject()


def test_a_tokenizer_is_known_by_its_content(tmp_path: Path):
    """Not by its name: what is dropped is imported or opened as text by it."""
    encoding = engine.train(["the cat sat on the mat " * 9], vocab_size=300, special_tokens=["<|end|>"])
    for ending in (".tiktoken", ".json", ".model"):
        save_encoding(encoding, tmp_path / f"own{ending}")
        (tmp_path / f"own{ending}").rename(tmp_path / f"renamed{ending[1:]}.txt")
    (tmp_path / "wp.json").write_bytes(library_files.word_piece())
    (tmp_path / "uni.json").write_text(json.dumps(json.loads(library_files.unigram()), indent=2, sort_keys=True))
    (tmp_path / "large.json").write_bytes(library_files.word_piece().replace(b"{", b"{" + b" " * 400_000, 1))
    (tmp_path / "sp").write_bytes(library_files.sentencepiece_model())
    (tmp_path / "weights.bin").write_bytes(library_files.gguf(of_model(library_files.sentencepiece_model())))
    (tmp_path / "tekken").write_text('{"config": {"default_vocab_size": 5}, "vocab": []}')
    (tmp_path / "js").write_text('{"pat_str": ".", "bpe_ranks": "! 0 IQ=="}')
    (tmp_path / "broken.gguf").write_bytes(b"\0" * 99)
    beside = {LOCK_NAME, *(path.name for path in tmp_path.glob("own*"))}  # what describes the ranks
    tokenizers = {path.name: path for path in tmp_path.iterdir() if path.name not in beside}
    assert len(tokenizers) == 11
    assert [name for name, path in tokenizers.items() if not user_encodings.looks_like_tokenizer(path)] == []

    texts = tmp_path / "texts"
    texts.mkdir()
    for name, text in {
        "tokenizer.json": '{"name": "settings of mine", "model": "gpt-4o"}',
        "notes.model": "about models",
        "words.tiktoken": "apple 5\npear 7\n",
        "lines.model": "\n\n\n\nfour lines",
        "empty.gguf": "",
        "package.json": '{"model": {"vocab": 1}, "config": 2}',
    }.items():
        (texts / name).write_text(text)
    if hasattr(os, "mkfifo"):
        os.mkfifo(texts / "pipe.gguf")
    assert not any(map(user_encodings.looks_like_tokenizer, (*texts.iterdir(), tmp_path, tmp_path / "gone.gguf")))


def library(qtbot: QtBot, bench: Application, name: str = "") -> LibraryPage:
    """The page Library, with this tokenizer selected."""
    bench.window.actions_by_name["tokenizers"].trigger()
    page = bench.pages.library.panel
    qtbot.waitUntil(lambda: page.model.rowCount() > 0 and (not name or page.model.row_of(name) >= 0))
    if name:
        page.select(name)
    return page


def imported(qtbot: QtBot, bench: Application, folder: Path, name: str = "theirs") -> None:
    (folder / "own.model").write_bytes(library_files.sentencepiece_model())
    add(qtbot, bench, choose(qtbot, bench, folder / "own.model"), name)


@pytest.mark.deep
def test_one_is_renamed_and_removed_while_it_is_in_use(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    imported(qtbot, bench, tmp_path)
    count(qtbot, bench, "theirs", PLAIN)
    page = library(qtbot, bench, "theirs")
    qtbot.mouseClick(page.details.rename, Qt.MouseButton.LeftButton)
    naming = bench.window.findChild(TokenizerNameDialog)
    assert naming is not None
    naming.name.setText("gpt2")
    assert not naming.ok.isEnabled()
    naming.name.setText("renamed")
    qtbot.mouseClick(naming.ok, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.model.row_of("renamed") >= 0)
    qtbot.waitUntil(lambda: bench.prompt.encoding == "renamed")
    qtbot.waitUntil(lambda: bench.panel.picker.findText("theirs") < 0)
    page.select("renamed")
    qtbot.mouseClick(page.details.remove, Qt.MouseButton.LeftButton)
    box = bench.window.findChild(QMessageBox, "tokenizerRemoval")
    assert box is not None
    next(button for button in box.buttons() if "Remove" in button.text()).click()
    qtbot.waitUntil(lambda: page.model.row_of("renamed") < 0)
    assert bench.prompt.encoding == "o200k_base"
    assert [path.name for path in bench.paths.encodings.iterdir()] == [LOCK_NAME]


@pytest.mark.deep
def test_one_is_still_there_in_the_next_window(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    from tests.gui.conftest import close_window

    bench = open_window()
    imported(qtbot, bench, tmp_path)
    expected = count(qtbot, bench, "theirs", PLAIN)
    close_window(qtbot, bench)
    bench = open_window()
    qtbot.waitUntil(lambda: bench.panel.picker.findText("theirs") >= 0)
    assert count(qtbot, bench, "theirs", PLAIN) == expected


def test_a_name_is_not_offered_that_another_window_took_meanwhile(tmp_path: Path):
    own = UserEncodings(tmp_path)
    assert own.free_name("theirs") == "theirs"
    for name in ("theirs.tokenizer", "theirs-2.tiktoken"):
        (tmp_path / name).write_bytes(b"x")
    assert own.free_name("theirs") == "theirs-3"


@pytest.mark.deep
@pytest.mark.pages("pricingTab")
def test_models_are_counted_with_it(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    imported(qtbot, bench, tmp_path)
    qtbot.waitUntil(lambda: bool(bench.costs.service.models))
    page = library(qtbot, bench, "theirs")
    qtbot.mouseClick(page.details.assign, Qt.MouseButton.LeftButton)
    asking = bench.window.findChild(TokenizerModelsDialog)
    assert asking is not None
    assert not asking.ok.isEnabled()
    asking.filter.setText("gpt-4o")
    shown = [row for row in range(asking.list.count()) if not asking.list.item(row).isHidden()]
    assert 0 < len(shown) < asking.list.count()
    row = next(row for row in shown if asking.list.item(row).data(Qt.ItemDataRole.UserRole) == "openai/gpt-4o")
    asking.list.setCurrentRow(row)
    QTest.keyClick(asking.list, Qt.Key.Key_Space)
    qtbot.mouseClick(asking.ok, Qt.MouseButton.LeftButton)

    def counted_with() -> str:
        return next(model.count.tokenizer for model in bench.costs.service.models if model.id == "openai/gpt-4o")

    qtbot.waitUntil(lambda: counted_with() == "theirs")
    assert "tokenizer: theirs" in bench.paths.prices_file.read_text()
    qtbot.waitUntil(lambda: len(page.model.models_of("theirs")) == 1)
    assert page.chosen == "theirs"
    page.details.remove.click()
    box = bench.window.findChild(QMessageBox, "tokenizerRemoval")
    assert "openai/gpt-4o" in box.text()
    box.reject()
    page.details.rename.click()
    naming = bench.window.findChild(TokenizerNameDialog)
    naming.name.setText("renamed")
    naming.ok.click()
    qtbot.waitUntil(lambda: counted_with() == "renamed")


@pytest.fixture
def other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the caches of other programs, in which nothing is found by itself."""
    for variable in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    home = tmp_path / "home"
    hub = home / ".cache" / "huggingface" / "hub" / "models--acme--loupe"
    (hub / "blobs").mkdir(parents=True)
    (hub / "blobs" / "abc").write_bytes(library_files.unigram())
    (hub / "snapshots" / "1").mkdir(parents=True)
    (hub / "snapshots" / "1" / "tokenizer.json").symlink_to(hub / "blobs" / "abc")
    (hub / "snapshots" / "1" / "config.json").write_text("{}")
    models = home / ".ollama" / "models"
    (models / "blobs").mkdir(parents=True)
    (models / "blobs" / "sha256-1").write_bytes(library_files.gguf({}))
    manifest = models / "manifests" / "registry" / "library" / "acme" / "7b"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:1"}
    manifest.write_text(json.dumps({"layers": [layer, {"mediaType": "x", "digest": "../../etc"}]}))
    (manifest.parent / "broken").write_text("[")
    (home / ".lmstudio" / "models" / "acme").mkdir(parents=True)
    (home / ".lmstudio" / "models" / "acme" / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(user_encodings.Path, "home", lambda: home)
    return home


@pytest.mark.deep
def test_others_are_found_when_they_are_asked_for(qtbot: QtBot, open_window: OpenWindow, other_programs: Path):
    bench = open_window()
    page = library(qtbot, bench)
    assert page.found.count() == 0
    assert "Nothing is searched until you ask" in page.about_found.text()
    qtbot.mouseClick(page.find, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.found.count() == 3)
    rows = [page.found.item(row).text() for row in range(3)]
    assert rows == [
        "acme/7b   (Ollama)",
        "acme/loupe, tokenizer.json   (Hugging Face)",
        f"{Path('acme') / 'small.gguf'}   (LM Studio)",
    ]
    page.found.setCurrentRow(1)
    qtbot.mouseClick(page.take_found, Qt.MouseButton.LeftButton)
    shown = import_dialog(qtbot, bench)
    assert facts(shown)["Kind"] == "Hugging Face, Unigram"
    assert shown.name.text() == "loupe", "not the number of the snapshot that its folder is called by"
    shown.reject()


def test_files_of_other_programs_are_called_by_their_model(other_programs: Path):
    hub = other_programs / ".cache" / "huggingface" / "hub"
    blobs = other_programs / ".ollama" / "models" / "blobs"
    name = user_encodings.name_of_model
    assert name(hub / "models--acme--loupe" / "snapshots" / "1" / "tokenizer.json") == "loupe"
    assert name(hub / "models--gpt2" / "snapshots" / "1" / "tokenizer.json") == "gpt2"
    assert name(blobs / "sha256-1") == "acme-7b"
    assert name(blobs / "sha256-2") == ""
    assert name(other_programs / "own" / "tokenizer.json") == ""


@pytest.mark.deep
def test_tabs_say_what_a_library_cannot_show(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    imported(qtbot, bench, tmp_path)
    count(qtbot, bench, "theirs", PLAIN)
    readout = bench.panel.findChild(TokenReadout)
    assert readout is not None
    bench.panel.editor.setFocus()
    # Until the tokens have come it says the one of the encoding before.
    qtbot.waitUntil(lambda: "bytes" in readout.text and "rank" not in readout.text)
    bench.panel.editor.selectAll()
    bench.window.actions_by_name["show_merges"].trigger()
    panel = bench.window.findChild(MergesPanel)
    assert panel is not None
    qtbot.waitUntil(lambda: "does not expose merges" in panel.remark.text())
    assert panel.strip.toPlainText() == ""
    assert panel.why.toPlainText() == ""
    bench.pages.vocabulary.show_token("theirs", 300)
    detail = bench.window.findChild(VocabularyDetail)
    qtbot.waitUntil(lambda: detail is not None and detail.token_id == 300)
    assert detail.fact("kind") == "piece"
    assert detail.fact("reach") == "unknown: a library runs this tokenizer"


@pytest.mark.deep
def test_the_dialog_can_be_read_at_twice_the_size(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    (tmp_path / "tokenizer.json").write_bytes(library_files.word_piece())
    bench = open_window()
    dialog = choose(qtbot, bench, tmp_path / "tokenizer.json")
    font = QFont(dialog.font())
    font.setPointSizeF(font.pointSizeF() * 2)
    dialog.setFont(font)
    dialog.resize(700, 420)
    assert dialog.scroll.horizontalScrollBar().maximum() == 0
    assert dialog.add.isVisible()
    dialog.reject()


@pytest.mark.deep
def test_the_library_shows_what_is_known_of_every_tokenizer(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    bench = open_window()
    page = library(qtbot, bench, "qwen")
    bundled = [one for one in engine.encoding_entries() if one.kind == "bundled"]
    assert [row.name for row in page.model.rows] == [one.name for one in bundled]
    bench.prompt.replace_all("How many tokens has this prompt?")
    counted = engine.get_encoding("o200k_base").count("How many tokens has this prompt?")
    qtbot.waitUntil(lambda: page.model.prompt_text("o200k_base") == str(counted))
    qtbot.waitUntil(lambda: page.model.prompt_text("qwen").isdecimal())
    details = page.details
    qtbot.waitUntil(lambda: details.fact("Engine") != "")
    assert details.fact("Vendor") == "Alibaba"
    assert details.fact("Licence") == "Apache-2.0"
    assert details.fact("Unicode") == "16.0"
    assert details.fact("Normalization") == "NFC"
    assert details.fact("Split pattern") == "qwen"
    assert details.fact("Entries").startswith("151,669, ")
    assert details.remove.isHidden()
    qtbot.waitUntil(lambda: "Qwen" in details.models.text())
    page.filter.setText("kimi k3")
    assert [row.name for row in page.model.rows] == ["kimi"], "found by the name of a model"
    page.filter.clear()
    page.chips["bundled"].setChecked(False)
    assert page.model.rowCount() == 0
    assert page.chosen == ""
    imported(qtbot, bench, tmp_path)
    qtbot.waitUntil(lambda: page.chosen == "theirs")
    qtbot.waitUntil(lambda: details.fact("Engine").startswith("sentencepiece"))
    assert details.fact("File") == "theirs.tokenizer"
    assert details.rename.isVisible()
    page.select("gpt2")
    assert page.chosen == "gpt2", "also where a filter hides it"
    qtbot.mouseClick(details.vocabulary, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bench.pages.vocabulary.browser.vocabulary is not None)
    assert bench.pages.vocabulary.browser.vocabulary.name == "gpt2"
    assert bench.window.pages.current_name == "vocabularyTab"


def test_the_size_of_a_trained_one_is_shown_before_it_is_opened(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path):
    data = trained()
    encoding = Encoding("mine", pat_str=data._pat_str, mergeable_ranks=data._mergeable_ranks, special_tokens={})
    EngineEncodings(frozenset()).keep(encoding, tmp_path / "data" / "encodings", "trained")
    page = library(qtbot, open_window(tmp_path))
    row = page.model.row_of("mine")
    assert page.model.index(row, ORIGIN).data() == "Trained"
    assert page.model.index(row, SIZE).data() == str(encoding.n_vocab)
    assert not any(one.name == "mine" for one in engine.opened_encodings())


def test_facts_of_bundled_tokenizers_are_those_of_the_files():
    notice = (Path(engine.__file__).parent / "data" / "NOTICE.md").read_text("utf-8")
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in notice.splitlines() if line[:3] == "| `"]
    licences = {name.strip(): row[-1] for row in table for name in row[1].split(",")}
    for entry in ENTRIES:
        assert SIZES[entry.name] == engine.get_encoding(entry.name).n_vocab
        assert LICENCES[entry.vendor] == licences[entry.name]

"""The random actions of the windows of ``faults``.

The start and end of each action are logged, and everything written ends in a way that reveals a partial write. Each
window uses its own numbers, so that of two windows on one profile the writer of each file is known.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

PRICES = "prices.yaml"
DOCUMENT = "document.txt"
EXPORT = "exported.json"
MAX_WINDOWS = 2
SETTINGS = (("font_size", 8, 30), ("recent_files", 0, 50))
"""A setting that each window changes, with its minimum and maximum."""

Note = Callable[..., None]


def numbers(count: int) -> str:
    """Return a text no proper part of which is such a text: its numbers count down to 0."""
    return "".join(f"{number} " for number in reversed(range(count)))


def price_file(number: int) -> str:
    """Return a valid price file that contains its number at both ends."""
    lines = [f"# {number}", "version: 1", "models:"]
    for model in range(20):
        lines += [f"  own/model-{model}:", f"    price: {{input: {number}, output: 1}}"]
    return "\n".join([*lines, f"# {number}", ""])


def number_of_price_file(text: str) -> int:
    """Return the number of a price file. Raises ValueError if it is incomplete."""
    number = int(text.splitlines()[0].removeprefix("# ")) if text else 0
    if text and text != price_file(number):
        raise ValueError("it is half of one")
    return number


def encoding_of(number: int) -> Any:
    """Return a vocabulary whose size encodes its number."""
    from engine import Encoding

    ranks = {bytes([value]): value for value in range(256)}
    ranks |= {b"a" * length: 254 + length for length in range(2, number + 2)}
    return Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})


def words_of(number: int) -> Any:
    """Return a vocabulary whose size encodes its number, of a kind that only a library runs."""
    from engine.encoding.library_encoding import LibraryEncoding
    from engine.library.formats.huggingface_document import library_data_of

    vocabulary = {"[UNK]": 0} | {f"w{word}": word for word in range(1, number)}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary}
    rules = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return LibraryEncoding.around("own", library_data_of({"model": model | rules}).open())


class Acts:
    """Random actions of a window. ``typed``: number of words typed. ``number``: index of the window."""

    def __init__(self, bench: Any, rng: random.Random, note: Note, number: int) -> None:
        self._bench, self._rng, self._note, self._window = bench, rng, note, number
        self._number = number
        self.typed = 0
        self._acts: tuple[Callable[[], None], ...] = (
            *((self._type,) * 6),
            *(self._save, self._set, self._keep_scenario, self._keep_version, self._learn),
            *(self._change_prices, self._change_prices, self._keep_tokenizer, self._export),
        )

    def act(self) -> None:
        """Perform one random action."""
        self._rng.choice(self._acts)()

    def _logged(self, what: str, act: Callable[[int], dict[str, Any] | None]) -> None:
        """Log and run an action. ``act`` returns additional fields for the log, or None if nothing was written."""
        from engine.errors import EngineError

        self._number += MAX_WINDOWS
        self._note(f"{what} begun", number=self._number)
        try:
            more = act(self._number)
        except (OSError, EngineError) as error:
            self._note(f"{what} failed", number=self._number, why=str(error))
        else:
            self._note(f"{what} {'refused' if more is None else 'done'}", number=self._number, **(more or {}))

    def _type(self) -> None:
        from PySide6.QtGui import QTextCursor

        cursor = QTextCursor(self._bench.panel.editor.document())
        cursor.insertText(f"{self.typed} ")
        self.typed += 1
        self._note("typed", number=self.typed)

    def _save(self) -> None:
        self._note("document begun", number=self.typed)
        self._bench.files.save_to(self._bench.paths.config / DOCUMENT)

    def _set(self) -> None:
        name, low, high = SETTINGS[self._window]
        value = self._rng.randrange(low, high)
        self._bench.settings.set(name, value)
        self._note("setting", name=name, value=value)

    def _keep_scenario(self) -> None:
        from gui.costs.scenario_book import ScenarioChoices

        name, calls = f"scenario {self._window} {self._rng.randrange(9)}", self._rng.randrange(1, 1000)
        self._bench.costs.panel.names._book.save(name, ScenarioChoices(calls=calls))
        self._note("scenario", name=name, value=calls)

    def _learn(self) -> None:
        from pricing.calibration import Sample

        self._number += MAX_WINDOWS
        sample = Sample("own/model-1", "english", "o200k_base", 1000, 1000 + self._number, date(2026, 1, 2))
        self._bench.calibration.calibrations.add(sample)
        self._note("sample", name=str(self._number), value=sample.billed)

    def _keep_version(self) -> None:
        from gui.core import version_store as store
        from gui.core.text_chunks import chunked

        def keep(number: int) -> dict[str, Any]:
            store.save(self._bench.paths.versions, str(number), chunked([numbers(99)]), "none", {})
            return {}

        self._logged("version", keep)

    def _change_prices(self) -> None:
        from gui.costs.prices_service import ReadRequest, SaveRequest, read_price_text, save_price_text

        path: Path = self._bench.paths.prices_file

        def change(number: int) -> dict[str, Any] | None:
            file = read_price_text(ReadRequest(path))
            saved = save_price_text(SaveRequest(path, price_file(number), file.stored, file.digest, 0))
            return {"over": number_of_price_file(file.stored)} if saved.file is not None else None

        self._logged("prices", change)

    def _keep_tokenizer(self) -> None:
        own = self._bench.user_encodings

        def keep(number: int) -> dict[str, Any] | None:
            encoding = self._rng.choice((encoding_of, words_of))(number)
            name = encoding.name = own.free_name("own")
            own.keep(encoding, self._rng.choice(("imported", "trained")))
            then = self._rng.choice(("stays", "stays", "is renamed", "is removed"))
            if then == "is renamed":
                name = own.rename(name, own.free_name("renamed")).name
            elif then == "is removed":
                own.remove(name)
                return None
            return {"name": name, "tokens": encoding.n_vocab}

        self._logged("tokenizer", keep)

    def _export(self) -> None:
        from engine.library.formats.opening import save_encoding

        def export(number: int) -> dict[str, Any]:
            save_encoding(encoding_of(number), self._bench.paths.config / f"{self._window}-{EXPORT}", "a cat")
            return {}

        self._logged("export", export)

"""What is compiled ahead is all that training needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.kernels._jit import COMPILED

CODE = """
import importlib, pkgutil
from pathlib import Path
import engine.kernels
from engine.training.run import warm_up

def signatures():
    found = {}
    for module in pkgutil.iter_modules(engine.kernels.__path__, "engine.kernels."):
        for name, kernel in vars(importlib.import_module(module.name)).items():
            if hasattr(kernel, "nopython_signatures"):
                found[module.name, name] = len(kernel.nopython_signatures)
    return found

warm_up()
before = signatures()
texts = ["lots of different words, " * 40 + "z" * 300] * 30 + ["".join(map(chr, range(0x4e00, 0x5500)))]
patterns = ("gpt2", "cl100k_base", "o200k_base", "llama3", "qwen2", "whitespace", "sentencepiece", "none", "[a-z]+")
for pattern in patterns:
    for alphabet, normalization in (("bytes", None), ("characters", "NFKC"), ("characters+</w>", None)):
        for tie_order in ("bytes", "huggingface"):
            run = engine.TrainingRun(
                texts, 3500, pattern, alphabet, normalization, tie_order=tie_order, min_count=1, max_token_bytes=9
            )
            while not run.done:
                run.advance(0.001)
            run.merges()
            run.save("checkpoint")
            engine.TrainingRun.resume("checkpoint").advance(0.001)
            run.encoding("x")
engine.train(Path("code.py").absolute(), 300)
assert signatures() == before, [name for name, number in signatures().items() if number != before[name]]
assert before["engine.kernels.train_merge", "merge_pairs"] == 1
"""


@pytest.mark.deep
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_training_compiles_nothing_that_was_not_compiled_ahead(tmp_path):
    (tmp_path / "code.py").write_text(CODE)
    root = str(Path(__file__).parents[3])
    code = f"import sys; sys.path.insert(0, {root!r}); exec(open('code.py').read())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

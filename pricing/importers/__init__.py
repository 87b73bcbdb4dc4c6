"""Reads price tables that others publish, from files on the disk: what they say, in our form, and how it differs.

Nothing is applied by itself, and nothing over the user's own values. The tables: LiteLLM's map of models, llm-prices,
models.dev, genai-prices. The ways to read them and their traps are those of the files as published in November 2026.
"""

from __future__ import annotations

from pricing.importers.compare import apply_differences, disagreements, three_way
from pricing.importers.reading import Candidate, Difference, Disagreement, Imported, ImportFileError, Skipped, Unmapped
from pricing.importers.sources import read_import

__all__ = [
    "Candidate",
    "Difference",
    "Disagreement",
    "ImportFileError",
    "Imported",
    "Skipped",
    "Unmapped",
    "apply_differences",
    "disagreements",
    "read_import",
    "three_way",
]

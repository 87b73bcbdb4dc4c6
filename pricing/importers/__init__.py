"""Import of published price tables from files: parsing, conversion to our format, and comparison.

Nothing is applied automatically, and never over the user's own values. The tables are LiteLLM's map of models,
llm-prices, models.dev, genai-prices and model-prices. Formats and pitfalls are those of the files as published in
November 2026.
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

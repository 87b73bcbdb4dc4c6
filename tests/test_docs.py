"""What the documents lead to is there, and the reference of the price file is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pricing.declaration import BLOCKS

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pricing" / "data" / "README.md"]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors that headings get: lower case, spaces as hyphens, nothing but letters, digits and hyphens."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), f"{document.name}: {link}"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{document.name}: {link}"


def test_every_page_is_two_clicks_from_the_readme() -> None:
    readme = ROOT / "README.md"
    seen = {readme}
    for _ in range(2):
        for document in list(seen):
            for link in _LINK.findall(document.read_text(encoding="utf-8")):
                target = (document.parent / link.partition("#")[0]).resolve()
                if target.suffix == ".md" and target.exists():
                    seen.add(target)
    assert {path for path in DOCUMENTS if path.parent.name == "docs"} <= seen


def test_what_the_readmes_command_leaves_out_is_run_elsewhere() -> None:
    lines = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "-m pytest" in line]
    assert len(lines) == 2
    assert all(line.endswith('-m "not deep"') for line in lines)
    for name in ("CONTRIBUTING.md", ".ci/run"):
        assert "-m deep" in (ROOT / name).read_text(encoding="utf-8"), name


def test_every_field_of_a_price_file_is_described() -> None:
    text = (ROOT / "docs" / "price-file.md").read_text(encoding="utf-8")
    for block in BLOCKS.values():
        for field in block:
            assert f"| `{field.name}` | {field.about} |" in text


def test_the_example_of_a_model_is_a_sound_file(tmp_path: Path) -> None:
    from pricing import load_catalog

    text = (ROOT / "docs" / "price-file.md").read_text(encoding="utf-8")
    for number, example in enumerate(re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)):
        file = tmp_path / f"{number}.yaml"
        file.write_text(example, encoding="utf-8")
        assert load_catalog(file).models

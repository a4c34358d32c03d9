"""The documents name every package, and the map as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

import ragstone.plugins.iris_memory
from ragstone.core import read_settings
from tests.support.installed import plugin

IrisMemorySettings = plugin("iris_memory").ragstone_settings()
FOLDER = Path(ragstone.plugins.iris_memory.__file__ or "").parent
FORMATS = (FOLDER / "FORMATS.md").read_text("utf-8")


def _rows(text: str, heading: str) -> list[list[str]]:
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_the_map_is_reported_as_it_is() -> None:
    table = " ".join(cell for row in _rows(FORMATS, "Types and how they are cut") for cell in row)
    for rule in IrisMemorySettings().map:
        if not rule.pattern.startswith(("docs/emails/**/*.eml", "docs/**/*.md", "memory-legacy/notes")):
            assert f"`{rule.pattern}`" in table, rule.pattern


def test_every_package_has_its_row() -> None:
    there = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert {row[0].strip("`") for row in _rows(FORMATS, "Packages")} == there


def test_rules_of_the_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "ragstone.toml"
    rule = '[[plugins.iris_memory.map]]\npattern = "j/*.md"\ntype = "log"\nstrategy = "markdown"\n'
    file.write_text(f'[plugins.iris_memory]\nroot = "iris"\n{rule}', "utf-8")
    table = (read_settings(file).plugins.model_extra or {})["iris_memory"]
    options = IrisMemorySettings.model_validate(table)
    assert [(each.pattern, each.type, each.strategy) for each in options.map] == [("j/*.md", "log", "markdown")]
    with pytest.raises(ValidationError):
        IrisMemorySettings.model_validate({"map": [{"pattern": "*", "type": "poem"}]})

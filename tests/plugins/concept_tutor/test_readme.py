"""The settings and the plan's file are those that the README shows."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import Host, read_settings
from ragstone.plugins import concept_tutor
from ragstone.plugins.concept_tutor import read_plan

(_POINT,) = metadata.entry_points(group="ragstone", name="concept_tutor")
SETTINGS = _POINT.load().ragstone_settings()
FOLDER = Path(concept_tutor.__file__).parent


def _fences(language: str, name: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (FOLDER / name).read_text("utf-8"), re.DOTALL)


def test_a_plans_file_is_one() -> None:
    (plan,) = _fences("json", "FORMATS.md")
    made = read_plan(plan, format="json")
    assert [one.key for one in made.plan.concepts] == ["mean", "variance"]
    assert made.sources["variance"][0].page_url.endswith("#Definition")
    # Nothing else is required than what is described as required.
    read_plan('{"title": "T", "concepts": [{"name": "N"}]}', format="json")
    source = '{"page_title": "P", "content": "C", "licence": "L"}'
    read_plan(f'{{"title": "T", "concepts": [{{"name": "N", "sources": [{source}]}}]}}', format="json")


@pytest.mark.parametrize(
    ("example", "sites"), zip(_fences("toml", "README.md"), [["wikipedia", "wikibooks"], ["school"]], strict=True)
)
def test_the_settings_are_settings(tmp_path: Path, example: str, sites: list[str]) -> None:
    (tmp_path / "ragstone.toml").write_text(example, "utf-8")
    options: Any = Host(read_settings(tmp_path / "ragstone.toml")).hooks.options(SETTINGS)
    assert (list(options.wikis.sites), options.wikis.contact) == (sites, "you@example.org")

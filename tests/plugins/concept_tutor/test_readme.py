"""The README: its examples run, use the public names alone, and every setting has its default in it."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from ragstone.core import Host, read_settings
from ragstone.plugins import concept_tutor
from ragstone.plugins.concept_tutor import read_plan

(_POINT,) = metadata.entry_points(group="ragstone", name="concept_tutor")
SETTINGS: type[BaseModel] = _POINT.load().ragstone_settings()
FOLDER = Path(concept_tutor.__file__).parent
TEXT = (FOLDER / "README.md").read_text("utf-8")
#: Defaults that are described in words.
_IN_WORDS = {("wikis", "sites"): "Wikipedia and Wikibooks in English"}


def _fences(language: str, text: str = TEXT) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("example", _fences("python"))
def test_the_examples_run(example: str) -> None:
    exec(compile(example, "README.md", "exec"), {})


def test_the_examples_use_public_names_alone() -> None:
    imported = re.findall(r"from ragstone\.plugins\.concept_tutor(\S*) import (.*)", "".join(_fences("python")))
    assert {module for module, _ in imported} == {""}
    assert {name for _, names in imported for name in names.split(", ")} <= set(concept_tutor.__all__)
    assert all(hasattr(concept_tutor, name) for name in concept_tutor.__all__)


def test_a_plans_file_is_one() -> None:
    (plan,) = _fences("json", (FOLDER / "FORMATS.md").read_text("utf-8"))
    made = read_plan(plan, format="json")
    assert [one.key for one in made.plan.concepts] == ["mean", "variance"]
    assert made.sources["variance"][0].page_url.endswith("#Definition")
    # Nothing else is required than what is described as required.
    read_plan('{"title": "T", "concepts": [{"name": "N"}]}', format="json")
    source = '{"page_title": "P", "content": "C", "licence": "L"}'
    read_plan(f'{{"title": "T", "concepts": [{{"name": "N", "sources": [{source}]}}]}}', format="json")


@pytest.mark.parametrize(
    ("example", "sites"), zip(_fences("toml"), [["wikipedia", "wikibooks"], ["school"]], strict=True)
)
def test_the_settings_are_settings(tmp_path: Path, example: str, sites: list[str]) -> None:
    (tmp_path / "ragstone.toml").write_text(example, "utf-8")
    options: Any = Host(read_settings(tmp_path / "ragstone.toml")).hooks.options(SETTINGS)
    assert (list(options.wikis.sites), options.wikis.contact) == (sites, "you@example.org")


def _tables() -> dict[str, type[BaseModel]]:
    found: dict[str, type[BaseModel]] = {"": SETTINGS}
    for name, field in SETTINGS.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found[f".{name}"] = field.annotation
    _, found[".wikis.sites.NAME"] = get_args(found[".wikis"].model_fields["sites"].annotation)
    return found


@pytest.mark.parametrize("heading", _tables())
def test_every_setting_is_reported_with_its_default(heading: str) -> None:
    section = TEXT.split(f"### `[plugins.concept_tutor{heading}]`\n")[1].split("\n##")[0]
    result = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE))
    fields = {
        name: field for name, field in _tables()[heading].model_fields.items() if f".{name}" not in _tables() or heading
    }
    assert set(result) == set(fields)
    for name, field in fields.items():
        assert result[name] == _IN_WORDS.get((heading.removeprefix("."), name), _shown(field))


def _shown(field: Any) -> str:
    if field.is_required():
        return "needed"
    default = field.default
    if default is None:
        return "none"
    return "[]" if default == () else str(default).lower() if isinstance(default, bool) else str(default)

"""The plugins' READMEs: every setting is in its table with its default, and examples run, on public names alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from tests.support.installed import PLUGINS
from tests.support.markdown import python_blocks


def text_of(plugin: str) -> str:
    folder = Path(import_module(f"ragstone.plugins.{plugin}").__file__ or "").parent
    return (folder / "README.md").read_text("utf-8")


def tables(name: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """The table of the settings of that name, and those within it."""
    yield name, model
    for key, field in model.model_fields.items():
        for place, kind in ((key, field.annotation), (f"{key}.NAME", (None, *get_args(field.annotation))[-1])):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from tables(f"{name}.{place}", kind)


TABLES = {
    name: model
    for (point,) in (metadata.entry_points(group="ragstone", name=plugin) for plugin in PLUGINS)
    for name, model in tables(point.name, point.load().ragstone_settings())
}


@pytest.mark.parametrize("name", TABLES)
def test_every_setting_is_reported_with_its_default(name: str) -> None:
    head = re.compile(rf"^(?:### |\| key of )`\[plugins\.{re.escape(name)}\]`", re.MULTILINE)
    section = head.split(text_of(name.partition(".")[0]))[1]
    shown = re.findall(
        r"^\| `(\w+)` \| (.*?) \|", section.partition("| meaning |")[2].partition("\n\n")[0], re.MULTILINE
    )
    fields = {key: each for key, each in TABLES[name].model_fields.items() if f"{name}.{key}" not in TABLES}
    assert sorted(key for key, _ in shown) == sorted(fields)
    assert [(key, words) for key, words in shown if words != default_of(fields[key], words)] == []


def default_of(field: Any, words: str) -> str:
    if field.is_required():
        return "needed"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, dict | list | tuple):
        return words if default else "[]"  # a long one is told in words
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default) or "none"


#: Iris memory's needs the settings beside it: its own test runs it.
@pytest.mark.parametrize(
    "example", [each for plugin in PLUGINS if plugin != "iris_memory" for each in python_blocks(text_of(plugin))]
)
def test_the_examples_run(example: str) -> None:
    exec(compile(example, "README.md", "exec"), {})


@pytest.mark.parametrize("plugin", PLUGINS)
def test_examples_use_public_names_alone(plugin: str) -> None:
    package = import_module(f"ragstone.plugins.{plugin}")
    used = re.findall(rf"^from ragstone\.plugins\.{plugin}(\S*) import (.+)$", text_of(plugin), re.MULTILINE)
    assert {module for module, _ in used} == {""}
    assert {name for _, names in used for name in names.split(", ")} <= set(package.__all__)
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)

"""The floor plan of the plugins: every module of a built-in plugin, and of a new one, is in the guide's tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragstone.core

PLUGINS = Path(__file__).parents[2] / "plugins"
GUIDE = (PLUGINS / "README.md").read_text("utf-8").partition("## The plugins beside this file")[2]
ROWS = re.findall(r"^\| (`.*?) \| (.*?) \|$", GUIDE, re.MULTILINE)
BUILT_IN = sorted(each.parent.name for each in PLUGINS.glob("*/plugin.py"))
COMMON = {name for first, _ in ROWS if first.strip("`") not in BUILT_IN for name in re.findall(r"`(\w+)`", first)}
#: What only one plugin has; the new plugin shows an index and models of its own, and has entries.
OWN = {first.strip("`"): set(re.findall(r"`(\w+)`", rest)) for first, rest in ROWS if first.strip("`") in BUILT_IN}
TEMPLATE = Path(ragstone.core.__file__).parent / "hooks/scaffold/template/src/package"


def _parts(folder: Path) -> set[str]:
    return {
        each.name.partition(".")[0]
        for each in folder.iterdir()
        if each.is_dir() or each.name.endswith((".py", ".py.template"))
    } - {"__pycache__"}


@pytest.mark.parametrize("plugin", BUILT_IN)
def test_a_plugin_has_the_common_modules_and_its_own(plugin: str) -> None:
    further = {"templates", "static"}
    assert _parts(PLUGINS / plugin) - COMMON - further == OWN[plugin]


def test_a_new_plugin_has_the_same() -> None:
    assert _parts(TEMPLATE) - COMMON - {"templates"} == {"entries", "models", "stores"}

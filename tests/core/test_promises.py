"""The table of promises in the host's README: each names what holds it, and that is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from faults.scenarios import SCENARIOS

_REPOSITORY = Path(__file__).parents[2]
_HEADING = "### What is promised, and which test holds it\n"
_SECTION = (_REPOSITORY / "core" / "README.md").read_text("utf-8").partition(_HEADING)[2].partition("\n## ")[0]
_ROW = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<held>[^|]+) \|$", re.MULTILINE)
_ROWS = [(row["promise"], re.findall(r"`([^`]+)`", row["held"])) for row in _ROW.finditer(_SECTION)]
PROMISES = [(promise, names) for promise, names in _ROWS if promise != "promise"]


@pytest.mark.parametrize(("promise", "names"), PROMISES, ids=[names[0] if names else "" for _, names in PROMISES])
def test_a_promise_names_what_holds_it(promise: str, names: list[str]) -> None:
    assert names, f"nothing holds it: {promise}"
    scenarios = {scenario.name for scenario in SCENARIOS}
    for name in names:
        path, _, function = name.partition("::")
        if function:
            tree = ast.parse((_REPOSITORY / path).read_text("utf-8"))
            there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert function in there, f"{path} has no {function}"
        else:
            assert name in scenarios, f"{name} is no scenario of faults/"


def test_every_scenario_holds_a_promise() -> None:
    assert {name for _promise, names in PROMISES for name in names} >= {scenario.name for scenario in SCENARIOS}

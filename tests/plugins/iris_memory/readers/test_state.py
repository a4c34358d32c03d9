"""A state as lines that can be found and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from llama_index.core.schema import Document

from ragstone.core import SourceError
from ragstone.plugins.iris_memory import StateReader


def read(folder: Path, text: str) -> Document:
    file = folder / "state.json"
    file.write_text(text, "utf-8", errors="surrogatepass")
    return StateReader().load_data(file)[0]


def test_keys_become_sections_and_what_lies_deeper_is_flattened(tmp_path: Path) -> None:
    state = {
        "hobbies": {"chess": {"level": "beginner", "books": ["A", "B"], "won": True}},
        "tasks": [{"do": "x\ny"}],
        "no": {},
    }
    found = read(tmp_path, json.dumps(state, indent=1))
    output = found.text.split("\n")
    assert output == [
        "- hobbies › chess › level: beginner",
        "- hobbies › chess › books: A, B",
        "- hobbies › chess › won: yes",
        "",
        "",
        "- tasks › 1 › do: x y",
        "",
        "",
        "- no: none",
    ]
    lines = found.metadata["indexing"]["lines"]
    raw = json.dumps(state, indent=1).split("\n")
    for place, word in ((0, "level"), (1, "books"), (2, "won"), (5, '"do"'), (8, '"no"')):
        assert word in raw[lines[place] - 1]


def test_a_short_object_in_a_list_is_one_line(tmp_path: Path) -> None:
    tasks = [
        {"do": "mow", "by": "3 May", "done": False},
        {"do": "sow " * 60, "by": "4 May"},
        {"do": "dig", "with": [1]},
    ]
    output = read(tmp_path, json.dumps({"tasks": tasks})).text.split("\n")
    assert output[0] == "- tasks › 1: do: mow; by: 3 May; done: no"
    assert output[2:] == ["- tasks › 2 › by: 4 May", "- tasks › 3 › do: dig", "- tasks › 3 › with: 1"]


@pytest.mark.parametrize("text", ["{half", "[" * 100_000, '{"a": 1} x', ""])
def test_what_is_not_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match=r"is not JSON|holds no words"):
        read(tmp_path, text)


def test_depth_has_an_end(tmp_path: Path) -> None:
    assert read(tmp_path, '{"a":' * 100 + "1" + "}" * 100).text.endswith("}")
    assert read(tmp_path, "1" * 10_000).text == "1" * 10_000
    assert read(tmp_path, '{"a": "\\ud800"}').text == "- a: ?"


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=5), st.sampled_from([None, 2]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_value_is_reported_on_its_line(tmp_path: Path, state: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(state, indent=indent)
    found = read(tmp_path, text)
    lines = found.metadata["indexing"]["lines"]
    assert len(lines) == len(found.text.split("\n"))
    assert all(1 <= line <= len(text.split("\n")) for line in lines)
    assert lines == sorted(lines)

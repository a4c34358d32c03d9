"""JSON that programs read differently is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.runtime import parse_json

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_JSON = st.recursive(_LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', "[NaN]", "[Infinity]", "[1e999]", r'["\ud800"]', "[" * 9999, "", "[1" * 2]
)
def test_json_that_is_read_differently_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@given(value=_JSON)
def test_what_json_writes_is_read(value: object) -> None:
    assert parse_json(json.dumps(value, indent=3)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value

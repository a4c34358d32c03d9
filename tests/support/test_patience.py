"""The tests' own measure of growth can fail."""

from __future__ import annotations

import pytest

from .patience import grows_linearly, without_hanging


def test_linear_and_quadratic_work_are_distinguished() -> None:
    assert grows_linearly(lambda size: sum(range(100 * size)), 500)
    assert not grows_linearly(lambda size: sum(1 for _ in range(size) for _ in range(size)), 200)


def test_what_takes_too_long_fails() -> None:
    with pytest.raises(AssertionError, match="took"), without_hanging(0):
        pass

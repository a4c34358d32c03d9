"""A cache of one revision: computed once, dropped with the revision, bounded."""

from __future__ import annotations

import numpy as np

from ragstone.core.runtime.revision_cache import RevisionCache


def test_values_are_computed_once_for_a_revision() -> None:
    cache, asked = RevisionCache(10_000), []

    def compute(missing: list[str]) -> dict[str, str]:
        asked.append(missing)
        return {key: key.upper() for key in missing}

    assert cache.get_many((1, 1), ["a", "b"], compute) == {"a": "A", "b": "B"}
    assert cache.get_many((1, 1), ["b", "c"], compute) == {"b": "B", "c": "C"}
    assert cache.get_many((1, 2), ["b"], compute) == {"b": "B"}
    assert asked == [["a", "b"], ["c"], ["b"]]


def test_what_changes_while_it_is_computed_is_not_kept() -> None:
    cache = RevisionCache(10_000)

    def compute() -> str:
        assert cache.get(2, "key", lambda: "new") == "new"
        return "old"

    assert cache.get(1, "key", compute) == "old"
    assert cache.get(2, "key", lambda: "computed again") == "new"


def test_it_is_bounded() -> None:
    cache = RevisionCache(100_000)
    for number in range(1000):
        cache.get(1, number, lambda: np.zeros(100))
        assert len(cache._values) * 1000 <= 100_000
    for number in range(1000):
        cache.get(1, f"word {number}", lambda: b"x" * 800)
        assert len(cache._values) * 1000 <= 100_000
    for number in range(1000):
        cache.get(1, f"letter {number}", lambda: dict.fromkeys(map(str, range(10)), 1))
        assert len(cache._values) * 1000 <= 100_000


def test_what_is_asked_for_again_and_again_stays() -> None:
    cache = RevisionCache(10_000)
    kept = cache.get(1, "kept", lambda: np.zeros(100))
    for number in range(100):
        cache.get(1, number, lambda: None)
        assert cache.get(1, "kept", lambda: np.zeros(100)) is kept
    assert len(cache._values) < 60

"""Prerequisites: circles found and opened, an order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.plugins.concept_tutor import Edge
from ragstone.plugins.concept_tutor.plans.graph import break_cycles, study_order

KEYS = "abcdefgh"


def _edges(*pairs: str, weight: float = 1.0) -> list[Edge]:
    return [Edge(pair[0], pair[1], weight=weight) for pair in pairs]


def test_without_a_circle_nothing_is_dropped() -> None:
    edges = _edges("ab", "ac", "bd", "cd")
    assert break_cycles("abcd", edges) == (tuple(edges), ())


def test_of_a_circle_the_lightest_edge_goes_and_the_circle_is_named() -> None:
    edges = [Edge("a", "b", weight=0.9), Edge("b", "c", weight=0.2), Edge("c", "a", weight=0.7)]
    kept, (circle,) = break_cycles("abc", edges)
    assert kept == (edges[0], edges[2])
    assert circle.dropped == edges[1]
    assert circle.keys == ("c", "a", "b")


def test_of_equal_edges_the_latest_goes() -> None:
    kept, (circle,) = break_cycles("ab", _edges("ab", "ba"))
    assert kept == tuple(_edges("ab"))
    assert circle.keys == ("a", "b")


def test_a_concept_that_needs_itself_is_a_circle_of_one() -> None:
    kept, (circle,) = break_cycles("ab", _edges("aa", "ab"))
    assert (kept, circle.keys) == (tuple(_edges("ab")), ("a",))


def test_an_order_keeps_to_the_plan_where_it_can() -> None:
    assert study_order("abcd", _edges("ca")) == ("b", "c", "a", "d")
    with pytest.raises(ValueError, match="cycle"):
        study_order("ab", _edges("ab", "ba"))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[str, list[Edge]]:
    keys = KEYS[: draw(st.integers(1, len(KEYS)))]
    pairs = draw(st.sets(st.sampled_from([(a, b) for a in keys for b in keys]), max_size=20))
    weights = st.sampled_from([0.25, 0.5, 1.0])
    return keys, [Edge(a, b, weight=draw(weights)) for a, b in sorted(pairs)]


@given(graphs())
def test_what_is_kept_has_an_order_and_what_was_dropped_was_the_lightest_of_a_circle(
    graph: tuple[str, list[Edge]],
) -> None:
    keys, edges = graph
    kept, circles = break_cycles(keys, edges)
    at = {key: place for place, key in enumerate(study_order(keys, kept))}
    assert all(at[edge.prerequisite] < at[edge.concept] for edge in kept)
    assert len(kept) + len(circles) == len(edges)
    weight = {(edge.prerequisite, edge.concept): edge.weight for edge in edges}
    for circle in circles:
        around = list(zip(circle.keys, (*circle.keys[1:], circle.keys[0]), strict=True))
        assert (circle.dropped.prerequisite, circle.dropped.concept) in around
        assert circle.dropped.weight == min(weight[pair] for pair in around)

"""Prerequisites: circles found and opened, an order."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Edge, ImportedPlan, Lessons, NewConcept, NewPlan, PlanStore, read_plan

KEYS = "abcdefgh"


def plan(keys: str, edges: list[Edge]) -> ImportedPlan:
    needs = {
        key: [{"concept": each.prerequisite, "weight": each.weight} for each in edges if each.concept == key]
        for key in keys
    }
    concepts = [{"name": key, "needs": needs[key]} for key in keys]
    return read_plan(json.dumps({"title": "T", "concepts": concepts}), format="json")


def test_of_a_circle_the_lightest_edge_goes_and_the_circle_is_named() -> None:
    edges = [Edge("a", "b", weight=0.9), Edge("b", "c", weight=0.2), Edge("c", "a", weight=0.7)]
    made = plan("abc", edges)
    assert set(made.plan.edges) == {edges[0], edges[2]}
    (circle,) = made.dropped
    assert (circle.keys, circle.dropped) == (("c", "a", "b"), edges[1])


def test_an_order_keeps_to_the_plan_where_it_can(tmp_path: Path) -> None:
    concepts = tuple(NewConcept(key, key) for key in "abcd")
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        host.once(PlanStore).add(NewPlan(slug="t", title="T", concepts=concepts, edges=(Edge("c", "a"),)))
        assert host.once(Lessons).order("t") == ("b", "c", "a", "d")


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
    made = plan(keys, edges)
    TopologicalSorter(
        {key: [each.prerequisite for each in made.plan.edges if each.concept == key] for key in keys}
    ).prepare()
    assert len(made.plan.edges) + len(made.dropped) == len(edges)
    weight = {(edge.prerequisite, edge.concept): edge.weight for edge in edges}
    for circle in made.dropped:
        around = list(zip(circle.keys, (*circle.keys[1:], circle.keys[0]), strict=True))
        assert (circle.dropped.prerequisite, circle.dropped.concept) in around
        assert circle.dropped.weight == min(weight[pair] for pair in around)

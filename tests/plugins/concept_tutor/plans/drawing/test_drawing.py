from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ragstone.plugins.concept_tutor import Edge
from ragstone.plugins.concept_tutor.plans.drawing import draw
from ragstone.plugins.concept_tutor.plans.drawing.drawing import width_of, wrapped
from ragstone.plugins.concept_tutor.plans.graph import neighbourhood, transitive_reduction


@some.composite
def plans(drawn: some.DrawFn) -> tuple[dict[str, str], list[Edge]]:
    keys = [f"c{number}" for number in range(drawn(some.integers(0, 14)))]
    pairs = list(combinations(keys, 2))
    chosen = drawn(some.lists(some.sampled_from(pairs), unique=True)) if pairs else []
    names = {key: drawn(some.text(max_size=60)) for key in keys}
    return names, [Edge(before, after) for before, after in chosen]


@given(plans(), some.integers(1, 6))
def test_every_concept_has_its_place(plan: tuple[dict[str, str], list[Edge]], abreast: int) -> None:
    names, edges = plan
    drawing = draw(names, edges, abreast=abreast)
    boxes = {box.key: box for box in drawing.boxes}
    assert boxes.keys() == names.keys()
    for one, other in combinations(boxes.values(), 2):
        beside = one.x + one.width < other.x or other.x + other.width < one.x
        assert beside or one.y + one.height < other.y or other.y + other.height < one.y
    for box in boxes.values():
        assert min(box.x, box.y) >= 0
        assert box.x + box.width <= drawing.width
        assert box.y + box.height <= drawing.height
    for edge in edges:
        assert boxes[edge.prerequisite].y + boxes[edge.prerequisite].height < boxes[edge.concept].y
    rows = Counter(box.y + box.height / 2 for box in drawing.boxes)
    assert max(rows.values(), default=0) <= abreast
    for curve in drawing.curves:
        numbers = [float(each) for each in re.findall(r"[\d.]+", curve.path)]
        start, end = boxes[curve.prerequisite], boxes[curve.concept]
        assert numbers[:2] == pytest.approx([start.middle, start.y + start.height], abs=0.1)
        assert numbers[-2:] == pytest.approx([end.middle, end.y - 7], abs=0.1)


@given(plans())
def test_what_is_left_out_is_implied(plan: tuple[dict[str, str], list[Edge]]) -> None:
    names, edges = plan
    kept = transitive_reduction(list(names), edges)

    def reached(start: str, over: tuple[Edge, ...] | list[Edge]) -> set[str]:
        found = {edge.concept for edge in over if edge.prerequisite == start}
        return found.union(*(reached(each, over) for each in found)) if found else found

    for key in names:
        assert reached(key, kept) == reached(key, edges)
    for edge in kept:
        assert edge.concept not in reached(edge.prerequisite, [each for each in kept if each != edge])


def test_a_diamond_has_no_line_from_top_to_bottom_and_no_crossing() -> None:
    edges = [Edge("a", "b"), Edge("a", "c"), Edge("b", "d"), Edge("c", "d"), Edge("a", "d")]
    drawing = draw({key: key for key in "abcd"}, edges)
    assert {(curve.prerequisite, curve.concept) for curve in drawing.curves} == {
        ("a", "b"),
        ("a", "c"),
        ("b", "d"),
        ("c", "d"),
    }
    at = {box.key: box.middle for box in drawing.boxes}
    assert at["a"] == at["d"] == pytest.approx((at["b"] + at["c"]) / 2, abs=0.2)


def test_the_longest_curves_go_straight_across_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"c{number}" for number in range(12)]
    edges = [Edge(keys[0], keys[1]), *(Edge(keys[number], keys[number + 2]) for number in range(10))]
    bent = draw({key: key for key in keys}, edges, abreast=1)
    monkeypatch.setattr("ragstone.plugins.concept_tutor.plans.drawing.layout._MOST_PASSING", 3)
    straight = draw({key: key for key in keys}, edges, abreast=1)
    assert len(straight.curves) == len(bent.curves)
    assert sum("L" in curve.path for curve in straight.curves) == 3 < sum("L" in curve.path for curve in bent.curves)


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        draw({"a": "A", "b": "B"}, [Edge("a", "b"), Edge("b", "a")])


@pytest.mark.parametrize(
    "name",
    [
        "Gradient descent",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "勾配降下法による最適化の基礎と応用について",
        "W" * 99,
    ],
)
def test_lines_are_hardly_wider_than_what_they_have(name: str) -> None:
    lines = wrapped(name, 10.0, 3)
    assert 1 <= len(lines) <= 3
    assert all(width_of(line) <= 10.5 for line in lines), "the box's padding has room for an em and a half"
    output = "".join(lines)
    assert output == name.replace(" ", "") or output.endswith("…") or " ".join(lines) == name


def test_the_nearest_are_around_a_concept() -> None:
    keys = [f"c{number}" for number in range(100)]
    edges = [Edge(before, after) for before, after in pairwise(keys)]
    assert neighbourhood(keys, edges, "c50", most=11) == (tuple(keys[45:56]), 45, 44)
    assert neighbourhood(keys, edges, "c0", most=11) == (tuple(keys[:11]), 0, 89)
    assert neighbourhood(keys, edges, "c99", most=11) == (tuple(keys[89:]), 89, 0)
    assert neighbourhood(["x", "y"], [], "x") == (("x",), 0, 0)

"""Plans out of lists, JSON, JSON lines and CSV; what is wrong in them is reported with its place."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core import BadRequest, Host, SourceError
from ragstone.plugins.concept_tutor import (
    ImportedPlan,
    Lessons,
    NewPlan,
    PlanStore,
    add_sample,
    read_plan,
    read_plan_file,
)
from tests.plugins.concept_tutor.material import SAMPLE, run

FORMATS = ("list", "json", "jsonl", "csv")


def _in_order(plan: NewPlan) -> list[str]:
    """The concepts' keys, each after all that it needs. Raises ``CycleError``."""
    needs: dict[str, list[str]] = {one.key: [] for one in plan.concepts}
    for edge in plan.edges:
        needs[edge.concept].append(edge.prerequisite)
    return list(TopologicalSorter(needs).static_order())


def _shown(made: ImportedPlan) -> tuple[str, str, list[tuple[str, str]], list[tuple[str, str]]]:
    plan = made.plan
    return (
        plan.slug,
        plan.title,
        [(one.key, one.name) for one in plan.concepts],
        [(edge.prerequisite, edge.concept) for edge in plan.edges],
    )


STATISTICS = (
    "statistics",
    "Statistics",
    [("mean", "Mean"), ("variance", "Variance"), ("standard-deviation", "Standard deviation")],
    [("mean", "variance"), ("variance", "standard-deviation"), ("mean", "standard-deviation")],
)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("txt", "# Statistics\n\n- Mean\n2. Variance <- Mean\nStandard deviation <- variance , MEAN\n"),
        ("csv", "name,needs\nMean,\nVariance,Mean\nStandard deviation,Variance; mean\n"),
        (
            "csv",
            '\ufeffConcept,Prerequisites,ignored\n"Mean",,x\nVariance,Mean\n\nStandard deviation,"Variance;Mean"\n',
        ),
        (
            "json",
            (
                '{"title": "Statistics", "concepts": ["Mean", {"name": "Variance", "needs": ["mean"]},'
                ' {"name": "Standard deviation", "needs": [{"concept": "variance", "weight": 0.5}, "Mean"]}]}'
            ),
        ),
        (
            "jsonl",
            (
                '{"name": "Mean"}\n\n{"name": "Variance", "needs": ["Mean"]}\n'
                '{"name": "Standard deviation", "needs": ["Variance", "Mean"]}\n'
            ),
        ),
        (
            "jsonl",
            (
                '{"tag": "mean", "title": "Mean", "summary": "", "goals": "", "dependencies": []}\n'
                '{"tag": "variance", "title": "Variance", "dependencies": [{"tag": "mean", "reason": "squares"}]}\n'
                '{"tag": "standard_deviation", "title": "Standard deviation",'
                ' "dependencies": [{"tag": "variance"}, {"tag": "mean"}]}\n'
            ),
        ),
    ],
)
def test_every_format_says_the_same(tmp_path: Path, suffix: str, text: str) -> None:
    file = tmp_path / f"plan.{suffix}"
    file.write_text(text, "utf-8")
    made = read_plan_file(file, title="Statistics")
    assert _shown(made) == STATISTICS
    # Pasted, nobody says what it is.
    assert _shown(read_plan(text.lstrip("\ufeff"), title="Statistics")) == STATISTICS
    assert made.dropped == ()


def test_a_file_gives_its_name_to_a_plan_without_a_title(tmp_path: Path) -> None:
    file = tmp_path / "My plan.txt"
    file.write_text("Mean", "utf-8")
    made = read_plan_file(file)
    assert (made.plan.title, made.plan.slug, made.plan.origin) == ("My plan", "my-plan", "from My plan.txt")


def test_circles_are_named_and_opened() -> None:
    made = read_plan("A <- B\nB <- C\nC <- A\nD <- D", title="Round")
    assert [(set(one.keys), one.dropped.prerequisite, one.dropped.concept) for one in made.dropped] == [
        ({"a", "b", "c"}, "a", "c"),
        ({"d"}, "d", "d"),
    ]
    assert len(_in_order(made.plan)) == 4


def test_names_without_latin_letters_and_names_alike_get_keys() -> None:
    made = read_plan("الرياضيات\nC\nC++\nC#\nc.", title="مفاهيم")
    assert [one.key for one in made.plan.concepts] == ["concept-1", "c", "c-2", "c-3", "c-4"]
    assert made.plan.slug == "plan"


def test_a_part_of_a_collection_leaves_out_what_is_not_in_it() -> None:
    made = read_plan('{"tag": "a", "title": "A", "dependencies": [{"tag": "elsewhere"}]}', format="jsonl", title="T")
    assert made.left_out == ("elsewhere",)
    assert made.plan.edges == ()


@pytest.mark.parametrize(
    ("format_", "text", "message"),
    [
        ("list", "", "the text: names no concept"),
        ("list", "A\nA", r"line 2: 'A' is there twice \(first at the text, line 1\)"),
        ("list", "A\n\nB <- Z", r"line 3: 'B' needs 'Z', which is no concept of the plan"),
        ("list", "A\n<- A", "line 2: name: String should have at least 1 character"),
        ("list", "A\x00", "holds a NUL character"),
        ("list", "x" * 300, "line 1: name: String should have at most 200 characters"),
        ("csv", "", "line 1: its first line must name the columns"),
        ("csv", "name,title\na,b", "line 1: its first line must name the columns"),
        ("csv", "name,needs\nA,\nB,Z\n", "line 3: 'B' needs 'Z'"),
        ("csv", "name\nA,B,C", "line 2: has 3 cells, and the header has 1"),
        ("csv", 'name\n"A', "line 2: is no CSV"),
        ("csv", "name,needs\n,A", "line 2: name: String should have"),
        ("json", "", "line 1, column 1: is no JSON"),
        ("json", '{"title": "T",\n "concepts": [}', "line 2, column 15: is no JSON"),
        ("json", '{"concepts": []}', "names no concept"),
        ("json", '{"title": "T"}', "concepts: Field required"),
        ("json", "3", "the text: "),
        ("json", '["A", {"name": "B", "neds": []}]', r"concepts\[1\]\.neds: Extra inputs"),
        ("json", '["A", {"name": "B", "needs": ["Z"]}]', r"concepts\[1\]: 'B' needs 'Z'"),
        ("json", '[{"name": "B", "needs": [{"concept": "B", "weight": 7}]}]', r"concepts\[0\]\.needs\[0\]\.weight: "),
        ("json", '[{"name": "B", "needs": [{"concept": "B", "weight": NaN}]}]', "NaN is not JSON"),
        ("json", '[{"name": "B", "sources": [{"page_title": "P", "content": "C"}]}]', r"sources\[0\]\.licence: Field"),
        (
            "json",
            '[{"name": "B", "sources": [{"page_title": "P", "content": "C", "licence": "L", "url": "javascript:x"}]}]',
            r"sources\[0\]\.url: ",
        ),
        ("json", "[" * 100_000, "nested too deep"),
        ("jsonl", '{"name": "A"}\n{"name": }', "line 2, column 10: is no JSON"),
        ("jsonl", '{"name": "A"}\n{"tag": "b", "title": "B", "dependencies": 3}', "line 2: dependencies is no list"),
        ("jsonl", '{"tag": 3, "title": "B"}', "line 1: key: Input should be a valid string"),
        ("list", "\n".join(map(str, range(2_001))), "at most 2000 concepts"),
        ("list", "\n".join(f"{a} <- {','.join(map(str, range(150)))}" for a in range(150)), "20000 prerequisites"),
        ("xml", "<a/>", "'xml' is no format of a plan"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(format_: str, text: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message) as caught:
        read_plan(text, format=format_, title="T")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_plan_file(tmp_path / "nothing.csv")
    with pytest.raises(SourceError, match="is not a file"):
        read_plan_file(tmp_path)
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(SourceError, match="is not UTF-8 at byte 3"):
        read_plan_file(tmp_path / "latin.txt")
    with pytest.raises(SourceError, match="is not a file"):
        read_plan_file(Path("/dev/zero"))


_WORDS = st.text(st.characters(codec="utf-8"), max_size=30)
_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | _WORDS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["name", "needs", "concepts", "key", "sources", "tag", "title"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from(FORMATS), _WORDS | _JSON.map(json.dumps))
def test_whatever_it_is_it_is_a_plan_or_one_clear_error(format_: str, text: str) -> None:
    try:
        made = read_plan(text, format=format_, title="T")
    except BadRequest as error:
        assert str(error)
    else:
        keys = [one.key for one in made.plan.concepts]
        assert len(set(keys)) == len(keys)
        assert sorted(_in_order(made.plan)) == sorted(keys)


def test_metacademy_is_read_and_stored(data: Path, fast_host: Host) -> None:
    made = read_plan_file(data / "tutor" / "metacademy.jsonl", title="Machine learning")
    plan = fast_host.once(PlanStore).add(made.plan)
    assert (len(made.plan.concepts), made.dropped) == (392, ())
    dependencies = sum(
        len(json.loads(line)["dependencies"])
        for line in (data / "tutor" / "metacademy.jsonl").read_text("utf-8").splitlines()
    )
    assert dependencies == 985
    # Those that lead to concepts which are not in the file are named.
    assert len(made.plan.edges) == 965
    assert len(made.left_out) == 17
    assert len(fast_host.once(PlanStore).concepts(plan.slug)) == len(_in_order(made.plan)) == 392
    assert set(fast_host.once(PlanStore).edges(plan.slug)) == set(made.plan.edges)


# The sample, seeds and exports


def test_the_sample_is_whole() -> None:
    made = read_plan_file(SAMPLE)
    assert made.dropped == ()
    assert 8 <= len(made.plan.concepts) <= 12
    for concept in made.plan.concepts:
        chunks = made.sources[concept.key]
        assert 2 <= len(chunks) <= 4
        for chunk in chunks:
            assert 60 <= len(chunk.content.split()) <= 200
            assert (chunk.licence, chunk.page_url) == ("Apache-2.0", "")


def test_a_first_start_gets_the_sample_once(fast_host: Host) -> None:
    store = fast_host.once(PlanStore)
    add_sample(fast_host)
    (size,) = store.plans()
    assert size.states == {"found": size.concepts}
    assert size.plan.origin == "a sample that comes with Ragstone"
    add_sample(fast_host)
    assert len(store.plans()) == 1
    store.remove(size.plan.slug)
    add_sample(fast_host)
    assert store.plans() == []


def test_a_first_learner_may_choose(fast_host: Host) -> None:
    add_sample(fast_host)
    lessons = Lessons(fast_host)
    concepts = ("mean", "median", "variance", "confidence-interval")
    asked = {key: lessons.questions("elementary-statistics", key) for key in concepts}
    assert all("choice" in {question.form for question in each} for each in asked.values())
    median = next(one for one in asked["median"] if one.key == "median" and one.form == "choice")
    assert {"mode", "quartile"} < set(median.options)


def test_what_is_exported_can_be_seeded(fast_host: Host, tmp_path: Path) -> None:
    store = fast_host.once(PlanStore)
    add_sample(fast_host)
    result = run(fast_host, "export", "elementary-statistics")
    (tmp_path / "again.json").write_text(result, "utf-8")
    before = store.all_sources("elementary-statistics")
    store.remove("elementary-statistics")
    made = read_plan_file(tmp_path / "again.json")
    store.add(made.plan, made.sources)
    assert run(fast_host, "export", "elementary-statistics") == result
    assert store.all_sources("elementary-statistics") == before


def test_the_sample_answers(real_host: Host) -> None:
    add_sample(real_host)
    chunks: Any = real_host.once(PlanStore).sources("elementary-statistics", "median")
    assert "middle value" in chunks[0].content

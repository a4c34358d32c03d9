"""Changes of a stored plan: title, concepts, prerequisites; what may not be is refused and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.core import BadRequest, Host, NotFound, TooLarge
from ragstone.plugins.concept_tutor import ConceptChange, Lessons, PlanEditor, PlanStore
from tests.plugins.concept_tutor.learning import texts


@pytest.fixture
def host(tmp_path: Path, database: str | None) -> Iterator[Host]:
    with texts.planted(tmp_path, database=database) as opened:
        yield opened


def edges(host: Host) -> set[tuple[str, str]]:
    return {(edge.prerequisite, edge.concept) for edge in host.once(PlanStore).edges("garden")}


def test_a_plan_gets_another_title_and_keeps_its_address(host: Host) -> None:
    plan = PlanEditor(host).rename("garden", "  The   whole garden ", "With a pond.")
    assert (plan.slug, plan.title, plan.description) == ("garden", "The whole garden", "With a pond.")
    for bad, error in (("", BadRequest), (" ", BadRequest), ("x" * 300, TooLarge), ("a\x00b", BadRequest)):
        with pytest.raises(error):
            PlanEditor(host).rename("garden", bad, "")
    with pytest.raises(NotFound):
        PlanEditor(host).rename("nowhere", "x", "")
    assert host.once(PlanStore).plan("garden") == plan


def test_a_concept_is_added_with_what_it_needs(host: Host) -> None:
    made = PlanEditor(host).add_concept("garden", ConceptChange("Watering can", "It holds water.", ("mulch", "mulch")))
    assert (made.key, made.state, made.summary) == ("watering-can", "waiting", "It holds water.")
    assert ("mulch", "watering-can") in edges(host)
    assert PlanEditor(host).add_concept("garden", ConceptChange("Watering-can")).key == "watering-can-2"
    assert [one.position for one in host.once(PlanStore).concepts("garden")] == list(range(7))


def test_a_concept_is_changed_and_keeps_its_sources_and_answers(host: Host) -> None:
    lessons, store = host.once(Lessons), host.once(PlanStore)
    question = lessons.questions("garden", "mulch")[0]
    lessons.answer(question.question_id, question.key if question.options else "straw")
    sources = store.sources("garden", "mulch")
    changed = PlanEditor(host).change_concept("garden", "mulch", ConceptChange("Mulching", "", ("pruning",)))
    assert (changed.key, changed.name, changed.state) == ("mulch", "Mulching", "found")
    assert edges(host) == {("pruning", "mulch"), ("mulch", "compost")}
    assert store.sources("garden", "mulch") == sources
    assert lessons.mastery("garden")["mulch"].attempts == 1


def test_what_is_removed_hands_on_what_it_needed(host: Host) -> None:
    store = host.once(PlanStore)
    chunk = store.sources("garden", "mulch")[0].chunk_id
    PlanEditor(host).remove_concept("garden", "mulch")
    assert edges(host) == {("sowing", "compost")}
    with pytest.raises(NotFound):
        store.concept("garden", "mulch")
    with pytest.raises(NotFound):
        store.uses(chunk)
    for key in ("compost", "pruning", "grafting"):
        PlanEditor(host).remove_concept("garden", key)
    with pytest.raises(BadRequest, match="one concept or more"):
        PlanEditor(host).remove_concept("garden", "sowing")


@pytest.mark.parametrize(
    ("key", "change", "words"),
    [
        ("sowing", ConceptChange("Sowing", "", ("compost",)), "Sowing → Mulch → Compost → Sowing"),
        ("sowing", ConceptChange("Sowing", "", ("sowing",)), "learned before the next"),
        ("sowing", ConceptChange("mulch"), "'mulch' already"),
        ("sowing", ConceptChange("Sowing", "", ("nothing",)), r"no concept of the plan \(it has .*mulch"),
        ("sowing", ConceptChange("  "), "empty"),
        ("sowing", ConceptChange("a\x07b"), "control character"),
    ],
)
def test_what_would_be_no_plan_changes_nothing(host: Host, key: str, change: ConceptChange, words: str) -> None:
    store = host.once(PlanStore)
    before = (store.concepts("garden"), store.edges("garden"))
    with pytest.raises(BadRequest, match=words):
        PlanEditor(host).change_concept("garden", key, change)
    assert (store.concepts("garden"), store.edges("garden")) == before

"""Rows of plans and learners that are of another form than they were written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ragstone.core import Host, NotFound, StorageError
from ragstone.core.testing import open_host, plugin_state
from ragstone.plugins.concept_tutor import Lessons, PlanStore
from ragstone.plugins.concept_tutor.checks import checks
from ragstone.plugins.concept_tutor.learning.sessions import Sessions
from ragstone.plugins.concept_tutor.learning.store import LearnStore
from ragstone.plugins.concept_tutor.plans import corpus_of
from ragstone.plugins.concept_tutor.plans.store import damaged_plans
from ragstone.web import create_app
from tests.plugins.concept_tutor.learning import texts
from tests.plugins.concept_tutor.material import run

OTHERS = ["null", "[1]", "5", "{}", "", "[" * 10_000]


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a host with a plan, of which one question was answered."""
    folder = tmp_path_factory.mktemp("answered")
    with texts.planted(folder) as opened:
        run(opened, "learn", "garden", typed="straw\n??\nq\n")
    return folder


@pytest.fixture
def host(tmp_path: Path, answered: Path) -> Iterator[Host]:
    shutil.copytree(answered, tmp_path, dirs_exist_ok=True)
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as opened:
        yield opened


def damage(host: Host, table: str, column: str, value: str) -> None:
    """Give the first row of the table another value."""
    first = f"(SELECT min(id) FROM {table})" if table != "concept_tutor_learn_memory" else "id"
    where = f"WHERE id = {first}" if first != "id" else ""
    with LearnStore(host).tables.write() as connection:
        connection.execute(text(f"UPDATE {table} SET {column} = :value {where}"), {"value": value})


@pytest.mark.parametrize("value", OTHERS)
def test_a_damaged_question_is_written_anew(host: Host, value: str) -> None:
    lessons = host.once(Lessons)
    before = lessons.questions("garden", "compost")
    damage(host, "concept_tutor_learn_question", "body", value)
    assert lessons.questions("garden", "compost") == before


@pytest.mark.parametrize(
    ("column", "value"),
    [(column, value) for column in ("form", "credit", "at") for value in OTHERS if (column, value) != ("credit", "5")],
)
def test_a_damaged_answer_is_left_out(host: Host, column: str, value: str) -> None:
    damage(host, "concept_tutor_learn_attempt", column, value)
    assert run(host, "progress", "garden")
    assert run(host, "due")
    assert create_app(host).test_client().get("/concept_tutor/plans/garden/").status_code == 200


@pytest.mark.parametrize(
    ("column", "value"), [("due", "soon"), ("reviewed", "2026-01-01"), ("state", 9), ("stability", "x")]
)
def test_what_is_remembered_wrongly_is_learned_anew(host: Host, column: str, value: str) -> None:
    damage(host, "concept_tutor_learn_memory", column, value)
    assert run(host, "due") == "Nothing is due.\n"
    assert "> " in run(host, "learn", "garden", typed="straw\n??\nq\n")


@pytest.mark.parametrize(
    ("table", "column"),
    [("begun", each) for each in ("begun", "ended", "kind", "length", "room", "percent")] + [("step", "outcome")],
)
def test_a_damaged_session_is_named_and_another_can_be_begun(host: Host, table: str, column: str) -> None:
    sessions = host.once(Sessions)
    first = sessions.start("garden")
    question = sessions.next(first)
    assert question is not None
    sessions.answer(first, question.question_id, None)
    assert sessions.current("garden") is not None
    with LearnStore(host).tables.write() as connection:
        connection.execute(text(f"UPDATE concept_tutor_session_{table} SET {column} = '2026-01-01'"))
    with pytest.raises(StorageError, match=f"the session '{first.session_id}' is damaged") as raised:
        sessions.session(first.session_id)
    assert raised.value.hint == "begin a new one"
    assert sessions.current("garden") is None
    assert create_app(host).test_client().get("/concept_tutor/plans/garden/").status_code == 200
    assert sessions.next(sessions.start("garden")) is not None


@pytest.mark.parametrize("value", OTHERS)
def test_a_damaged_plan_is_named_and_the_others_are_listed(host: Host, value: str) -> None:
    texts.put(host, "orchard")
    damage(host, "concept_tutor_plan", "created", value)
    with pytest.raises(StorageError, match="the plan 'garden' is damaged"):
        host.once(PlanStore).plan("garden")
    assert [size.plan.slug for size in host.once(PlanStore).plans()] == ["orchard"]
    client = create_app(host).test_client()
    client.get("/health")
    assert plugin_state(host, "concept_tutor").state == "loaded"
    assert client.get("/concept_tutor/plans/orchard/").status_code == 200


@pytest.mark.parametrize("as_json", [False, True])
def test_a_damaged_plan_can_be_removed(host: Host, as_json: bool) -> None:
    texts.put(host, "orchard")
    damage(host, "concept_tutor_plan", "created", "soon")
    store = host.once(PlanStore)
    assert damaged_plans(store) == ["garden"]
    with pytest.raises(StorageError, match="the plan 'garden' is damaged") as raised:
        store.size("garden")
    assert "ragstone tutor plan remove garden" in (raised.value.hint or "")
    client = create_app(host).test_client()
    assert "The plan “garden” is damaged" in client.get("/concept_tutor/").text
    (check,) = (one for one in checks(host, thorough=False) if one.name == "damaged study plans")
    assert (check.ok, check.detail) == (False, "garden")

    removed = run(host, "plan", "remove", "garden", "--yes", *(["--json"] if as_json else []))
    assert removed == ('{\n  "slug": "garden"\n}\n' if as_json else "The damaged plan 'garden' is removed.\n")
    assert damaged_plans(store) == []
    with pytest.raises(NotFound):
        store.remove("garden")
    kept = {chunk_id for ids in store.chunk_ids("orchard").values() for chunk_id in ids}
    assert {row.doc_id for row in corpus_of(host).contents.documents()} == kept
    assert "damaged" not in client.get("/concept_tutor/").text
    assert not [one for one in checks(host, thorough=False) if not one.ok]


def test_a_damaged_plan_can_be_removed_in_the_browser(host: Host) -> None:
    damage(host, "concept_tutor_plan", "created", "soon")
    client = create_app(host).test_client()
    assert client.post("/concept_tutor/plans/garden/delete", data={"sure": "yes"}).status_code == 303
    assert damaged_plans(host.once(PlanStore)) == []


def test_a_plan_whose_concepts_are_gone_leaves_the_others(host: Host) -> None:
    texts.put(host, "orchard")
    with LearnStore(host).tables.write() as connection:
        mine = "(SELECT id FROM concept_tutor_plan WHERE slug = 'garden')"
        connection.execute(text(f"DELETE FROM concept_tutor_concept WHERE plan_id = {mine}"))
    client = create_app(host).test_client()
    assert client.get("/concept_tutor/").status_code == 200
    damaged = client.get("/concept_tutor/plans/garden/")
    assert damaged.status_code == 500
    assert "ragstone tutor plan remove garden" in damaged.text
    assert client.get("/concept_tutor/plans/orchard/").status_code == 200
    assert client.post("/concept_tutor/plans/garden/delete", data={"sure": "yes"}).status_code == 303


def test_a_prerequisite_of_no_concept_of_the_plan_is_left_out(host: Host) -> None:
    texts.put(host, "orchard")
    edges = host.once(PlanStore).edges("garden")
    gone = edges[0].concept
    with LearnStore(host).tables.write() as connection:
        other = "(SELECT id FROM concept_tutor_plan WHERE slug = 'orchard')"
        moved = f"SET plan_id = {other}, key = 'moved' WHERE key = :key AND plan_id != {other}"
        connection.execute(text(f"UPDATE concept_tutor_concept {moved}"), {"key": gone})
    left = [edge for edge in edges if gone not in {edge.concept, edge.prerequisite}]
    assert host.once(PlanStore).edges("garden") == left
    client = create_app(host).test_client()
    assert client.get("/concept_tutor/").status_code == 200
    assert client.get("/concept_tutor/plans/garden/").status_code == 200

"""The pages without a script: plans made, drawn, learned from, and what is refused."""

from __future__ import annotations

import io
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import html
from werkzeug.test import TestResponse

from ragstone.core import BadRequest, Host
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Gathering, Lessons, NewConcept, NewPlan, PlanStore
from ragstone.plugins.concept_tutor.pages.concepts import source_pages
from ragstone.web import create_app
from tests.plugins.concept_tutor.learning import texts

from ..material import NAMES, SLUG, put_plan

ROOT = "/concept_tutor"
PLAN = f"{ROOT}/plans/{SLUG}"
PAGE = {"Accept": "text/html"}
#: Nobody may be asked: there is no contact.
OPTIONS = {"concept_tutor": {"sample": False}, "web": {"requests_per_minute": 0}, "book_chat": {"sample": False}}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("pages"), options=OPTIONS) as host:
        put_plan(host)
        yield host


@pytest.fixture(scope="module")
def client(host: Host) -> FlaskClient:
    return create_app(host).test_client()


def tree(response: TestResponse) -> Any:
    assert response.mimetype == "text/html", response.text
    return html.fromstring(response.text)


def words(element: Any) -> str:
    return " ".join(element.text_content().split())


def test_the_list_tells_what_there_is(client: FlaskClient) -> None:
    page = tree(client.get(f"{ROOT}/"))
    card = page.cssselect(".plan-card")[0]
    assert "How networks learn" in words(card)
    assert "7 concepts" in words(card)
    assert "1 without sources" in words(card)
    assert card.cssselect("a")[0].get("href") == f"{PLAN}/"


def test_home_and_every_door_know_the_tutor(client: FlaskClient) -> None:
    assert "Concept tutor" in client.get("/").text
    asked = client.post("/assistants/concept_tutor/query", json={"question": "What is a gradient?", "plan": SLUG})
    assert asked.get_json()["citations"][0]["page_title"] == "Gradient"
    moved = client.get(f"{ROOT}/?q=What+is+a+gradient%3F")
    assert moved.location == f"{ROOT}/chat?q=What+is+a+gradient?"


def test_a_plan_is_drawn_and_listed(client: FlaskClient) -> None:
    page = tree(client.get(f"{PLAN}/"))
    boxes = page.cssselect(".for-wide svg a.box")
    assert {box.get("data-key") for box in boxes} == set(NAMES)
    assert all(box.get("href").endswith("#chosen") and box.get("aria-label") for box in boxes)
    assert len(page.cssselect(".for-wide path.curve")) == 7
    (lacking,) = page.cssselect(".gathering .named a")
    (row,) = page.cssselect("li[data-concept].none .name")
    assert (words(lacking), lacking.get("href")) == (words(row), row.get("href").removeprefix(f"{PLAN}/"))
    assert next(words(row) for row in page.cssselect(".concepts .name")) == "Derivative"
    assert not page.cssselect("svg .badge, svg [href^=http]"), "sources have no presence on the graph"
    without = page.cssselect(".for-wide a.box.none")
    assert [box.get("data-key") for box in without] == ["weight-decay"]
    assert "no sources" in without[0].get("aria-label")


def test_a_lone_concept_of_a_large_plan_is_not_drawn(client: FlaskClient, host: Host) -> None:
    names = "\n".join(f"Concept {number}" for number in range(60)) + "\nLast <- Concept 59"
    made = client.post(f"{ROOT}/plans/names", data={"title": "Large", "names": names})
    lone = tree(client.get(f"{made.location}?concept=concept-1"))
    assert not lone.cssselect(".graph")
    assert "No concept has to come before Concept 1, and none needs it." in words(lone.cssselect(".around")[0])
    assert lone.cssselect(".around input"), "another one can be looked for"
    drawn = tree(client.get(f"{made.location}?concept=last"))
    assert len(drawn.cssselect(".for-wide .box")) == 2
    host.once(PlanStore).remove("large")


def test_every_page_of_a_plan_leads_back_to_the_plans(client: FlaskClient) -> None:
    for path in ("", "learn", "edit", "learn?concept=gradient"):
        above = tree(client.get(f"{PLAN}/{path}")).cssselect(".of-plan a")
        assert [each.get("href") for each in above][:-1] == [f"{ROOT}/", f"{PLAN}/"][: 1 + bool(path)]
    assert not tree(client.get(f"{PLAN}/learn")).cssselect("header nav.sub"), "what it had is said once"


def test_a_chosen_concept_shows_its_sources_with_their_licence(client: FlaskClient) -> None:
    page = tree(client.get(f"{PLAN}/?concept=gradient-descent"))
    panel = page.cssselect("aside.chosen")[0]
    link = panel.cssselect(".pages a")[0]
    assert link.get("href") == "https://wiki.example/wiki/Gradient_descent"
    assert link.get("rel") == "noopener noreferrer"
    assert "2 passages · CC BY-SA 4.0" in words(panel)
    kept = [each.get("href") for each in panel.cssselect(".pages span a")]
    assert [client.get(url).status_code for url in kept] == [200, 200], "offline, too"
    assert tree(client.get(f"{PLAN}/?concept=Gradient Descent")).cssselect("aside.chosen"), "by its name too"
    assert client.get(f"{PLAN}/?concept=none", headers=PAGE).status_code == 404


def answer_form(client: FlaskClient, concept: str) -> tuple[Any, dict[str, str]]:
    began = client.post(f"{PLAN}/learn/start", data={"concept": concept})
    assert began.status_code == 303, began.text
    page = tree(client.get(began.location))
    form = page.cssselect("form.lesson")[0]
    fields = {each.get("name"): each.get("value") for each in form.cssselect("input[type=hidden]")}
    return form, fields


def test_a_question_is_answered_without_a_script(client: FlaskClient, host: Host) -> None:
    form, fields = answer_form(client, "gradient")
    question = host.once(Lessons).question(fields["question"])
    assert question.key not in {each.get("value") for each in form.cssselect("input[type=hidden]")}
    response = client.post(form.get("action"), data={**fields, "answer": "something green"})
    page = tree(response)
    assert words(page.cssselect(".verdict h2")[0]) == "Not right"
    badge = page.cssselect(".verdict a.badge")[0]
    assert badge.get("href") == "https://wiki.example/wiki/Gradient#Definition"
    assert (badge.get("target"), badge.get("rel")) == ("_blank", "noopener noreferrer")
    assert "Gradient" in words(page.cssselect(".verdict .card")[0])
    assert "CC BY-SA 4.0" in words(page.cssselect(".sources")[0])
    assert words(page.cssselect("time")[0])
    again = tree(client.post(form.get("action"), data={**fields, "answer": "something green"}))
    assert words(again.cssselect(".verdict")[0]) == words(page.cssselect(".verdict")[0])
    assert sum(one.question_id == question.question_id for one in host.once(Lessons).last(SLUG, most=50)) == 1


def test_hints_come_one_after_the_other_and_keep_the_answer(client: FlaskClient) -> None:
    _, fields = answer_form(client, "gradient-descent")
    page = tree(client.get(f"{PLAN}/learn", query_string={**fields, "hint": "1", "answer": "half of it"}))
    assert len(page.cssselect(".hints li")) == 1
    assert "half of it" in html.tostring(page.cssselect("form.lesson")[0]).decode()
    page = tree(client.get(f"{PLAN}/learn", query_string={**fields, "hint": "3"}))
    assert len(page.cssselect(".hints li")) == 3
    assert not page.cssselect("button[name=hint]")
    assert page.cssselect("input[name=hints]")[0].get("value") == "3"
    assert page.cssselect("input[name=question]")[0].get("value") == fields["question"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"answer": ""}, 400),
        ({"answer": "x" * 100_000}, 413),
        ({"question": "none"}, 404),
        ({"attempt": "<b>"}, 400),
        ({"hints": "-1"}, 200),
        ({"hints": "many"}, 200),
    ],
)
def test_a_bad_answer_is_reported_and_kept(client: FlaskClient, change: dict[str, str], status: int) -> None:
    form, fields = answer_form(client, "backpropagation")
    response = client.post(form.get("action"), data={**fields, "answer": "an algorithm", **change}, headers=PAGE)
    assert response.status_code == status
    if status in (400, 413):
        assert tree(response).cssselect("[role=alert]")


def test_a_question_of_another_plan_is_not_here(client: FlaskClient, host: Host) -> None:
    put_plan(host, slug="second", title="Second")
    _, fields = answer_form(client, "gradient")
    response = client.post(f"{ROOT}/plans/second/learn/answer", data={**fields, "answer": "x"}, headers=PAGE)
    assert response.status_code == 404
    host.once(PlanStore).remove("second")


def test_without_sources_there_is_nothing_to_ask_but_a_way_out(client: FlaskClient) -> None:
    page = tree(client.get(f"{PLAN}/learn?concept=weight-decay"))
    assert "no sources" in words(page.cssselect(".nothing")[0])
    assert page.cssselect(".nothing a")[0].get("href") == f"{PLAN}/"


def test_the_chat_answers_with_badges_that_open_beside_it(client: FlaskClient) -> None:
    page = tree(client.get(f"{ROOT}/chat?plan={SLUG}&q=What+does+the+chain+rule+say+of+h%28x%29%3F"))
    badge = page.cssselect(".answer a.badge")[0]
    assert badge.get("href").startswith("https://wiki.example/wiki/Chain_rule")
    assert badge.get("rel") == "noopener noreferrer"
    assert page.cssselect(".answer math"), "formulas are MathML"
    assert page.cssselect("input[name=plan]")[0].get("value") == SLUG
    refused = tree(client.get(f"{ROOT}/chat?plan={SLUG}&q=Who+won+the+football+world+cup%3F"))
    assert refused.cssselect(".answer.refused")
    assert client.get(f"{ROOT}/chat?plan=none", headers=PAGE).status_code == 404


def test_a_chunk_has_a_page_of_its_own(client: FlaskClient, host: Host) -> None:
    chunk = host.once(PlanStore).sources(SLUG, "chain-rule")[0]
    page = tree(client.get(f"{ROOT}/source/{chunk.chunk_id}"))
    assert "Leibniz" in words(page.cssselect("#passage")[0])
    about = page.cssselect(".about-source")[0]
    assert "CC BY-SA 4.0" in words(about)
    assert about.cssselect("a")[0].get("href") == "https://wiki.example/wiki/Chain_rule"
    assert client.get(f"{ROOT}/source/none", headers=PAGE).status_code == 404


@pytest.mark.parametrize(
    ("way", "data", "concepts"),
    [
        ("names", {"title": "By list", "names": "Knot\nBowline <- Knot\n"}, ["Knot", "Bowline"]),
        ("file", {"file": (b"name,needs\nKnot,\nBowline,Knot\n", "knots.csv")}, ["Knot", "Bowline"]),
        ("file", {"file": (b'{"title": "Ropes", "concepts": [{"name": "Knot"}]}', "x.json"), "title": ""}, ["Knot"]),
        ("file", {"file": ("\ufeffKnöt\n".encode(), "a.txt"), "title": "Bytes"}, ["Knöt"]),
    ],
)
def test_a_plan_is_made_in_the_browser(
    client: FlaskClient, host: Host, way: str, data: dict[str, Any], concepts: list[str]
) -> None:
    sent = {key: (io.BytesIO(value[0]), value[1]) if isinstance(value, tuple) else value for key, value in data.items()}
    response = client.post(f"{ROOT}/plans/{way}", data=sent, headers=PAGE)
    assert response.status_code == 303, response.text
    slug = response.location.split("/")[-2]
    assert [one.name for one in host.once(PlanStore).concepts(slug)] == concepts
    page = tree(client.get(response.location))
    assert "No search was made yet" in words(page)
    result = client.post(f"{ROOT}/plans/{slug}/gather", headers=PAGE)
    alert = words(tree(result).cssselect("[role=alert]")[0])
    assert "The person who runs it sets a contact" in alert, "what is missing is reported"
    assert result.status_code == 503
    host.once(PlanStore).remove(slug)


def test_two_plans_of_one_title_have_two_addresses(client: FlaskClient, host: Host) -> None:
    made = [client.post(f"{ROOT}/plans/names", data={"title": "Twice", "names": "A"}).location for _ in range(2)]
    assert [each.split("/")[-2] for each in made] == ["twice", "twice-2"]
    for slug in ("twice", "twice-2"):
        host.once(PlanStore).remove(slug)


def test_what_closed_a_circle_is_reported(client: FlaskClient, host: Host) -> None:
    moved = client.post(f"{ROOT}/plans/names", data={"title": "Round", "names": "A <- B\nB <- A"})
    assert "1 prerequisite that closed a circle was left out" in words(tree(client.get(moved.location)))
    host.once(PlanStore).remove("round")


@pytest.mark.parametrize(
    ("way", "data", "status"),
    [
        ("names", {"title": "x", "names": "  "}, 400),
        ("names", {"title": "", "names": "A"}, 400),
        ("names", {"title": "x", "names": "A\nA\n"}, 400),
        ("names", {"title": "x" * 5_000, "names": "A"}, 413),
        ("names", {"title": "x", "names": "A\0"}, 400),
        ("file", {"file": (b"", "x.csv")}, 400),
        ("file", {"file": (b"\xff\xfe\x00", "x.csv")}, 400),
        ("file", {"file": (b"[" * 100_000, "x.json")}, 400),
        ("file", {"file": (b"x" * 900_001, "x.txt")}, 413),
        ("file", {}, 400),
        ("page", {"page": "http://169.254.169.254/latest"}, 400),
        ("page", {"page": "none/Dog"}, 400),
        ("page", {}, 400),
        ("book", {}, 400),
        ("book", {"book": "books/none"}, 404),
        ("book", {"book": "none"}, 404),
        ("other", {}, 404),
    ],
)
def test_what_is_no_plan_is_reported_on_the_page(
    client: FlaskClient, host: Host, way: str, data: dict[str, Any], status: int
) -> None:
    sent = {key: (io.BytesIO(value[0]), value[1]) if isinstance(value, tuple) else value for key, value in data.items()}
    response = client.post(f"{ROOT}/plans/{way}", data=sent, headers=PAGE)
    response.request.environ["wsgi.input"].close()  # a file of the test client's own, for a large body
    assert response.status_code == status, response.text
    assert [size.plan.slug for size in host.once(PlanStore).plans()] == [SLUG]
    if way != "other":
        assert tree(response).cssselect("[role=alert]")


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
@pytest.mark.parametrize("path", [f"{ROOT}/plans/names", f"{PLAN}/gather", f"{PLAN}/learn/answer"])
def test_another_site_s_page_can_do_nothing(client: FlaskClient, path: str, headers: dict[str, str]) -> None:
    assert client.post(path, data={"title": "x", "names": "A"}, headers=headers).status_code == 403


def test_more_plans_than_enough_are_refused(tmp_path: Path) -> None:
    with open_host(tmp_path, options=OPTIONS) as host:
        store = host.once(PlanStore)
        for number in range(200):
            store.add(NewPlan(f"p{number}", "P", (NewConcept("c", "C"),)))
        client = create_app(host).test_client()
        response = client.post(f"{ROOT}/plans/names", data={"title": "x", "names": "A"}, headers=PAGE)
        assert response.status_code == 400
        assert len(store.plans()) == 200


def test_slow_wikis_do_not_take_all_of_the_server(
    client: FlaskClient, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, release = threading.Semaphore(0), threading.Event()

    def slow(*_: object) -> None:
        asked.release()
        assert release.wait(30)
        raise BadRequest("after all there is no such page")

    monkeypatch.setattr("ragstone.plugins.concept_tutor.pages.plans.plan_from_page", slow)
    found: list[int] = []

    def make() -> None:
        sent = client.application.test_client().post(f"{ROOT}/plans/page", data={"page": "wikipedia/Dog"}, headers=PAGE)
        found.append(sent.status_code)

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert all(asked.acquire(timeout=30) for _ in threads)
    third = client.post(f"{ROOT}/plans/names", data={"title": "x", "names": "A"}, headers=PAGE)
    release.set()
    for thread in threads:
        thread.join(30)
    assert (third.status_code, found) == (503, [400, 400])
    assert "being made just now" in words(tree(third).cssselect("[role=alert]")[0])


def test_without_a_script_the_page_looks_again_while_sources_come(
    client: FlaskClient, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = client.post(f"{ROOT}/plans/names", data={"title": "Waiting", "names": "A"}).location
    monkeypatch.setattr(Gathering, "is_busy", lambda self, slug: True)
    page = client.get(moved).text
    assert '<noscript><meta http-equiv="refresh" content="4"></noscript>' in page
    assert f'data-events="{moved}events"' in page
    host.once(PlanStore).remove("waiting")


def test_a_search_that_ends_while_the_page_is_made_is_shown_as_ended(
    client: FlaskClient, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = client.post(f"{ROOT}/plans/names", data={"title": "Waiting", "names": "A"}).location
    leases = host.once(Gathering)._leases

    def end(_gathering: Gathering, slug: str) -> bool:
        leases.acquire(slug, "a")
        leases.release(slug, "a", "none", "no page of the wikis is about it")
        return False

    monkeypatch.setattr(Gathering, "is_busy", end)
    row = tree(client.get(moved)).cssselect(".concepts li")[0]
    assert "no page of the wikis" in words(row)
    assert row.cssselect("button[aria-label='Retry A']")
    host.once(PlanStore).remove("waiting")


def test_progress_is_reported_as_events(client: FlaskClient) -> None:
    response = client.get(f"{PLAN}/events")
    assert response.mimetype == "text/event-stream"
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", response.text)
    assert {json.loads(data)["concept"] for name, data in events[:-1]} == set(NAMES)
    assert events[-1][0] == "done"
    for _ in range(8):  # a client that has gone frees its place
        response = client.get(f"{PLAN}/events")
        assert response.status_code == 200
        response.close()


def test_a_large_plan_is_drawn_in_part(client: FlaskClient, host: Host) -> None:
    names = {f"c{number}": f"Concept {number}" for number in range(120)}
    edges = [(f"c{number}", f"c{number + 1}") for number in range(119)]
    put_plan(host, slug="large", title="Large", names=names, edges=edges, sources={})
    page = tree(client.get(f"{ROOT}/plans/large/?concept=Concept 60"))
    assert 10 < len(page.cssselect(".for-wide a.box")) < 40
    assert "around Concept 60" in words(page.cssselect(".around")[0])
    assert len(page.cssselect(".concepts li")) == 120
    whole = tree(client.get(f"{ROOT}/plans/large/?whole=1"))
    assert len(whole.cssselect(".for-wide a.box")) == 120
    host.once(PlanStore).remove("large")


def test_the_passages_of_one_section_of_a_book_are_listed_once() -> None:
    sections = ["Glia", "Neurons", "Neurons"]
    chunks = [
        texts.chunk("nerve", "Text.", number=number, section=section, url="book:nerves")
        for number, section in enumerate(sections, start=1)
    ]
    assert [(page["title"], page["chunks"], len(page["kept"])) for page in source_pages(chunks)] == [
        ("Nerve › Glia", 1, 0),
        ("Nerve › Neurons", 2, 2),
    ]
    assert all(page["url"].startswith("/concept_tutor/source/") for page in source_pages(chunks))

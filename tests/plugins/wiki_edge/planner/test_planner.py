"""The planner: slots in their order, the order of who is asked, what it costs, what it remembers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ragstone.core import BadRequest, EncoderError, NotFound, SettingsError, TooLarge
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import Planner, Situation
from tests.plugins.wiki_edge.planner.libraries import MOON, MUG, SPONGE, Shelf, planning
from tests.support.llm_server import Server, refuse, send, stall

CLEAN = Situation(
    goal="How do I clean a coffee mug?",
    detections=["mug on the table", {"label": "sponge", "confidence": 0.91, "position": [0.1, 0.4]}],
    pose={"x": 1.0, "y": -0.5, "frame": "map"},
    context="The dishwasher is full.",
    safety="Keep 30 cm from people. Speed limit 0.2 m/s.",
)


def output(text: str, *, read: int | None = 1000, written: int | None = 20) -> bytes:
    usage = None if read is None else {"prompt_tokens": read, "completion_tokens": written}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def answering(text: str, **usage: Any) -> Any:
    return send("application/json", output(text, **usage))


@pytest.fixture
def slm() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def remote() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_REMOTE_AGENT", "1")
    monkeypatch.setenv("MAX_API_CENTS_PER_DAY", "5")


def prices(server: Server, **more: Any) -> dict[str, Any]:
    return {
        "base": server.base,
        "model": "big",
        "input_price": 100,
        "output_price": 300.5,
        "timeout": 10,
        **more,
    }


def tried(answer: Any) -> list[tuple[str, bool]]:
    return [(attempt.origin, attempt.ok) for attempt in answer.tried]


# Slots


def test_the_slots_stand_in_the_specification_s_order(tmp_path: Path) -> None:
    with planning(tmp_path, MUG, SPONGE, MOON) as planner:
        memory = planner.remember("The blue coffee mug broke when it fell.", place="kitchen")
        context = planner.context(CLEAN)
    assert context.detections[0] == "mug on the table"
    assert "sponge" in context.detections[1]
    assert "0.91" in context.detections[1]
    assert [fact.id for fact in context.facts][:1] == ["wiki-1"]
    assert context.facts[0].source == "Coffee cup"
    assert context.facts[0].license == "CC-BY-SA-3.0"
    assert context.facts[0].score > context.facts[1].score > context.facts[2].score
    assert [recall.id for recall in context.recalls] == [memory]
    assert context.recalls[0].kind == "episodic"
    places = [
        context.prompt.index(part)
        for part in (
            "mug on the table",
            "frame map",
            "rinse it with hot water",
            "blue coffee mug broke",
            CLEAN.goal,
            CLEAN.context,
            CLEAN.safety,
        )
    ]
    assert places == sorted(places)


def test_a_goal_is_enough(tmp_path: Path) -> None:
    with planning(tmp_path) as planner:
        context = planner.context(Situation(goal="What is a mug?"))
        answer = planner.answer(Situation(goal="What is a mug?"))
    assert (context.detections, context.pose, context.facts, context.recalls) == ((), "", (), ())
    assert not answer.known
    assert answer.text == "I do not know."


def test_domain_and_language_narrow_the_facts_alone(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        shelf = Shelf(host, [MUG, MOON])
        with Planner(host, library=shelf) as planner:
            context = planner.context(Situation(goal="moon", domain="household", language="en"))
    assert [fact.id for fact in context.facts] == ["wiki-1"]
    assert shelf.asked[0]["language"] == "en"
    assert (shelf.asked[1]["kind"], shelf.asked[1]["domain"]) == ("episodic", None)


@pytest.mark.parametrize("goal", ["", "  \n"])
def test_an_empty_goal_is_refused(tmp_path: Path, goal: str) -> None:
    with planning(tmp_path) as planner, pytest.raises(BadRequest):
        planner.answer(Situation(goal=goal))


def test_the_budget_takes_the_lowest_score_first_and_never_goal_or_safety(tmp_path: Path) -> None:
    lengths: list[int] = []
    ranked: list[str] = []
    for tokens in (1600, 330, 300, 275, 245):
        with planning(tmp_path / str(tokens), MUG, SPONGE, MOON, planner={"prompt_tokens": tokens}) as planner:
            context = planner.context(CLEAN)
            assert planner._host.hooks.encoder.count_tokens(context.prompt) <= tokens
        assert CLEAN.goal in context.prompt
        assert CLEAN.safety in context.prompt
        ranked = ranked or [fact.id for fact in context.facts]
        assert [*(fact.id for fact in context.facts), *reversed(context.left_out)] == ranked
        lengths.append(len(context.facts))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == 3
    assert lengths[-1] == 0
    with (
        planning(tmp_path / "none", MUG, planner={"prompt_tokens": 128}) as planner,
        pytest.raises(TooLarge, match="goal and safety"),
    ):
        planner.context(Situation(goal="Clean. " * 100, safety="Slow. " * 100))


def test_the_template_can_be_replaced_and_keeps_its_slots(tmp_path: Path) -> None:
    own = "S:{safety} G:{goal} C:{context} R:{recalls} F:{facts} P:{pose} D:{detections}"
    with planning(tmp_path, MUG, prompts={"wiki_edge/planner": own}) as planner:
        prompt = planner.context(CLEAN).prompt
    assert prompt.startswith(f"S:{CLEAN.safety} G:{CLEAN.goal}")
    shorter = {"wiki_edge/planner": own.replace("{safety}", "")}
    with planning(tmp_path / "b", prompts=shorter) as planner, pytest.raises(SettingsError, match="safety"):
        planner.context(CLEAN)


def test_shards_that_fail_are_reported_and_the_rest_goes_on(tmp_path: Path, slm: Server) -> None:
    class Broken:
        def search(self, question: str, **_: Any) -> list[Any]:
            raise EncoderError("the model is away")

    slm.acts(answering("Rinse it with water.\nCONFIDENCE: 90"))
    options = {"wiki_edge": {"slm": {"base": slm.base, "unstated_confidence": 0.9}}}
    with open_host(tmp_path, options=options) as host, Planner(host, library=Broken()) as planner:
        answer = planner.answer(CLEAN)
    assert answer.origin == "slm"
    assert answer.context is not None
    assert "the model is away" in answer.context.notes[0]


# Who is asked


def test_the_model_on_the_robot_is_asked_first(tmp_path: Path, slm: Server, remote: Server, allowed: None) -> None:
    slm.acts(answering("Rinse the mug with hot water [1]. Then wipe it [1][7].\nCONFIDENCE: 85"))
    with planning(tmp_path, MUG, slm={"base": slm.base}, remote=prices(remote)) as planner:
        answer = planner.answer(CLEAN)
    assert answer.origin == "slm"
    assert answer.text == "Rinse the mug with hot water [1]. Then wipe it [1]."
    assert answer.confidence == pytest.approx(0.85)
    assert [(source.n, source.id) for source in answer.sources] == [(1, "wiki-1")]
    assert answer.sources[0].url == MUG["url"]
    assert tried(answer) == [("slm", True)]
    assert answer.cost == 0
    assert not remote.asked


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (refuse(500), "failed (500)"),
        (stall(headers=False), "did not finish"),
        (answering("I DO NOT KNOW\nCONFIDENCE: 100"), "does not know"),
        (answering("Perhaps boil it [1].\nCONFIDENCE: 10"), "under 0.5"),
        (answering("Boil it."), "under 0.5"),
        (answering("From nowhere, but sure.\nCONFIDENCE: 100"), "under 0.5"),
        (answering('{"action": "move", "args": {"joint_1": 3.0}}\nCONFIDENCE: 99'), "like an order"),
        (answering("<tool_call>robot.move(1)</tool_call> [1]\nCONFIDENCE: 99"), "like an order"),
        (send("application/json", b"{"), "protocol"),
    ],
)
def test_behind_a_model_that_does_not_help_come_the_shards(
    tmp_path: Path, slm: Server, remote: Server, allowed: None, act: Any, reason: str
) -> None:
    slm.acts(act)
    options: dict[str, Any] = {"slm": {"base": slm.base, "timeout": 1.0}, "remote": prices(remote)}
    with planning(tmp_path, MUG, SPONGE, MOON, **options) as planner:
        answer = planner.answer(CLEAN)
    assert answer.origin == "rag", answer.tried
    assert tried(answer) == [("slm", False), ("rag", True)]
    assert reason in answer.tried[0].reason
    assert "rinse it with hot water" in answer.text
    assert answer.sources[0].id == "wiki-1"
    assert answer.sources[0].quote in MUG["text"]
    assert f"[{answer.sources[0].n}]" in answer.text
    assert 0.45 <= answer.confidence <= 1
    assert not remote.asked


def test_the_remote_agent_comes_last_and_costs(tmp_path: Path, slm: Server, remote: Server, allowed: None) -> None:
    slm.acts(answering("I do not know."))
    remote.acts(answering("Jupiter has 95 moons.\nCONFIDENCE: 80", read=1000, written=20))
    with planning(tmp_path, MUG, slm={"base": slm.base}, remote=prices(remote)) as planner:
        answer = planner.answer(Situation(goal="How many satellites does Jupiter have?"))
        assert answer.origin == "remote", answer.tried
        assert tried(answer) == [("slm", False), ("rag", False), ("remote", True)]
        assert answer.cost == 1000 * 100 + 6010  # 20 x 300.5
        assert planner._ledger.spent() == answer.cost
    assert answer.confidence == pytest.approx(0.5)  # it cites nothing
    body = remote.asked[0].body
    assert body["model"] == "big"


def test_a_failing_answer_stays_reserved_and_a_refused_one_does_not(
    tmp_path: Path, remote: Server, allowed: None
) -> None:
    remote.acts(refuse(500), refuse(401), answering("Yes.", read=None), send("text/html", b"<html>"))
    with planning(tmp_path, remote=prices(remote)) as planner:
        spent = [0]
        for _ in range(4):
            planner.answer(Situation(goal="Is it?"))
            spent.append(planner._ledger.spent())
    costs = [after - before for before, after in pairwise(spent)]
    assert costs[0] > 512 * 300  # the dearest answer that it might have given
    assert costs[1] == 0
    assert costs[2] == costs[3] == costs[0]  # nothing was counted, so the dearest it is


def test_nobody_there_costs_nothing(tmp_path: Path, allowed: None) -> None:
    with Server() as gone:
        options = prices(gone)
    with planning(tmp_path, remote=options) as planner:
        answer = planner.answer(Situation(goal="Is it?"))
        assert planner._ledger.spent() == 0
    assert not answer.known
    assert "cannot be reached" in answer.tried[-1].reason


def test_the_cap_holds(tmp_path: Path, remote: Server, allowed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_API_CENTS_PER_DAY", "1")
    remote.acts(answering("Yes.", read=None))
    with planning(tmp_path, remote=prices(remote)) as planner:
        answers = [planner.answer(Situation(goal="Is it?")) for _ in range(8)]
        assert planner._ledger.spent() <= 1_000_000  # millionths of a cent
    granted = sum(answer.known for answer in answers)
    assert 0 < granted < 8
    assert len(remote.asked) == granted
    assert "budget" in answers[-1].tried[-1].reason


@pytest.mark.parametrize(
    ("allow", "cents"),
    [
        (None, "100"),
        ("0", "100"),
        ("true", "100"),
        (" 1", "100"),
        ("1", None),
        ("1", ""),
        ("1", "-5"),
        ("1", "1.5"),
        ("1", "1e3"),
        ("1", "+5"),
        ("1", " 5"),
        ("1", "٥"),
        ("1", "1_000"),
        ("1", "99999999999999"),
        ("1", "0"),
    ],
)
def test_without_leave_and_a_whole_number_of_cents_nothing_is_sent(
    tmp_path: Path, remote: Server, monkeypatch: pytest.MonkeyPatch, allow: str | None, cents: str | None
) -> None:
    for name, value in (("ALLOW_REMOTE_AGENT", allow), ("MAX_API_CENTS_PER_DAY", cents)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    remote.acts(answering("Yes."))
    with planning(tmp_path, remote=prices(remote)) as planner:
        answer = planner.answer(Situation(goal="Is it?"))
    assert not answer.known
    assert not remote.asked
    assert answer.tried[-1].origin == "remote"
    assert answer.tried[-1].reason


def test_a_damaged_ledger_keeps_the_remote_agent_off(tmp_path: Path, remote: Server, allowed: None) -> None:
    remote.acts(answering("Yes."))
    ledger = tmp_path / "ledger.sqlite"
    ledger.write_text("no database " * 500, "utf-8")
    with planning(tmp_path, remote=prices(remote, ledger=str(ledger))) as planner:
        answer = planner.answer(Situation(goal="Is it?"))
    assert not remote.asked
    assert "ledger" in answer.tried[-1].reason


@pytest.mark.parametrize("sent", [False, True])
def test_memories_leave_the_robot_only_where_that_is_set(
    tmp_path: Path, remote: Server, allowed: None, sent: bool
) -> None:
    remote.acts(answering("Under the sofa [1].\nCONFIDENCE: 70"))
    options: dict[str, Any] = {"planner": {"rag_threshold": 1.0}, "remote": prices(remote, recalls=sent)}
    with planning(tmp_path, MOON, **options) as planner:
        planner.remember("Grandmother's alarm code is four times seven.")
        answer = planner.answer(Situation(goal="What is the alarm code of grandmother?"))
    assert answer.origin == "remote"
    assert ("four times seven" in remote.asked[0].prompt) is sent
    assert "four times seven" in (answer.context.prompt if answer.context else "")


def test_a_key_is_sent_and_shown_nowhere(
    tmp_path: Path, remote: Server, allowed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKI_EDGE_REMOTE_KEY", "sk-remote-1234567890")
    remote.acts(answering("The key is sk-remote-1234567890.\nCONFIDENCE: 90"))
    with planning(tmp_path, remote=prices(remote)) as planner:
        answer = planner.answer(Situation(goal="Is it?"))
    assert remote.asked[0].headers["authorization"] == "Bearer sk-remote-1234567890"
    assert "sk-remote" not in repr(answer)
    for file in (tmp_path / "data" / "episodes").rglob("*.jsonl"):
        assert "sk-remote" not in file.read_text("utf-8")


# Memories


def test_a_memory_is_recalled_and_forgotten(tmp_path: Path) -> None:
    with planning(tmp_path, MUG) as planner:
        kept = planner.remember("The red mug stands on the upper shelf.", room="kitchen", title="Shelves")
        other = planner.remember("The charging station is behind the door.")
        context = planner.context(Situation(goal="Where does the red mug stand?"))
        assert [recall.id for recall in context.recalls] == [kept, other]
        assert context.recalls[0].title == "Shelves"
        planner.forget(kept)
        context = planner.context(Situation(goal="Where does the red mug stand?"))
        assert [recall.id for recall in context.recalls if recall.id == kept] == []
        with pytest.raises(NotFound):
            planner.forget(kept)


def test_what_the_shards_hold_of_it_already_counts_once(tmp_path: Path) -> None:
    twin = {"id": "old", "text": "The red mug stands on the upper shelf.", "title": "", "url": "", "license": ""}
    with planning(tmp_path, MUG, episodic=[twin]) as planner:
        planner.remember("The red mug fell from the shelf.")
        ids = [each.id for each in planner.context(Situation(goal="Where is the red mug?")).recalls]
    assert len(ids) == 2
    assert "old" in ids


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("", {}),
        ("  ", {}),
        ("a\x00b", {}),
        ("x" * 20_001, {}),
        ("\ud800", {}),
        ("ok", {"id": "mine"}),
        ("ok", {"text_": {1, 2}}),
        ("ok", {"title": 5}),
        ("ok", {"weight": float("nan")}),
    ],
)
def test_what_cannot_be_remembered_is_refused(tmp_path: Path, text: str, metadata: dict[str, Any]) -> None:
    with planning(tmp_path) as planner, pytest.raises(BadRequest):
        planner.remember(text, **metadata)


def test_the_public_names_cost_nothing_until_they_are_used() -> None:
    code = """
import sys
import ragstone.plugins.wiki_edge
assert "ragstone.plugins.wiki_edge.planner.planner" not in sys.modules
from ragstone.plugins.wiki_edge import Planner, Situation
print(Planner.__name__, Situation.__name__)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout.split() == ["Planner", "Situation"]


def test_it_opens_a_deployment_and_closes_it(tmp_path: Path) -> None:
    config = tmp_path / "ragstone.toml"
    config.write_text('data_dir = "here"\n[plugins.wiki_edge.planner]\nfacts = 2\n', "utf-8")
    with Planner.open(config) as planner:
        assert planner._options.planner.facts == 2
    with pytest.raises(SettingsError):
        Planner.open(tmp_path / "missing.toml")

"""Sources of all concepts at once: bounded, reported step by step, resumed after a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragstone.core import Host, NotFound, SettingsError
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Gathering, NewChunk, NewConcept, NewPlan, PlanStore, Progress
from ragstone.plugins.concept_tutor.plans.gathering.leases import Leases
from tests.plugins.concept_tutor.material import corpus_of
from tests.plugins.concept_tutor.plans.gathering.small_wiki import SmallWiki, page
from tests.support.patience import HANG, until

NAMES = ("Mean", "Median", "Mode", "Variance", "Range", "Quartile", "Skewness", "Kurtosis")


@pytest.fixture
def wiki() -> Iterator[SmallWiki]:
    with SmallWiki({name: page(name, "History", "Use") for name in NAMES}) as running:
        yield running


@contextmanager
def hosting(
    folder: Path, wiki: SmallWiki, *names: str, database: str | None = None
) -> Iterator[tuple[Host, PlanStore]]:
    with open_host(folder, options=wiki.options(), database=database) as host:
        store = host.once(PlanStore)
        if names:
            store.add(NewPlan("p", "P", tuple(NewConcept(name.lower(), name) for name in names)))
        yield host, store


def _states(store: PlanStore) -> dict[str, str]:
    return {one.key: one.state for one in store.concepts("p")}


def test_every_concept_gets_sources_and_every_step_is_reported(tmp_path: Path, wiki: SmallWiki) -> None:
    result: list[Progress] = []
    with hosting(tmp_path, wiki, *NAMES) as (host, store):
        host.once(Gathering).run("p", on_progress=result.append)
        assert set(_states(store).values()) == {"found"}
        for name in NAMES:
            first, *_ = sources = store.sources("p", name.lower())
            assert (first.page_title, first.source, first.licence) == (name, "wiki", "CC BY-SA 4.0")
            assert first.page_url == f"{wiki.url}/wiki/{name}"
            assert first.revision == "7"
            assert [one.rank for one in sources] == list(range(1, len(sources) + 1))
            assert [one.relevance for one in sources] == sorted((one.relevance for one in sources), reverse=True)
            assert any(one.page_url.endswith("#History") for one in sources)
        assert corpus_of(host).info().chunks == store.size("p").chunks
    for name in NAMES:
        assert [one.state for one in result if one.name == name] == ["running", "found"]
    assert max(one.done for one in result) == len(NAMES)
    assert wiki.most_at_once <= 3


def test_never_more_than_three_requests_at_once(tmp_path: Path, wiki: SmallWiki) -> None:
    # The first ones wait for one another, and so come at once or never.
    together = threading.Barrier(3)
    first = iter(range(3))
    wiki.before = lambda _path: (together.wait(HANG), None)[1] if next(first, None) is not None else None
    with hosting(tmp_path, wiki, *NAMES) as (host, _):
        host.once(Gathering).run("p")
    assert wiki.most_at_once == 3


def test_a_page_is_asked_for_once_however_many_concepts_need_it(tmp_path: Path, wiki: SmallWiki) -> None:
    extra = f"<section><h2>Median and mode</h2><p>{'Median and mode and mean. ' * 20}</p></section>"
    wiki.pages = {"Dice": page("Mean", extra=extra)}
    with hosting(tmp_path, wiki, "Mean", "Median", "Mode") as (host, store):
        host.once(Gathering).run("p")
        assert set(_states(store).values()) == {"found"}
        shared = [chunk for chunk in store.sources("p", "median") if len(store.uses(chunk.chunk_id)) > 1]
        assert shared
        assert store.size("p").chunks == corpus_of(host).info().chunks
    assert wiki.pages_asked() == ["Dice"]


def test_one_that_fails_says_why_and_the_others_go_on(tmp_path: Path, wiki: SmallWiki) -> None:
    wiki.refused = {"Median": 403}
    with hosting(tmp_path, wiki, *NAMES, "Zyzzyva") as (host, store):
        gathering = host.once(Gathering)
        gathering.run("p")
        states = _states(store)
        assert (states.pop("median"), states.pop("zyzzyva")) == ("failed", "none")
        assert set(states.values()) == {"found"}
        assert "does not serve this client" in store.concept("p", "median").reason
        assert store.concept("p", "zyzzyva").reason == "no page of the wikis is about it"
        # Tried again, only those are asked for.
        wiki.refused = {}
        wiki.pages["Zyzzyva"] = page("Zyzzyva")
        wiki.asked.clear()
        gathering.run("p", concepts=["median"])
        assert wiki.pages_asked() == ["Median"]
        host.settings.cache_dir.rename(tmp_path / "cache-of-searches")
        gathering.run("p", states=("none", "failed"))
        assert set(_states(store).values()) == {"found"}
        assert store.concept("p", "median").reason == ""


def test_a_hit_that_is_no_page_is_passed_over(tmp_path: Path, wiki: SmallWiki) -> None:
    wiki.ghosts = ["Gone"]
    with hosting(tmp_path, wiki, "Mean", "Nowhere") as (host, store):
        host.once(Gathering).run("p")
        assert _states(store) == {"mean": "found", "nowhere": "none"}
    assert "Gone" in wiki.pages_asked()


def test_a_hostile_page_is_one_concepts_failure(tmp_path: Path, wiki: SmallWiki) -> None:
    wiki.pages["Mode"] = page("Mode", extra="<div>" * 5_000)
    with hosting(tmp_path, wiki, "Mean", "Mode") as (host, store):
        host.once(Gathering).run("p")
        assert _states(store) == {"mean": "found", "mode": "failed"}
        assert "too_deep" in store.concept("p", "mode").reason


def test_what_no_database_keeps_fails_no_gathering(tmp_path: Path, wiki: SmallWiki, database: str | None) -> None:
    wiki.pages["Mode"] = page("Mode", extra="<p>\0 and &#0; " + "mode " * 60 + "</p>").replace(
        b"<title>Mode", b"<title>Mode \0" + b"m" * 5_000
    )
    with hosting(tmp_path, wiki, "Mean", "Mode", database=database) as (host, store):
        host.once(Gathering).run("p")
        assert _states(store) == {"mean": "found", "mode": "found"}
        assert all(len(chunk.page_title) <= 300 for chunk in store.sources("p", "mode"))


def test_a_wiki_that_is_away_is_reported_and_the_other_serves(tmp_path: Path, wiki: SmallWiki) -> None:
    with SmallWiki() as other:
        gone = other.url
    options = wiki.options(seconds=2.0)
    options["concept_tutor"]["wikis"]["sites"]["books"] = {"url": gone, "licence": "CC BY-SA 4.0"}
    with open_host(tmp_path, options=options) as host:
        store = host.once(PlanStore)
        store.add(NewPlan("p", "P", (NewConcept("mean", "Mean"), NewConcept("no", "Nowhere"))))
        host.once(Gathering).run("p")
        assert _states(store) == {"mean": "found", "no": "failed"}
        assert store.concept("p", "mean").reason.startswith("books (")


def test_chunks_of_earlier_are_kept_when_nothing_is_found_anew(tmp_path: Path, wiki: SmallWiki) -> None:
    with hosting(tmp_path, wiki, "Nowhere") as (host, store):
        when = store.plan("p").created
        own = NewChunk("seed", "Our page", "", "", "1", "Apache-2.0", when, 1.0, "What we know of it ourselves.")
        before = store.put_sources("p", "nowhere", [own])
        host.once(Gathering).run("p", concepts=["nowhere"])
        assert store.sources("p", "nowhere") == before
        assert (store.concept("p", "nowhere").state, bool(store.concept("p", "nowhere").reason)) == ("found", True)


def test_a_newer_revision_takes_the_place_of_the_older(tmp_path: Path, wiki: SmallWiki) -> None:
    options = wiki.options(fresh_hours=0)
    with open_host(tmp_path, options=options) as host:
        store = host.once(PlanStore)
        store.add(NewPlan("p", "P", (NewConcept("mean", "Mean"),)))
        host.once(Gathering).run("p")
        before = {chunk.section: chunk for chunk in store.sources("p", "mean")}
        wiki.pages["Mean"] = page("Mean", "Use", "Misuse", revision=8)
        host.once(Gathering).run("p", concepts=["mean"])
        after = {chunk.section: chunk for chunk in store.sources("p", "mean")}
        assert (set(before), set(after)) == ({"", "History", "Use"}, {"", "Use", "Misuse"})
        assert {chunk.revision for chunk in after.values()} == {"8"}
        assert after[""].chunk_id == before[""].chunk_id
        assert {row.doc_id for row in corpus_of(host).contents.documents()} == {
            chunk.chunk_id for chunk in after.values()
        }


def test_without_a_contact_no_wiki_but_ones_own_is_asked(tmp_path: Path) -> None:
    with open_host(tmp_path, options={"concept_tutor": {"sample": False}}) as host:
        host.once(PlanStore).add(NewPlan("p", "P", (NewConcept("mean", "Mean"),)))
        for ask in (host.once(Gathering).run, host.once(Gathering).start):
            with pytest.raises(SettingsError, match="contact is not set"):
                ask("p")
        assert _states(host.once(PlanStore)) == {"mean": "waiting"}


def test_a_plan_or_a_concept_that_is_not_there(tmp_path: Path, wiki: SmallWiki) -> None:
    with hosting(tmp_path, wiki, "Mean") as (host, _):
        with pytest.raises(NotFound):
            host.once(Gathering).start("q")
        with pytest.raises(NotFound):
            host.once(Gathering).start("p", concepts=["q"])
        with pytest.raises(NotFound):
            next(host.once(Gathering).follow("q", 1))


# In the background


def test_whoever_watches_sees_every_step_and_the_end(tmp_path: Path, wiki: SmallWiki) -> None:
    gate = threading.Event()
    wiki.before = lambda path: None if "Mean" in path else (gate.wait(HANG), None)[1]
    with hosting(tmp_path, wiki, "Mean", "Median") as (host, store):
        gathering = host.once(Gathering)
        assert gathering.start("p") == 2
        steps: list[tuple[str, str]] = []
        pauses = 0
        for progress in gathering.follow("p", 0.05):
            if progress is None:
                pauses += 1
                if pauses == 2:
                    gate.set()
            else:
                steps.append((progress.name, progress.state))
        assert pauses >= 2
        assert dict(steps) == {"Mean": "found", "Median": "found"}
        # Afterwards the state is reported once.
        assert [each and each.state for each in gathering.follow("p", 1)] == ["found", "found"]
        until(lambda: not gathering.is_busy("p"))
        assert corpus_of(host).info().chunks == store.size("p").chunks


def test_a_plan_that_is_removed_meanwhile_ends_it(tmp_path: Path, wiki: SmallWiki) -> None:
    gate, reached = threading.Event(), threading.Event()

    def hold(path: str) -> None:
        if path.endswith("/html"):
            reached.set()
            gate.wait(HANG)

    wiki.before = hold
    with hosting(tmp_path, wiki, "Mean") as (host, store):
        gathering = host.once(Gathering)
        gathering.start("p")
        assert reached.wait(HANG)
        store.remove("p")
        gate.set()
        until(lambda: not gathering.is_busy("p"))
        assert store.plans() == []


_KILLED = """
import sys
from ragstone.core import Settings, Host
from ragstone.core.testing import TestModels
from ragstone.plugins.concept_tutor import Gathering
from pathlib import Path
folder, url, database = Path(sys.argv[1]), sys.argv[2], sys.argv[3] or None
wikis = {"sites": {"wiki": {"url": url, "licence": "CC BY-SA 4.0"}}, "seconds": 60}
settings = Settings(data_dir=folder / "data", cache_dir=folder / "cache", database=database, index={"store": "none"},
                    plugins={"concept_tutor": {"wikis": wikis, "sample": False}})
with Host(settings, plugins={"test_models": TestModels()}) as host:
    host.start()
    host.once(Gathering).run("p")
"""


def test_what_a_kill_interrupted_goes_on_with_the_next_server(
    tmp_path: Path, wiki: SmallWiki, database: str | None
) -> None:
    with hosting(tmp_path, wiki, *NAMES, database=database):
        pass
    gate = threading.Event()
    held = ("Variance", "Skewness", "Kurtosis")

    def hold(path: str) -> None:
        if path.endswith("/html") and any(name in path for name in held):
            gate.wait(HANG)

    wiki.before = hold
    child = subprocess.Popen([sys.executable, "-c", _KILLED, str(tmp_path), wiki.url, database or ""])
    try:
        with hosting(tmp_path, wiki, database=database) as (_, store):
            # The three that are held have all the places: the kill comes in the midst of them.
            until(lambda: sum(name in wiki.pages_asked() for name in held) == 3 or child.poll() is not None)
            assert child.poll() is None
            done = {key for key, state in _states(store).items() if state == "found"}
            child.send_signal(signal.SIGKILL)
            child.wait(HANG)
            states = _states(store)
            assert {key for key, state in states.items() if state == "found"} >= done
            assert "running" in states.values()
    finally:
        child.kill()
        child.wait()
        gate.set()
    wiki.before = lambda _path: None
    before = len(wiki.asked)
    with hosting(tmp_path, wiki, database=database) as (host, store):
        host.serve()
        gathering = host.once(Gathering)
        until(lambda: not gathering.is_busy("p"))
        assert set(_states(store).values()) == {"found"}
        assert corpus_of(host).info().chunks == store.size("p").chunks
        gathering.close()
    assert done.isdisjoint(name.lower() for name in wiki.pages_asked()[before:])


def test_what_another_process_does_is_reported_as_well(tmp_path: Path, wiki: SmallWiki) -> None:
    gate = threading.Event()
    wiki.before = lambda path: (gate.wait(HANG), None)[1] if path.endswith("/html") else None
    with hosting(tmp_path, wiki, "Mean", "Median") as (host, store):
        child = subprocess.Popen([sys.executable, "-c", _KILLED, str(tmp_path), wiki.url, ""])
        try:
            until(lambda: set(_states(store).values()) == {"running"} or child.poll() is not None)
            steps: dict[str, list[str]] = {}
            for progress in host.once(Gathering).follow("p", 0.1):
                if progress is None:
                    gate.set()
                elif progress.state not in steps.setdefault(progress.concept, []):
                    # one that is running is reported again when the other one is found: the plan's numbers have changed
                    steps[progress.concept].append(progress.state)
            assert steps == {"mean": ["running", "found"], "median": ["running", "found"]}
            assert child.wait(HANG) == 0
        finally:
            child.kill()
            child.wait()


def test_what_ends_while_it_is_looked_at_is_reported(
    tmp_path: Path, wiki: SmallWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hosting(tmp_path, wiki, "Mean") as (host, store):
        there, is_held = Leases(store.tables, 60), Leases.is_held
        assert there.acquire("p", "mean")

        def ends(leases: Leases, slug: str) -> bool:
            there.release("p", "mean", "none", "")
            return is_held(leases, slug)

        monkeypatch.setattr(Leases, "is_held", ends)
        reported = [progress.state for progress in host.once(Gathering).follow("p", 0.1) if progress]
        assert reported[-1:] == ["none"]


def test_what_a_living_process_holds_is_left_to_it_and_taken_when_it_is_gone(
    tmp_path: Path, wiki: SmallWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        hosting(tmp_path, wiki, "Mean") as (_, store),
        subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as other,
    ):
        here = Leases(store.tables, 60)
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: other.pid)
            there = Leases(store.tables, 60)
        assert there.acquire("p", "mean")
        here.request("p", ["mean"])
        assert not here.acquire("p", "mean")
        assert (here.is_held("p"), here.interrupted()) == (True, {})
        other.kill()
        other.wait()
        assert not here.is_held("p")
        here.request("p", ["mean"])
        assert here.interrupted() == {"p": ["mean"]}
        assert here.acquire("p", "mean")
        here.release("p", "mean", "none", "")
        assert (_states(store), here.interrupted()) == ({"mean": "none"}, {})


def test_a_hold_is_lost_when_its_time_is_over(tmp_path: Path, wiki: SmallWiki, monkeypatch: pytest.MonkeyPatch) -> None:
    with hosting(tmp_path, wiki, "Mean") as (_, store):
        with monkeypatch.context() as patch:
            patch.setattr("platform.node", lambda: "another-machine")
            gone = Leases(store.tables, 60)
        here = Leases(store.tables, 60)
        assert gone.acquire("p", "mean")
        assert not here.acquire("p", "mean")
        now = time.time()
        monkeypatch.setattr("time.time", lambda: now + 61)
        assert here.acquire("p", "mean")

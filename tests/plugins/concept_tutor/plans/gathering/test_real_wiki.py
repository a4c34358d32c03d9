"""Sources and plans out of real MediaWikis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import Gathering, NewConcept, NewPlan, PlanStore
from tests.plugins.concept_tutor.material import run
from tests.support.mediawiki import Server

NAMES = (
    *("Albedo", "Altruism", "Astronomer", "Alkane", "Zyzzyva", "Analysis of variance", "Animation", "Algae", "Alchemy"),
    *("Anarchism", "Achilles", "Abraham Lincoln", "Aristotle", "Academy Awards", "Apollo", "Andre Agassi", "Ayn Rand"),
    *("Alabama", "Anthropology", "Agricultural science"),
)


@pytest.fixture
def options(wikipedia: Server, wikibooks: Server) -> dict[str, Any]:
    sites = {
        "wikipedia": {"url": wikipedia.url, "licence": "CC BY-SA 4.0"},
        "wikibooks": {"url": wikibooks.url, "licence": "CC BY-SA 4.0"},
    }
    # A cold MediaWiki renders a long page for many seconds, and does not notice that a try was given up.
    return {"concept_tutor": {"wikis": {"sites": sites, "seconds": 600, "patience": 600}, "sample": False}}


@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.slow)])
def test_sources_for_concepts_with_three_requests_at_once(
    tmp_path: Path, wikipedia: Server, wikibooks: Server, options: dict[str, Any], count: int
) -> None:
    began = len(wikipedia.requests), len(wikibooks.requests)
    with open_host(tmp_path, options=options) as host:
        store = host.once(PlanStore)
        concepts = tuple(NewConcept(name.lower().replace(" ", "-"), name) for name in NAMES[:count])
        store.add(NewPlan("p", "P", concepts))
        host.once(Gathering).run("p")
        states = {one.name: one.state for one in store.concepts("p")}
        assert states.pop("Zyzzyva") == "none"
        assert set(states.values()) == {"found"}
        for key, chunks in store.all_sources("p").items():
            if key == "zyzzyva":
                continue
            assert chunks[0].page_title == store.concept("p", key).name
            assert len({chunk.section for chunk in chunks}) > 1
            assert all(chunk.page_url.startswith(f"{wikipedia.url}/wiki/") for chunk in chunks)
            assert all(chunk.revision.isdigit() and chunk.source == "wikipedia" for chunk in chunks)
    both = sorted(
        [*wikipedia.requests[began[0] :], *wikibooks.requests[began[1] :]],
        key=lambda result: (result[1], result[0] == "begin"),
    )
    now = most = 0
    for what, *_ in both:
        now += 1 if what == "begin" else -1
        most = max(most, now)
    assert most <= 3
    assert len(both) >= 2 * 2 * count


@pytest.mark.parametrize("as_address", [False, True])
def test_a_plan_of_a_pages_outline_and_links(
    tmp_path: Path, wikipedia: Server, options: dict[str, Any], as_address: bool
) -> None:
    address = f"{wikipedia.url}/wiki/Anarchism#History" if as_address else "wikipedia/Anarchism"
    with open_host(tmp_path, options=options) as host:
        run(host, "plan", "add", "--from-page", address, "--most", "6")
        (size,) = host.once(PlanStore).plans()
        assert (size.plan.slug, size.plan.origin) == ("anarchism", f"from {wikipedia.url}/wiki/Anarchism")
        assert host.once(PlanStore).concepts("anarchism")[0].name == "Anarchism"
        assert 2 <= size.concepts <= 6

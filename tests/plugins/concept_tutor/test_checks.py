"""The plugin as a whole: its reader and node parser, its checks, and what a server begins with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from llama_index.core.schema import Document

from ragstone.core import BadRequest, Check, Host, SourceError
from ragstone.core.testing import open_host
from ragstone.plugins.concept_tutor import PlanStore
from tests.plugins.concept_tutor.material import corpus_of
from tests.plugins.concept_tutor.mediawiki.client.wiki_server import Server, stall
from tests.plugins.concept_tutor.plans.gathering.small_wiki import SmallWiki, page

PAGE = "mediawiki:wiki/C++ & more"
#: The sample plan comes alone.
NO_BOOK = {"book_chat": {"sample": False}}


@pytest.fixture
def wiki() -> Iterator[SmallWiki]:
    with SmallWiki({"C++ & more": page("C++ & more", "Use", revision=12)}) as running:
        yield running


def test_a_wikis_page_is_read_by_its_address(tmp_path: Path, wiki: SmallWiki) -> None:
    with open_host(tmp_path, options=wiki.options()) as host:
        reader = host.hooks.readers["mediawiki:"]
        for address in ("mediawiki:wiki/C++ & more", f"{wiki.url}/wiki/C%2B%2B_%26_more?action=x#Use"):
            (document,) = reader.load_data(address, extra_info={"note": "n"})
            known = document.metadata
            assert (known["page_title"], known["revision"], known["note"]) == ("C++ & more", "12", "n")
            assert known["url"] == f"{wiki.url}/wiki/C++_&_more"
            nodes = host.hooks.node_parser("mediawiki").get_nodes_from_documents([document])
            assert [node.metadata["heading"] for node in nodes] == ["", "Use"]
        with pytest.raises(SourceError, match="has no such page"):
            reader.load_data("mediawiki:wiki/Nothing")


@pytest.mark.parametrize("address", ["", "wiki", "wiki/", "file:///etc/passwd", "http://127.0.0.1:1/wiki/X", "x/Y"])
def test_what_is_no_page_of_the_wikis_is_not_asked_for(tmp_path: Path, wiki: SmallWiki, address: str) -> None:
    with open_host(tmp_path, options=wiki.options()) as host, pytest.raises(BadRequest):
        host.hooks.readers["mediawiki:"].load_data(address)
    assert wiki.asked == []


def test_the_checks_report_plans_and_wikis(tmp_path: Path, wiki: SmallWiki) -> None:
    with open_host(tmp_path, options=wiki.options()) as host:
        checks = {check.name: (check.ok, check.detail) for check in host.checks()}
        assert checks["study plans"] == (True, "none yet")
        assert checks["wiki wiki"] == (True, "may be asked")
    with open_host(tmp_path / "other", options=NO_BOOK) as host:
        host.serve()
        checks = {check.name: (check.ok, check.detail) for check in host.checks()}
        assert checks["study plans"] == (True, "1 plan, 22 passages")
        assert "contact is not set" in checks["wiki wikipedia"][1]
    assert wiki.asked == []


def _wiki_check(host: Host, *, thorough: bool = False) -> Check:
    return next(check for check in host.hooks.checks(thorough=thorough) if check.name == "wiki wiki")


def test_a_wiki_that_is_down_is_reported_after_the_first_request(tmp_path: Path, wiki: SmallWiki) -> None:
    with open_host(tmp_path, options=wiki.options(fresh_hours=0)) as host:
        reader = host.hooks.readers["mediawiki:"]
        (before,) = reader.load_data(PAGE)
        with pytest.raises(SourceError, match="has no such page"):
            reader.load_data("mediawiki:wiki/Nothing")
        check = _wiki_check(host)
        assert (check.ok, check.detail[:12]) == (True, "answered at ")
        wiki.refused["C++ & more"] = 403
        with pytest.raises(SourceError, match="does not serve this client"):
            reader.load_data(PAGE)
        assert "does not serve this client (status 403)" in _wiki_check(host).detail
        wiki.__exit__()
        assert reader.load_data(PAGE) == [before]
        check = _wiki_check(host)
        assert (check.ok, check.fatal) == (False, False)
        assert "cannot be reached" in check.detail
        assert check.mend is not None


def test_only_a_thorough_check_asks_the_wiki(tmp_path: Path, wiki: SmallWiki) -> None:
    with open_host(tmp_path, options=wiki.options()) as host:
        assert _wiki_check(host, thorough=True).detail.startswith("answered at ")
        assert len(wiki.asked) == 1
        assert _wiki_check(host).detail.startswith("answered at ")
        assert len(wiki.asked) == 1
    wiki.__exit__()
    with open_host(tmp_path / "other", options=wiki.options()) as host:
        assert _wiki_check(host).detail == "may be asked"
        assert "cannot be reached" in _wiki_check(host, thorough=True).detail
        assert not _wiki_check(host).ok


def test_a_thorough_check_does_not_wait_for_a_wiki_that_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.plugins.concept_tutor.checks._PROBE_SECONDS", 0.3)
    with Server(stall()) as silent:
        sites = {"wiki": {"url": silent.url, "licence": "CC BY-SA 4.0"}}
        with open_host(tmp_path, options={"concept_tutor": {"wikis": {"sites": sites}}}) as host:
            check = _wiki_check(host, thorough=True)
    assert (check.ok, "did not answer within 0.3 s" in check.detail) == (False, True)


def test_what_a_wiki_did_long_ago_is_not_reported(
    tmp_path: Path, wiki: SmallWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_host(tmp_path, options=wiki.options()) as host:
        host.hooks.readers["mediawiki:"].load_data(PAGE)
        monkeypatch.setattr("ragstone.plugins.concept_tutor.mediawiki.client.client._REMEMBERED", timedelta())
        assert _wiki_check(host).detail == "may be asked"


def test_without_the_sample_a_first_start_is_empty(tmp_path: Path, wiki: SmallWiki) -> None:
    with open_host(tmp_path, options=wiki.options()) as host:
        host.serve()
        assert host.once(PlanStore).plans() == []


def test_chunks_that_no_concept_got_before_the_end_are_removed_by_the_next_server(tmp_path: Path) -> None:
    with open_host(tmp_path, options=NO_BOOK) as host:
        host.serve()
        text, metadata = "A passage.", {"plan": "elementary-statistics", "page_title": "Median"}
        corpus_of(host).ingest([Document(id_="c1", text=text, metadata=metadata)])  # and no further
        assert corpus_of(host).info().chunks == 23
    with open_host(tmp_path, options=NO_BOOK) as host:
        host.serve()
        assert corpus_of(host).info().chunks == 22

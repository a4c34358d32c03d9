"""A corpus finds out its own threshold, keeps it, and finds it out again when it has outgrown it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.core import Corpus, Host, Question
from ragstone.core.retrieval import DEFAULT_THRESHOLD, MIN_CALIBRATION_CHUNKS, Calibration, calibration
from ragstone.core.retrieval.calibration import bank
from ragstone.core.retrieval.search_cache import RevisionSearch
from ragstone.core.testing import open_host
from ragstone.plugins.book_chat import Shelf
from tests.support.third_party_fakes import Here, add_book, write_pages


def _add(host: Host, folder: Path, chapters: int) -> Corpus:
    pages = {
        f"{number:03}.md": f"# Part {number}\n\nGear number{number} turns shaft s{number}. It is made of steel.\n"
        for number in range(chapters)
    }
    shelf = add_book(host, write_pages(folder, pages), "Gears")
    return shelf.corpus


def test_the_bank_is_of_distinct_questions() -> None:
    assert len(bank()) == len(set(bank())) == 120
    assert all(question.endswith("?") for question in bank())


def test_a_small_corpus_keeps_the_default(fast_host: Host, tmp_path: Path) -> None:
    info = _add(fast_host, tmp_path / "gears", MIN_CALIBRATION_CHUNKS - 1).info()
    assert (info.threshold, info.calibration) == (DEFAULT_THRESHOLD, None)


def test_what_others_store_meanwhile_makes_no_question_fail(
    fast_host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache of what was counted holds one state of the corpus; here it never has that of the question."""
    _add(fast_host, tmp_path / "gears", 60)
    monkeypatch.setattr(RevisionSearch, "_cached", lambda _self, _key, compute: compute())
    result, enough = fast_host.assistant("book_chat").retrieve_for("What does gear number7 turn?")
    assert enough
    assert result.threshold > 0


def test_a_corpus_calibrates_itself_keeps_the_result_and_finds_it_out_anew_only_when_outgrown(
    fast_host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = _add(fast_host, tmp_path / "gears", 60)
    found = corpus.info().calibration
    assert found is not None
    assert (found.questions, found.chunks) == (120, 60)
    assert found.median <= found.upper_fifth <= found.upper_twentieth
    assert corpus.info().threshold == found.threshold
    result, enough = fast_host.assistant("book_chat").retrieve_for("What does gear number7 turn?")
    assert result.threshold == found.threshold
    assert enough
    with open_host(tmp_path) as again:
        assert Shelf(again).corpus.info().calibration == found
    shown = Here(capsys)("corpus", "check", "books").out
    assert f"refuses below: {found.threshold} (120 out-of-domain questions over 60 chunks" in shown
    _add(fast_host, tmp_path / "gears", 65)
    assert corpus.info().calibration == found
    _add(fast_host, tmp_path / "gears", 90)
    assert (anew := corpus.info().calibration)
    assert anew.chunks == 90
    monkeypatch.setattr(calibration, "bank_id", lambda: "another")
    corpus.ingest([])
    assert (asked := corpus.info().calibration)
    assert asked.bank == "another"
    corpus.rebuild()
    assert (rebuilt := corpus.info().calibration)
    assert (rebuilt.chunks, rebuilt.bank) == (90, "another")


def test_the_deployments_number_wins(tmp_path: Path) -> None:
    with open_host(tmp_path, retrieval={"threshold": 0.5}) as host:
        assert _add(host, tmp_path / "gears", 60).info().threshold == 0.5


@pytest.mark.parametrize(
    ("upper_fifth", "upper_twentieth", "threshold"),
    [(0.3, 0.45, DEFAULT_THRESHOLD), (0.7, 0.86, 0.86), (0.6, 1.0, 0.85), (1.0, 1.3, 1.1)],
    ids=["of one subject", "of many", "the bank is partly in domain", "an encyclopedia"],
)
def test_the_threshold_is_made_of_the_stored_quantiles(
    fast_host: Host, tmp_path: Path, upper_fifth: float, upper_twentieth: float, threshold: float
) -> None:
    corpus = _add(fast_host, tmp_path / "gears", 1)
    with fast_host.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
    # As an earlier version has stored it, whose lowest threshold was another one.
    stored = Calibration(0.85, 0.2, upper_fifth, upper_twentieth, 120, 60, "a bank")
    fast_host.catalog.set_calibration(row.id, stored.to_dict())
    assert corpus.info().threshold == threshold


def test_a_small_selection_is_refused_less_than_the_whole_corpus(fast_host: Host, tmp_path: Path) -> None:
    corpus = _add(fast_host, tmp_path / "gears", 400)
    for title, parts in (("Winch", 2), ("Cranes", 141)):
        pages = {f"{n:03}.md": f"# Rope {n}\n\nRope r{n} is of steel.\n" for n in range(parts)}
        add_book(fast_host, write_pages(tmp_path / title, pages), title)
    with fast_host.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
    stored = Calibration(0.95, 0.2, 0.9, 0.95, 120, 400, calibration.bank_id())
    fast_host.catalog.set_calibration(row.id, stored.to_dict())

    def threshold(**filters: str) -> float:
        return fast_host.assistant("book_chat").retrieve_for(Question("What turns?", filters=filters))[0].threshold

    assert threshold() == threshold(book="gears") == 0.95
    assert threshold(book="winch") == DEFAULT_THRESHOLD
    # 141 is half as much above 50 as 400 is, in logarithms.
    assert threshold(book="cranes") == pytest.approx((0.95 + DEFAULT_THRESHOLD) / 2, abs=0.002)

"""NFR-2: the same question has the same answer, with the extractive default and with a language model."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import column, func, select, text, update

from ragstone.core import Host, LLMError, Question
from ragstone.core.answering import answer_cache
from ragstone.core.catalog import PluginTables
from ragstone.core.testing import ScriptedLLM, open_host
from tests.support.patience import without_hanging
from tests.support.third_party_fakes import add_book

Opened = Callable[..., AbstractContextManager[Host]]

QUESTION = "What is a caster?"
SAID = "A caster is a wheel that swivels about a vertical axis [1]."
OTHERWISE = "Casters bear load but give no traction [1]."
ANSWERS = answer_cache._answer


@pytest.fixture
def llm() -> ScriptedLLM:
    return ScriptedLLM()


@pytest.fixture
def opened(tmp_path: Path, small_book: Path, llm: ScriptedLLM, database: str | None) -> Opened:
    from contextlib import contextmanager

    @contextmanager
    def opened(**settings: Any) -> Iterator[Host]:
        with open_host(tmp_path, llm=llm, **{"remember": True, "database": database, **settings}) as host:
            add_book(host, small_book)
            yield host

    return opened


def _ask(host: Host, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    result = host.assistant("book_chat").ask(Question(question, **more)).to_dict()
    del result["timings_ms"]
    return result


def _tables(host: Host) -> PluginTables:
    return host.catalog.tables("ragstone", answer_cache._metadata)


def test_nfr_2_twenty_times_the_same_without_a_model(tmp_path: Path, small_book: Path) -> None:
    with open_host(tmp_path) as host:
        add_book(host, small_book)
        first = _ask(host)
        assert all(_ask(host) == first for _ in range(19))


def test_nfr_2_twenty_times_the_same_with_a_model_that_is_asked_once(opened: Opened, llm: ScriptedLLM) -> None:
    llm.enqueue(f"{SAID} Casters cost \ud800 900 euros [1].")
    with opened() as host:
        first = _ask(host)
        assert first["dropped"]
        assert all(_ask(host) == first for _ in range(19))
    asked = len(llm.prompts)
    with opened() as host:  # also after a restart
        assert _ask(host) == first
    assert len(llm.prompts) == asked


def test_it_can_be_turned_off(opened: Opened, llm: ScriptedLLM) -> None:
    llm.enqueue(SAID, OTHERWISE)
    with opened(remember=False) as host:
        assert _ask(host)["answer"] != _ask(host)["answer"]


def test_other_chunks_another_prompt_another_question_are_asked_anew(
    opened: Opened, llm: ScriptedLLM, small_book: Path
) -> None:
    llm.enqueue(*[SAID] * 4)
    with opened() as host:
        _ask(host)
        _ask(host, top_k=1)
        _ask(host, "What is a caster wheel?")
    with opened(prompts={"book_chat/answer": "{context_str} ? {query_str}"}) as host:
        _ask(host)
    assert len(llm.prompts) == 4


def test_an_answer_that_did_not_come_to_its_end_is_not_remembered(opened: Opened, llm: ScriptedLLM) -> None:
    with opened() as host:
        with pytest.raises(LLMError):
            llm.enqueue(RuntimeError("gone"))
            _ask(host)
        llm.enqueue(SAID)
        assert _ask(host)["answer"].startswith("A caster is a wheel")


@pytest.mark.parametrize(
    "damage",
    [
        {"content": ""},
        {"content": '{"sentences": 1}'},
        {"content": func.replace(column("content"), "swivels", "shivers")},
        {"checksum": ""},
    ],
)
def test_a_damaged_row_is_asked_anew(opened: Opened, llm: ScriptedLLM, damage: dict[str, Any]) -> None:
    llm.enqueue(SAID, SAID)
    with opened() as host:
        first = _ask(host)
        with _tables(host).write() as connection:
            assert connection.execute(update(ANSWERS).values(damage)).rowcount == 1
        assert _ask(host) == first
        assert _ask(host) == first
    assert len(llm.prompts) == 2


def test_bytes_that_are_no_text_are_asked_anew(tmp_path: Path, small_book: Path, llm: ScriptedLLM) -> None:
    llm.enqueue(SAID, SAID)
    with open_host(tmp_path, llm=llm, remember=True) as host:
        add_book(host, small_book)
        first = _ask(host)
        with _tables(host).write() as connection:
            connection.execute(text("UPDATE ragstone_answer SET content = CAST(x'fffe' AS TEXT)"))
        assert _ask(host) == first
        assert _ask(host) == first
    assert len(llm.prompts) == 2


def test_of_more_than_may_be_kept_the_oldest_go(
    opened: Opened, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_cache, "_MOST", 2)
    llm.enqueue(*[SAID] * 4)
    with opened() as host:
        for top_k in (1, 2, 3, 3, 2):
            _ask(host, top_k=top_k)
        assert len(llm.prompts) == 3
        _ask(host, top_k=1)
        with _tables(host).read() as connection:
            assert connection.execute(select(func.count()).select_from(ANSWERS)).scalar() == 2
    assert len(llm.prompts) == 4


def test_a_storage_that_another_process_holds_costs_no_answer(
    tmp_path: Path, small_book: Path, llm: ScriptedLLM
) -> None:
    llm.enqueue(SAID, OTHERWISE)
    with open_host(tmp_path, llm=llm, remember=True) as host:
        add_book(host, small_book)
        _ask(host, top_k=1)
        with closing(sqlite3.connect(tmp_path / "data" / "catalog.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with without_hanging():
                assert _ask(host)["answer"].startswith("Casters bear load")


def test_a_table_of_a_newer_version_costs_no_answer(opened: Opened, llm: ScriptedLLM) -> None:
    llm.enqueue(SAID, SAID)
    with opened() as host:
        host.catalog.tables("ragstone", answer_cache._metadata, version=2, upgrades={1: lambda _: None})
        assert _ask(host) == _ask(host)
    assert len(llm.prompts) == 2


def test_the_folder_of_an_earlier_version_is_left_alone(opened: Opened, llm: ScriptedLLM, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "answers"
    folder.mkdir(parents=True)
    (folder / f"{'0' * 64}.json").write_text("{}", "utf-8")
    llm.enqueue(SAID)
    with opened() as host:
        assert _ask(host) == _ask(host)
    assert [path.name for path in folder.iterdir()] == [f"{'0' * 64}.json"]

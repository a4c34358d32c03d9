"""The host: opening, closing, finding, and being used by several threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.schema import Document

from ragstone.core import (
    Answer,
    Check,
    EncoderError,
    EncoderSettings,
    Host,
    NotFound,
    PluginError,
    Settings,
    SettingsError,
    StorageDenied,
    hookimpl,
)
from ragstone.core.hooks.encoder import Encoders
from ragstone.core.testing import SmallCorpus, TestModels, WordEmbedding, fill_small_corpus, open_host
from tests.support.third_party_fakes import WithModel, add_book


class Notes:
    @hookimpl
    def ragstone_node_parsers(self) -> dict[str, NodeParser]:
        return {"note": SentenceSplitter(chunk_size=100, chunk_overlap=0)}


def test_open_reads_the_settings_and_opens_the_catalog(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[retrieval]\ncandidates = 7\n", "utf-8")
    with Host.open(tmp_path / "mine.toml", plugins={"notes": Notes()}) as host:
        assert host.settings.retrieval.candidates == 7
        assert (tmp_path / "data" / "catalog.sqlite").is_file()
        assert "notes" in [state.name for state in host.plugins]


def test_what_is_made_once_for_a_host_is_of_that_host(tmp_path: Path) -> None:
    made: list[Host] = []

    def thing(host: Host) -> list[Host]:
        made.append(host)
        return [host]

    with open_host(tmp_path / "one") as one, open_host(tmp_path / "other") as other:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(one.once, [thing] * 50))
        assert all(each is found[0] for each in found)
        assert other.once(thing) == [other]
    assert made == [one, other]


def test_open_with_wrong_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        Host.open(tmp_path / "nowhere.toml")
    assert not (tmp_path / "data").exists()


def test_open_where_no_folder_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "file" / "data"))
    with pytest.raises(StorageDenied, match="the data folder cannot be used: a file is in its place"):
        Host.open()


def test_the_plugins_are_known_before_anything_is_opened(tmp_path: Path) -> None:
    host = Host(Settings(data_dir=tmp_path / "data"))
    assert "book_chat" in [state.name for state in host.plugins]
    host.close()
    assert not (tmp_path / "data").exists()


def test_what_has_an_end_is_ended_with_the_host_the_latest_first(tmp_path: Path) -> None:
    ended: list[str] = []

    class Line:
        def __init__(self, host: Host) -> None:
            pass

        def close(self) -> None:
            ended.append("line")

    class Broken(Line):
        def close(self) -> None:
            raise OSError("already gone")

    class Last(Line):
        def close(self) -> None:
            ended.append("last")

    with open_host(tmp_path) as host:
        for make in (Line, Line, Broken, Last, id):
            host.once(make)
        assert not ended
    assert ended == ["last", "line"]


def test_a_host_may_be_opened_and_closed_more_than_once(tmp_path: Path) -> None:
    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"test_models": TestModels()})
    for _ in range(2):
        host.start()
        host.start()
        assert host.corpora() == ()
        host.close()
        host.close()


def test_an_empty_deployment(fast_host: Host) -> None:
    assert fast_host.corpora() == ()
    assert {"book_chat", "wiki_edge"} <= fast_host.hooks.assistants.keys()
    with pytest.raises(NotFound, match="the corpus 'books' is empty"):
        fast_host.assistant("book_chat").ask("What is a caster?")
    checks = {check.name: check for check in fast_host.checks()}
    assert checks["encoder"].ok
    assert checks["catalog"].ok
    assert (checks["books"].ok, checks["books"].mend) == (True, "ragstone book add PATH")


def test_an_unknown_assistant_or_corpus_names_those_that_there_are(fast_host: Host) -> None:
    with pytest.raises(NotFound, match=r"there is no assistant 'wiki' \(known: book_chat, .*wiki_edge\)"):
        fast_host.assistant("wiki")
    with pytest.raises(NotFound, match=r"there is no corpus 'wiki' \(known: books, .*wiki_edge\)"):
        fast_host.find_corpus("wiki")


def test_without_assistants_it_says_where_to_look(tmp_path: Path) -> None:
    with (
        open_host(tmp_path, options={"enabled": ["test_models"]}) as host,
        pytest.raises(NotFound, match="none; see ragstone plugins"),
    ):
        host.assistant("book_chat")


def test_a_corpus_is_one_object(fast_host: Host) -> None:
    assert fast_host.corpus("books", kind="book") is fast_host.corpus("books", kind="book")
    assert fast_host.find_corpus("books") is fast_host.corpus("books", kind="book")


def test_corpora_tells_sizes_and_state(fast_host: Host, small_book: Path) -> None:
    add_book(fast_host, small_book)
    (info,) = fast_host.corpora()
    assert (info.name, info.documents, info.chunks, info.stale, info.building) == ("books", 2, 4, None, False)
    assert info.fingerprint["encoder"] == fast_host.hooks.encoder.fingerprint


def test_a_missing_encoder_is_fatal_to_health_but_not_to_the_host(tmp_path: Path) -> None:
    named: dict[str, Any] = {"data_dir": tmp_path / "data", "encoder": {"folder": tmp_path / "nowhere"}}
    with Host(Settings(**named)) as host:
        host.start()
        check = next(check for check in host.checks() if check.name == "encoder")
        assert (check.ok, check.fatal) == (False, True)
        with pytest.raises(EncoderError):
            _ = host.hooks.encoder


def test_disable_takes_a_plugin_out(tmp_path: Path) -> None:
    with open_host(tmp_path) as host:
        host.plugins.disable("book_chat", "its pages could not be mounted")
        state = next(state for state in host.plugins if state.name == "book_chat")
        assert (state.state, state.reason) == ("failed", "its pages could not be mounted")
        assert "book_chat" not in host.hooks.assistants
        assert "wiki_edge" in host.hooks.assistants


def test_another_encoder_rebuilds_the_corpus_when_it_is_next_filled(tmp_path: Path, small_book: Path) -> None:
    class Renamed(WordEmbedding):
        model_name: str = "other-words"

    with open_host(tmp_path) as host:
        add_book(host, small_book)
    order = {"enabled": ["other", "book_chat"]}
    with open_host(tmp_path, plugins={"other": WithModel(Renamed())}, options=order) as host:
        (info,) = host.corpora()
        assert info.stale is not None
        assert "other-words" in info.stale
        # By its words alone, for the vectors are another model's: never wrong, never wiped.
        assert host.assistant("book_chat").ask("What is a caster wheel?").text.startswith("A caster is a wheel")
        host.corpus("books", kind="book").ingest([])
        assert host.corpora()[0].stale is None
        assert host.corpora()[0].chunks == info.chunks


def test_many_threads_ask_at_once(fast_host: Host, small_book: Path) -> None:
    add_book(fast_host, small_book)

    def ask(_number: int) -> Answer:
        return fast_host.assistant("book_chat").ask("What is a caster wheel?")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(32)))
    assert {answer.text for answer in answers} == {answers[0].text}


def test_what_costs_time_is_made_once_for_all_threads(tmp_path: Path) -> None:
    made: list[int] = []

    class Counting:
        @hookimpl
        def ragstone_embed_model(self, settings: EncoderSettings) -> BaseEmbedding:
            made.append(1)
            return WordEmbedding()

    host = Host(Settings(data_dir=tmp_path / "data"), plugins={"counting": Counting()})
    with ThreadPoolExecutor(8) as pool:
        encoders = list(pool.map(lambda _: host.hooks.encoder, range(8)))
    host.close()
    assert made == [1]
    assert len(set(map(id, encoders))) == 1


_TWO_THREADS = """
import os, sys, threading, time
from pathlib import Path
from ragstone.core import hookimpl
from ragstone.core.testing import open_host

entered = threading.Event()

class Mine:
    @hookimpl
    def ragstone_assistants(self, host):
        entered.set()
        time.sleep(0.3)  # another thread asks for the encoder now
        host.hooks.encoder
        return []

with open_host(Path(sys.argv[1]), plugins={"mine": Mine()}) as host:
    threads = [
        threading.Thread(target=lambda: host.hooks.assistants, daemon=True),
        threading.Thread(target=lambda: (entered.wait(), host.hooks.encoder), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    os._exit(1 if any(thread.is_alive() for thread in threads) else 0)
"""


def test_two_threads_that_open_the_assistants_and_the_encoder_do_not_wait_for_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TWO_THREADS, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


def test_the_first_document_of_a_corpus_of_ones_own(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"notes": Notes()}) as host:
        corpus = host.corpus("notes", kind="note")
        assert not corpus.contents.exists
        assert host.corpora() == ()
        corpus.ingest([Document(id_="one", text="A nut holds a bolt.")])
        assert [info.name for info in host.corpora()] == ["notes"]


def test_the_kit_keeps_to_its_folder_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody's test of a plugin may write among the books of whoever runs it."""
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "precious"))
    with open_host(tmp_path / "kit") as host:
        assert host.settings.data_dir == tmp_path / "kit" / "data"
    assert not (tmp_path / "precious").exists()


def test_a_corpus_has_one_kind(tmp_path: Path) -> None:
    with open_host(tmp_path, plugins={"notes": Notes()}) as host:
        corpus = host.corpus("notes", kind="note")
        assert host.corpus("notes", kind="note") is corpus
        with pytest.raises(PluginError, match="'notes' is of the kind 'note' and cannot be of 'book' too"):
            host.corpus("notes", kind="book")


def _overwrite(file: Path) -> None:
    file.write_bytes(b"\x5a" * file.stat().st_size)


def _overwrite_all_but_the_beginning(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(8192)
        opened.write(b"\x5a" * (size - 8192))


def _replace(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(file.read_bytes())
    other.replace(file)


@pytest.mark.parametrize("damage", [_overwrite, _overwrite_all_but_the_beginning, _replace, Path.unlink])
def test_a_catalog_that_is_damaged_while_it_is_open_is_not_well(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    with open_host(tmp_path, plugins={"small_corpus": SmallCorpus()}) as host:
        fill_small_corpus(host)
    with open_host(tmp_path, plugins={"small_corpus": SmallCorpus()}) as host:
        assert _check(host, "catalog").ok
        damage(tmp_path / "data" / "catalog.sqlite")
        check = _check(host, "catalog")
        assert (check.ok, check.fatal) == (False, True)
        assert check.detail.startswith("is not a readable database")


def _check(host: Host, name: str) -> Check:
    return next(check for check in host.checks() if check.name == name)


def test_an_encoder_of_a_corpus_that_holds_nothing_is_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_encoders: Encoders) -> NoReturn:
        raise EncoderError("there is no model in int8")

    monkeypatch.setattr(Encoders, "int8_encoder", property(missing))
    with open_host(tmp_path, plugins={"small": SmallCorpus()}) as host:
        assert not host.corpus("memory", kind="memory", precision="int8").contents.exists
        fill_small_corpus(host)
        assert host.pipeline.encoders() == (host.hooks.encoder,)
        assert [check.ok for check in host.checks() if check.name == "encoder"] == [True]

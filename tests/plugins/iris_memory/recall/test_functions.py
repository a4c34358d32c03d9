"""What an agent calls: it finds the memory, is never harmed by its absence, and may be called from anywhere."""

from __future__ import annotations

import inspect
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields as fields_of
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.core import BadRequest, Host
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import (
    MemoryChunk,
    format_for_prompt,
    query_memory,
    update_memory_for_file,
    working_memory_for_email,
)
from tests.plugins.iris_memory.recall.strict_block import read
from tests.plugins.iris_memory.stored_files import NOW, File, mail, store
from tests.support.patience import HANG

SHOP = "Shop <shop@tyres.example>"
FILES = (
    File("notes/tyres.md", "Rubber tyres grip wet concrete better than nylon tyres."),
    File("notes/gripper.md", "The parallel gripper closes two jaws along one line.", days=400),
    File("prompts/etiquette.md", "Reply to every mail in the session in which it arrives.", "prompt"),
    File("logs/session.md", "Changed the tyres of the robot and wrote a report.", "log", days=3),
    mail("docs/emails/1.txt", "Can you order new rubber tyres?", 2, "Joshua Öz <j@oz.org>", "iris@home.org", "Tyres"),
    mail("docs/emails/2.txt", "They are on their way.", 1, SHOP, "Iris <iris@home.org>", "Your order of rubber tyres"),
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("memory")) as opened:
        store(opened, *FILES)
        yield opened


def paths(chunks: list[MemoryChunk]) -> list[str]:
    return [chunk.path for chunk in chunks]


# The specification's signatures


def test_the_signatures_begin_as_specified() -> None:
    parameters = list(inspect.signature(query_memory).parameters.values())
    assert [(each.name, each.default) for each in parameters[:4]] == [
        ("query_text", inspect.Parameter.empty),
        ("n_results", 5),
        ("doc_types", None),
        ("min_relevance", 0.3),
    ]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters[4:])
    assert next(iter(inspect.signature(format_for_prompt).parameters)) == "chunks"
    assert list(inspect.signature(working_memory_for_email).parameters)[:2] == ["subject", "body"]
    assert [each.name for each in fields_of(MemoryChunk)][:5] == ["text", "path", "section", "doc_type", "relevance"]


def test_what_is_near_comes_first_with_its_cosine(host: Host) -> None:
    found = query_memory("Which tyres grip wet concrete?", host=host)
    assert found[0].text == FILES[0].text
    assert found[0].path == "notes/tyres.md"
    assert 0.3 <= found[0].relevance <= 1
    assert found[0].lines == (1, 1)
    assert len(found[0].chunk_id) == 16
    assert found[0].date is not None
    assert abs(found[0].date - NOW) < timedelta(seconds=2)
    assert all(chunk.relevance >= 0.3 for chunk in found)


def test_so_many_and_no_more(host: Host) -> None:
    assert len(query_memory("tyres", 2, host=host, min_relevance=-1)) == 2
    assert query_memory("tyres", min_relevance=0.99, host=host) == []


def test_only_these_types(host: Host) -> None:
    found = query_memory("tyres", doc_types=["log", "prompt"], min_relevance=-1, host=host)
    assert {chunk.doc_type for chunk in found} <= {"log", "prompt"}
    assert "logs/session.md" in paths(found)


def test_who_asked_what_of_whom(host: Host) -> None:
    def asked(**narrowed: Any) -> list[str]:
        return sorted(paths(query_memory("rubber tyres", min_relevance=-1, host=host, **narrowed)))

    assert asked(sender="joshua") == ["docs/emails/1.txt"]
    assert asked(sender="ÖZ") == ["docs/emails/1.txt"]
    assert asked(sender="shop@TYRES") == ["docs/emails/2.txt"]
    assert asked(recipient="iris") == ["docs/emails/1.txt", "docs/emails/2.txt"]
    assert asked(subject="order") == ["docs/emails/2.txt"]
    assert asked(sender="nobody") == []
    assert asked(since=NOW - timedelta(days=2.5), doc_types=["email", "log"]) == [
        "docs/emails/1.txt",
        "docs/emails/2.txt",
    ]
    assert asked(until=NOW - timedelta(days=2.5), doc_types=["email", "log"]) == ["logs/session.md"]
    first = query_memory("rubber tyres", sender="joshua", host=host)[0]
    assert (first.sender, first.recipients, first.section) == ("Joshua Öz <j@oz.org>", "iris@home.org", "Tyres")


def test_a_mail_gets_its_block(host: Host) -> None:
    entries = read(
        working_memory_for_email("New tyres", f"Which rubber tyres?{' and the' * 25} parallel gripper jaws", host=host)
    )
    assert "docs/emails/1.txt" in [entry.path for entry in entries]
    assert "notes/gripper.md" not in [entry.path for entry in entries], "only 200 characters of the body are read"


def test_the_budget_is_counted_as_the_encoder_does(host: Host) -> None:
    chunks = [MemoryChunk("word " * 3000, "a.md", "", "note", 0.5)]
    assert host.hooks.encoder.count_tokens(format_for_prompt(chunks, host=host, max_tokens=400)) <= 400
    assert 400 < host.hooks.encoder.count_tokens(format_for_prompt(chunks, host=host)) <= 3000


# Which host


def test_the_first_host_that_is_still_open_is_asked(host: Host, tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from ragstone.core.testing import open_host

with open_host(Path(sys.argv[1])) as host, open_host(Path(sys.argv[2])) as empty:
    print([chunk.path for chunk in query_memory("wet concrete")])
    print(working_memory_for_email("wet concrete", ""))
    host.close()
    print(query_memory("wet concrete"))
"""
    output = python(code, str(host.settings.data_dir.parent), str(tmp_path))
    assert output.startswith("['notes/tyres.md']\n<working_memory>\n")
    assert "[Source: notes/tyres.md |" in output
    assert output.endswith("\n[]\n")


CHILD = """
import logging, os, sys
logging.basicConfig(level=logging.WARNING, format="LOG %(message)s", stream=sys.stdout)
from ragstone.plugins.iris_memory import query_memory, working_memory_for_email
"""


def python(code: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CHILD + code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_an_index_there_is_an_empty_block_and_a_reason(tmp_path: Path) -> None:
    output = python("print(repr(working_memory_for_email('a', 'b')), query_memory('a'))", RAGSTONE_INDEX__STORE="none")
    assert "'<working_memory>\\n</working_memory>' []" in output
    assert "LOG nothing is recalled:" in output
    assert "ragstone memory update" in output


def test_settings_that_are_wrong_are_a_reason_too(tmp_path: Path) -> None:
    output = python("print(query_memory('a'))", RAGSTONE_CONFIG=str(tmp_path / "none.toml"))
    assert "[]" in output
    assert "none.toml" in output


def test_whoever_opens_a_host_is_found_by_the_functions() -> None:
    code = """
from ragstone.core import Host
from ragstone.core.host import first_host, open_hosts
with Host.open() as host:
    print('same', first_host('iris_memory') is host)
    print(query_memory('a'))
print('left', open_hosts('iris_memory'))
with first_host('iris_memory') as own:
    print('own', open_hosts('iris_memory') == (own,))
print('closed', open_hosts('iris_memory'))
print('another', first_host('iris_memory') is not own, query_memory('a'))
"""
    output = python(code)
    assert "same True" in output
    assert "left ()" in output
    assert "own True" in output
    assert "closed ()" in output
    assert "another True []" in output


def test_a_fork_neither_hangs_nor_raises() -> None:
    code = """
print(query_memory('a'))
child = os.fork()
if child == 0:
    print('child', query_memory('a'), flush=True)
    os._exit(7)
print('ended', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), query_memory('a'))
"""
    output = python(code)
    assert "child []" in output
    assert "fork first and open then" in output
    assert "ended 7 []" in output


def test_a_fork_of_a_process_with_a_host_of_somebody_else_opens_none() -> None:
    code = """
from ragstone.core import Host
with Host.open():
    child = os.fork()
    if child == 0:
        print('child', query_memory('a'), flush=True)
        os._exit(7)
    print('ended', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    output = python(code)
    assert "child []" in output
    assert "fork first and open then" in output
    assert "ended 7" in output


def test_a_fork_before_the_first_question_has_a_memory_of_its_own() -> None:
    code = """
child = os.fork()
if child == 0:
    print('child', query_memory('a'), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    output = python(code)
    assert "child []" in output
    assert "fork" not in output


# At once


def test_a_question_brings_nothing_of_other_plugins_along(tmp_path: Path) -> None:
    """What a first answer imports it waits for, and it stays in memory."""
    with open_host(tmp_path) as opened:
        store(opened, *FILES)
    code = """
import sys
from pathlib import Path
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import query_memory

with open_host(Path(sys.argv[1])) as host:
    before = set(sys.modules)
    assert query_memory("rubber tyres", host=host)
    print(*sorted(set(sys.modules) - before))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=HANG, check=True
    )
    others = [name for name in ran.stdout.split() if not name.startswith("ragstone.plugins.iris_memory")]
    brought = [name for name in others if name.startswith("ragstone.plugins.") or name == "markdown_it"]
    assert brought == ["ragstone.plugins.concept_tutor.plans"], "the names of its corpora, and no more"


def test_many_threads_ask_at_once(host: Host) -> None:
    questions = [
        "Which tyres grip wet concrete?",
        "How does the parallel gripper close its jaws?",
        "Reply to every mail",
    ]
    expected = [paths(query_memory(question, host=host)) for question in questions]
    started = threading.Barrier(8)

    def ask(number: int) -> None:
        started.wait()
        for question, wanted in list(zip(questions, expected, strict=True))[number % 3 :]:
            found = query_memory(question, host=host)
            assert paths(found) == wanted
            assert [entry.path for entry in read(format_for_prompt(found, host=host))] == wanted

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(ask, range(8)))) == 8


# Bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda host: query_memory("a", 0, host=host), "n_results must be from 1 to 100, not 0"),
        (lambda host: query_memory("a", 101, host=host), "n_results must be from 1 to 100, not 101"),
        (
            lambda host: query_memory("a", doc_types=["mail"], host=host),
            "there is no document type 'mail' (known: prompt",
        ),
        (lambda host: query_memory("a", doc_types="note", host=host), "doc_types must be a list"),
        (lambda host: query_memory("a", min_relevance=2, host=host), "min_relevance must be a cosine"),
        (lambda host: query_memory("a", min_relevance=float("nan"), host=host), "min_relevance must be a cosine"),
        (lambda host: query_memory("a", sender=" ", host=host), "the sender must have 1 to 200 characters"),
    ],
)
def test_what_cannot_be_meant_is_reported(call: Callable[[Host], Any], message: str, host: Host) -> None:
    with pytest.raises(BadRequest) as raised:
        call(host)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\x00", "\ud800\udfff", "\u200b", "\x00wet\ud800 concrete\x1b[2J", "?!", "wet concrete " * 80_000],
)
def test_hostile_queries_harm_nobody(text: str, host: Host, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = query_memory(text, host=host)
        block = working_memory_for_email(text, text, host=host)
    assert (paths(found) == ["notes/tyres.md"]) == ("wet" in text)
    assert bool(read(block)) == ("wet" in text)
    if not text.strip():
        assert "the query is empty" in caplog.text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters(codec=None), max_size=60), part=st.text(min_size=1, max_size=10))
def test_no_query_raises(text: str, part: str, host: Host) -> None:
    query_memory(text, host=host)
    read(working_memory_for_email(text, part, host=host))
    if part.strip():
        query_memory(text, sender=part, recipient=part, subject=part, host=host)


# One file


def test_one_file_is_remembered_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "home"
    (root / "notes").mkdir(parents=True)
    with open_host(tmp_path, options={"iris_memory": {"root": str(root)}}) as own:

        def result(path: Path | str, text: str | None) -> list[str]:
            place = root / "notes" / "lid.md"
            place.unlink(missing_ok=True) if text is None else place.write_text(text, "utf-8")
            assert update_memory_for_file(path, host=own)
            return [chunk.text.strip() for chunk in query_memory("the lid", min_relevance=-1, host=own)]

        assert result(root / "notes" / "lid.md", "The lid is red.") == ["The lid is red."]
        assert result("notes/lid.md", "The lid is green.") == ["The lid is green."], "from the root"
        monkeypatch.chdir(root / "notes")
        assert result("lid.md", "The lid is blue.") == ["The lid is blue."], "from the working folder"
        assert result("lid.md", None) == []
        with caplog.at_level(logging.WARNING):
            for hostile in ("../../elsewhere.md", "/etc/passwd", "a\x00b", "\ud800", ""):
                assert update_memory_for_file(hostile, host=own) in {True, False}
    assert "/etc/passwd is not remembered" in caplog.text

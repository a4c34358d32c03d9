"""``ragstone memory query``: for people, for programs, for a prompt, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragstone.core import BadRequest, Host, NotFound, Question
from ragstone.core.testing import open_host
from tests.plugins.iris_memory.recall.strict_block import read
from tests.plugins.iris_memory.stored_files import File, mail, store
from tests.support.commands import run

SENTENCE = (
    "The pump of the left tank must be primed before every start, or its seal runs dry and breaks within minutes."
)
FILES = (
    File("notes/pump.md", f"{SENTENCE} Use the grey handle.", days=1),
    File("notes/pump-old.md", f"{SENTENCE} Use the red handle.", days=300),
    File("notes/seven.md", "The seven valves.\n" + "line\n" * 6),
    File("notes/tank.md", "The left tank holds forty litres."),
    File("logs/day.md", "Primed the pump.\n\nIts seal was dry.\n" + "More.\n" * 8, "log", days=5),
    mail("mail/1.eml", "Who primed the pump?\x1b[31m", 2, "Ana <ana@home.org>", "iris@home.org", "The pump"),
    mail("mail/2.eml", "The pump is primed.", 90, "Iris <iris@home.org>", "ana@home.org", "Re: The pump"),
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("memory")) as opened:
        store(opened, *FILES)
        yield opened


def asked(host: Host, *arguments: str) -> str:
    return run(host, "memory", "query", *arguments)


def results(host: Host, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(asked(host, *arguments, "--format", "json"))["results"]
    return found


def test_people_see_where_it_stands_and_how_it_begins(host: Host) -> None:
    message = asked(host, "prime the pump before its start", "-k", "3")
    assert "1. notes/pump.md:1\n" in message
    assert f"   | {SENTENCE} Use the grey handle."[:110] in message
    assert "relevance 0." in message
    assert "pump-old" not in message
    assert "mail/2.eml" not in message
    assert "4. " not in message


def test_a_long_chunk_is_begun_and_a_mail_names_its_people(host: Host) -> None:
    message = asked(host, "primed the pump, dry seal", "--min-relevance", "-1")
    assert "logs/day.md:1-11" in message
    assert "… 4 more lines" in message
    assert "… 1 more line\n" in asked(host, "the seven valves", "--min-relevance", "-1")
    assert "from Ana <ana@home.org>  to iris@home.org  The pump" in message
    assert "\x1b" not in message


def test_a_newer_note_takes_the_place_of_one_that_says_the_same(host: Host) -> None:
    def paths(*more: str) -> list[str]:
        return [each["path"] for each in results(host, SENTENCE, "--type", "note", *more)]

    assert paths()[0] == "notes/pump.md"
    assert "notes/pump-old.md" not in paths()
    assert set(paths("--older")[:2]) == {"notes/pump.md", "notes/pump-old.md"}


def test_programs_get_every_field(host: Host) -> None:
    first = results(host, "who primed the pump", "--from", "ana", "--since", "30d")[0]
    assert first.keys() == {
        "text", "path", "section", "doc_type", "relevance", "lines", "chunk_id", "date", "sender", "recipients",
        "speaker", "valid_from", "valid_until",
    }  # fmt: skip
    assert first["path"] == "mail/1.eml"
    assert first["lines"] == [1, 5]


def test_why_tells_the_sides_and_what_was_left_out(host: Host) -> None:
    result = json.loads(asked(host, SENTENCE, "-k", "1", "--min-relevance", "0.6", "--why", "--json"))
    reasons = {each["path"]: each["why"]["left_out"] for each in result["results"]}
    assert reasons["notes/pump.md"] is None
    assert reasons["notes/pump-old.md"] == "superseded by notes/pump.md:1"
    assert reasons["mail/2.eml"] == "a mail of more than 60 days"
    assert reasons["notes/tank.md"].endswith("is below 0.60")
    first = result["results"][0]["why"]
    assert first["cosine_place"] == 1
    assert first["bm25_place"] in {1, 2}
    assert first["score"] == pytest.approx(first["fused"] + first["second_look"] + first["date"], abs=1e-3)
    log = next(each["why"] for each in result["results"] if each["path"] == "logs/day.md")
    assert log["date"] == pytest.approx(0.2 * 0.5 ** (5 / 30), abs=1e-3), "half of it is left after 30 days"
    message = asked(host, SENTENCE, "-k", "1", "--why", "--type", "note", "--since", "1y")
    assert "meaning " in message
    assert "   notes/pump-old.md:1: superseded by notes/pump.md:1; score " in message
    assert "Filters: type note, since " in message


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("30d", timedelta(days=30)),
        (" 12H ", timedelta(hours=12)),
        ("2 w", timedelta(weeks=2)),
        ("0d", timedelta()),
        ("99999y", None),  # longer ago than there are days
        ("2026-02-01", "2026-02-01T00:00"),
        ("2026-02-01T10:30", "2026-02-01T10:30"),
        ("2026-02-01T10:30+02:00", "2026-02-01T08:30"),
    ],
)
def test_so_long_ago_in_whole_hours_or_a_day_in_utc(host: Host, written: str, meant: str | timedelta | None) -> None:
    begun = datetime.now(UTC)
    message = asked(host, SENTENCE, "--min-relevance", "-1", "--why", "--since", written)
    if isinstance(meant, timedelta):
        possible = [f"{moment - meant:%Y-%m-%dT%H}:00" for moment in (begun, datetime.now(UTC))]
        meant = next((each for each in possible if each in message), possible[0])
    assert meant is None or f"since {meant}+00:00" in message


def test_the_assistant_knows_no_old_mail_either(host: Host) -> None:
    chunks = host.assistant("memory").ask(Question("Is the pump primed?", top_k=20)).chunks
    assert "mail/1.eml" in [chunk.node.metadata["path"] for chunk in chunks]
    assert "mail/2.eml" not in [chunk.node.metadata["path"] for chunk in chunks]


def test_the_block_for_a_prompt(host: Host) -> None:
    assert read(asked(host, "the left tank", "--format", "prompt").rstrip("\n"))
    assert read(asked(host, "zebra", "--format", "prompt").rstrip("\n")) == []
    assert "Nothing in the memory is near to this." in asked(host, "zebra")


def test_nobody_of_that_name(host: Host) -> None:
    assert "(no mail is from 'bob')" in asked(host, "the pump", "--from", "bob")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--type", "mail"], "there is no document type 'mail' (known: prompt, note"),
        (["--since", "yesterday"], "'yesterday' is no time (such as 30d"),
        *(
            (["--until", written], f"{written[:40]!r} is no time")
            for written in ("2026-13-01", "2026-02-30", "-3d", "3", "3m", "d", "9" * 400, "\x00")
        ),
        (["--from", ""], "the sender must have 1 to 200 characters"),
    ],
)
def test_what_cannot_be_meant_is_one_line(arguments: list[str], message: str, host: Host) -> None:
    with pytest.raises(BadRequest) as raised:
        asked(host, "the pump", *arguments)
    assert str(raised.value).startswith(message)


def test_without_anything_remembered(fast_host: Host) -> None:
    with pytest.raises(NotFound, match=r"the corpus 'memory' is empty \(ragstone memory update"):
        asked(fast_host, "the pump")

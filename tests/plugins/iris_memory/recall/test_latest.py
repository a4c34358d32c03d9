"""Questions for the last of a kind, for what is to be done by a day, for files with a status, for unanswered mails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from ragstone.core import Host
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import memory_of
from ragstone.plugins.iris_memory.periods import day_near, end_in
from tests.plugins.iris_memory.memories import remembering, write

TODAY = datetime.now(UTC).date()
LATE, LATER, LATEST = (TODAY - timedelta(days=ago) for ago in (40, 12, 5))


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _mail(sender: str, to: str, day: date, subject: str, text: str, **more: str) -> str:
    head = {"From": sender, "To": to, "Date": f"{day:%a, %d %b %Y} 09:00:00 +0000", "Subject": subject, **more}
    return "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in head.items()) + f"\n{text}\n"


ME, ANA, BO, CAI = (f"{name} <{name.lower()}@{name.lower()}.example>" for name in ("Iris", "Ana", "Bo", "Cai"))


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A boat hire's minutes, decisions, defects, tasks and mails."""
    folder = tmp_path_factory.mktemp("boats")
    minutes = "# Crew meeting, {day}\n\nPresent: {names}.\n\n- Decided: {decided}\n- {last}\n"
    files = {
        f"minutes/{LATE}-crew-meeting.md": minutes.format(
            day=_day(LATE), names="Ana, Bo", decided="the dinghy is sold.", last="Ana asks the harbour for a berth."
        ),
        f"minutes/{LATER}-crew-meeting.md": minutes.format(
            day=_day(LATER), names="Bo, Cai", decided="the jetty is closed in winter.", last="Cai wants a second pump."
        ),
        f"logs/{LATEST}.md": f"# {LATEST}\n\nPaid the berth, 240 EUR. The next crew meeting is on a Friday.\n",
        f"logs/{LATE}.md": f"# {LATE}\n\nPaid the paint, 80 EUR.\n",
        "decisions.md": (
            f"# Decisions\n\n## {_day(LATE)}\n\nNo electric boats.\n\n## {_day(LATEST)}\n\nWe buy one canoe.\n"
        ),
        "defects/D-1.md": "# D-1: Rudder loose\n\nStatus: open\nFound by: Bo\n\nThe rudder rattles at low speed.\n",
        "defects/D-2.md": "# D-2: Lamp dark\n\nStatus: repaired\nFound by: Ana\n\nThe lamp got a new fuse.\n",
        "defects/D-3.md": "# D-3: Rope torn\n\nStatus: in progress\nFound by: Ana\n\nCai splices the rope.\n",
        "todo.md": (
            f"# To do\n\n- [ ] Tar the jetty by {_day(TODAY + timedelta(days=90))}\n- [ ] Order the canoe\n"
            f"- [ ] Cai: call the insurer by {_day(TODAY)}\n- [x] Sell the dinghy by {_day(TODAY)}\n"
        ),
        "docs/emails/1.eml": _mail(
            ANA, ME, LATE, "Berth", "The berth is free.\n\nDo you want it for a year?", Message_ID="<1@x>"
        ),
        "docs/emails/2.eml": _mail(ME, ANA, LATER, "Re: Berth", "Yes, please.", In_Reply_To="<1@x>"),
        "docs/emails/3.eml": _mail(BO, ME, LATER, "Canoe", "The red canoe is in stock.\n\nShall I reserve it?"),
        "docs/emails/4.eml": _mail(CAI, ME, LATEST, "Splice", "The rope is done tomorrow."),
        "docs/emails/5.eml": _mail(BO, ME, LATE, "Oars", "Which length do the oars have?"),
        "docs/emails/6.eml": _mail(ME, BO, LATEST, "Re: Oars", "They have two metres."),
        "docs/emails/old.mbox": "".join(
            f"From x@y Thu Jan  1 10:00:00 2026\n{_mail('Dee <dee@dee.example>', ME, day, subject, text)}\n"
            for day, subject, text in ((LATE, "Keys", "I have both keys."), (LATER, "Lock", "The lock is oiled."))
        ),
    }
    with remembering(folder, files, mail_days=0) as opened:
        yield opened


MEETING = f"“Crew meeting, {_day(LATER)}”:\n\n{_day(LATER)}: "
CLOSED = "Decided: the jetty is closed in winter. [1]"
WANTS = "Cai wants a second pump. [1]"
CANOE = f"“Decisions” ({_day(LATEST)}):\n\n{_day(LATEST)}: We buy one canoe. [1]"
PAID = f"Said last:\n\n{_day(LATEST)}: Paid the berth, 240 EUR. [1]"
OPEN = "1 of 3 defects has the status “open”: “D-1: Rudder loose”.\n\nThe rudder rattles at low speed. [1]"
INSURER = f"[ ] Cai: call the insurer by {_day(TODAY)} [1]"
ASKED = (
    f"The memory has 2 mails that ask for something: “Canoe” (Bo, {_day(LATER)}); “Oars” (Bo, {_day(LATE)}).\n\n"
    f"{_day(LATER)}, Bo: Shall I reserve it? [1]\n\n{_day(LATE)}, Bo: Which length do the oars have? [2]"
)
UNANSWERED = (
    f"Without an answer in the memory: 1 mail that asks for something, 3 others. “Canoe” (Bo, {_day(LATER)}).\n\n"
    f"{_day(LATER)}, Bo: Shall I reserve it? [1]"
)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who was at the last crew meeting?", f"{MEETING}Present: Bo, Cai. [1]\n\n{CLOSED}\n\n{WANTS}"),
        (f"Who was at the crew meeting on {_day(LATER)}?", f"{MEETING}Present: Bo, Cai. [1]\n\n{CLOSED}\n\n{WANTS}"),
        ("What was discussed at the last crew meeting?", f"{MEETING}Present: Bo, Cai. [1]\n\n{CLOSED}\n\n{WANTS}"),
        ("What was decided at the last crew meeting?", f"{MEETING}{CLOSED}"),
        ("What did Cai want at the last crew meeting?", f"{MEETING}{WANTS}"),
        ("What was the last decision?", CANOE),
        ("What did we decide last?", CANOE),
        ("What did we pay last?", PAID),
        ("What was the last payment?", PAID),
        ("How much did we last pay?", PAID),
        ("How big was the last payment?", PAID),
        ("Which defects are open?", OPEN),
        ("How many open defects are there?", OPEN),
        (
            "Which defects are still in progress?",
            "1 of 3 defects has the status “in progress”: “D-3: Rope torn”.\n\nCai splices the rope. [1]",
        ),
        ("Which defects are rejected?", "0 of 3 defects have the status “rejected”."),
        (
            "What do I have to do today?",
            f"1 open task until {_day(TODAY)}, 1 without a day:\n\n[ ] Order the canoe [1]\n\n{INSURER}",
        ),
        (
            "What must Cai do this week?",
            f"1 open task until {_day(TODAY + timedelta(days=6 - TODAY.weekday()))}:\n\n{INSURER}",
        ),
        ("Which mails have not been answered?", UNANSWERED),
        ("Which mails wait for a reply from me?", UNANSWERED),
        ("Are there any mails that I haven't answered yet?", UNANSWERED),
        (
            "Which mails from Cai are unanswered?",
            f"Without an answer in the memory: 1 mail. “Splice” (Cai, {_day(LATEST)}).",
        ),
        ("Which mails about the oars are unanswered?", "Without an answer in the memory: no mail."),
        ("What did Bo ask?", ASKED),
        (
            "When did I last write to Bo?",
            f"“Re: Oars” (Iris, {_day(LATEST)}):\n\n{_day(LATEST)}, Iris: They have two metres. [1]",
        ),
        (
            "What did I write to Ana about the berth?",
            f"“Re: Berth” (Iris, {_day(LATER)}):\n\n{_day(LATER)}, Iris: Yes, please. [1]",
        ),
        (
            "When did Dee last write?",
            f"“Lock” (Dee, {_day(LATER)}):\n\n{_day(LATER)}, Dee: The lock is oiled. [1]",
        ),
        ("How many mails did Dee write?", "The memory has 2 mails."),
    ],
)
def test_the_last_and_the_open(boats: Host, question: str, text: str) -> None:
    answer = boats.assistant("memory").ask(question)
    assert answer.text == text
    assert not (answer.refused or answer.closest)


@pytest.mark.parametrize(
    "question",
    [
        "Who was at the door?",
        "What was the last name of the plumber?",
        "Who sang at the last crew meeting?",
        "Why was the mail not answered?",
        "Which boats are open?",
        "How much was paid last week?",
        "How high was the berth last winter?",
    ],
)
def test_other_questions_are_searched_for(boats: Host, question: str) -> None:
    answer = boats.assistant("memory").ask(question)
    assert not answer.text.startswith(("“", "Said last", "Without", "0 of", "1 of"))


def test_the_examples_are_answered(boats: Host, tmp_path: Path) -> None:
    memory = boats.assistant("memory")
    examples = memory.profile.examples()
    assert len(examples) == 4
    assert not any(memory.ask(example).refused for example in examples)
    write(tmp_path / "home", "pump.md", "# The pump\n\nIt leaks.\n")
    with open_host(tmp_path, options={"iris_memory": {"root": str(tmp_path / "home")}}) as host:
        assert host.assistant("memory").profile.examples() == ("What is in the memory?",)
        memory_of(host).update()
        assert host.assistant("memory").profile.examples() == ("What is in the memory?",)


SATURDAY = date(2026, 2, 28)


@pytest.mark.parametrize(
    ("question", "end", "rest"),
    [
        ("What this week?", date(2026, 3, 1), "What  ?"),
        ("What by the end of next week?", date(2026, 3, 8), "What  ?"),
        ("What until tomorrow?", date(2026, 3, 1), "What  ?"),
        ("What in the coming month?", date(2026, 3, 31), "What  ?"),
        ("What this month?", SATURDAY, "What  ?"),
        ("What about the next steps?", None, "What about the next steps?"),
    ],
)
def test_the_end_of_a_time_to_come(question: str, end: date | None, rest: str) -> None:
    assert end_in(question, SATURDAY) == (end, rest)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("by 5 March", date(2026, 3, 5)),
        ("before the 30th of December", date(2025, 12, 30)),
        ("June 3, 2024", date(2024, 6, 3)),
        ("due 2026-04-01", date(2026, 4, 1)),
        ("by Friday", date(2026, 3, 6)),
        ("on Saturday", date(2026, 3, 7)),
        ("call her tomorrow", date(2026, 3, 1)),
        ("by Friday, 13 March", date(2026, 3, 13)),
        ("every Monday", None),
        ("on 31 April", None),
        ("in 5 minutes", None),
    ],
)
def test_the_day_that_a_text_names(words: str, day: date | None) -> None:
    assert day_near(words, SATURDAY) == day


@pytest.mark.parametrize("line", ["**Status:** open", "- State: open since May", "_status_: Open"])
def test_the_line_of_a_status_may_be_marked(line: str, tmp_path: Path) -> None:
    with remembering(tmp_path, {"defects/1.md": f"# Rudder\n\n{line}\n\nIt rattles.\n"}) as host:
        text = host.assistant("memory").ask("Which defects are open?").text
    assert text == "1 of 1 defects has the status “open”: “Rudder”.\n\nIt rattles. [1]"

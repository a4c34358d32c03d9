"""``ragstone tutor learn``, ``due``, ``questions``, and ``anki``, ``gift``, ``text2qti`` and ``qti``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_table
from ragstone.core.runtime import storage_errors, write_atomically

from ..learning.export import FILES, QuestionFormat, export_questions
from ..learning.grading.feedback import STEPS
from ..learning.lessons import Lessons
from ..learning.records import LENGTH, ME, MOST_LENGTH, Question, QuestionSource, Session
from ..learning.sessions import Sessions
from ..plans.store import PlanStore

_learner = click.option("--learner", default=ME, show_default=True, help="Whose answers they are.")


@click.command(epilog="Example: ragstone tutor learn machine-learning --concept gradient-descent")
@click.argument("plan")
@click.option("--concept", help="Ask about this concept alone, by its key.")
@click.option(
    "--most", default=LENGTH, show_default=True, type=click.IntRange(1, MOST_LENGTH), help="Answers of this session."
)
@click.option("--due", "kind", flag_value="due", help="Ask only what is due.")
@click.option("--practise", "kind", flag_value="practice", help="Ask also what is not due yet.")
@_learner
@click.pass_obj
def learn(deployment: Deployment, plan: str, concept: str | None, most: int, kind: str | None, learner: str) -> None:
    """Answer a plan's questions, with hints. Type ? or nothing for a hint, ?? for the answer, - to skip, q to end the
    session."""
    host = deployment.host()
    lessons, sessions = host.once(Lessons), host.once(Sessions)
    try:
        session = sessions.start(plan, concept, learner, kind or "mixed", most)
    except BadRequest as error:
        if not any(one.state == "found" for one in host.once(PlanStore).concepts(plan)):
            click.echo(f"There is nothing to ask. Has it sources? ragstone tutor plan show {plan}")
            return
        click.echo(printable(f"{error.what[:1].upper()}{error.what[1:]}. {_next_words(sessions, plan, learner)}"))
        return
    number = 0
    while (question := sessions.next(session)) is not None:
        number += 1
        _show_question(number, question)
        if not _asked(lessons, sessions, session, question):
            break
        session = sessions.session(session.session_id)
    session = sessions.end(session)
    levels = lessons.mastery(plan, learner)
    known = sum(each.level for each in levels.values()) / max(1, len(levels))
    right = sum(one.outcome == "right" for one in session.steps)
    click.echo(f"\n{right} of {len(session.answers)} right. {_next_words(sessions, plan, learner)}")
    click.echo(f"{plan}: {known:.0%} known, {sum(each.due for each in levels.values())} due.")


@click.command(epilog="Example: ragstone tutor due")
@click.argument("plan", required=False)
@_learner
@json_option()
@click.pass_obj
def due(deployment: Deployment, plan: str | None, learner: str, as_json: bool) -> None:
    """List what should be asked again now, of one plan or of all."""
    host = deployment.host()
    if plan is not None:
        host.once(PlanStore).plan(plan)
    found = host.once(Lessons).due(plan, learner)
    if as_json:
        show_json([{"due": each.due.isoformat(), **_question_facts(each.question)} for each in found])
        return
    show_table(
        ("due", "plan", "concept", "question"),
        [
            (f"{each.due:%Y-%m-%d %H:%M}", each.question.plan, each.question.concept, each.question.text)
            for each in found
        ],
        empty="Nothing is due.",
    )


@click.command(epilog="Example: ragstone tutor questions machine-learning --json")
@click.argument("plan")
@click.option("--concept", help="Of this concept alone, by its key.")
@json_option()
@click.pass_obj
def questions(deployment: Deployment, plan: str, concept: str | None, as_json: bool) -> None:
    """List a plan's questions with their answers and proofs. Those not yet written are written."""
    host = deployment.host()
    lessons, store = host.once(Lessons), host.once(PlanStore)
    keys = [concept] if concept is not None else [each.key for each in store.concepts(plan)]
    found = [question for key in keys for question in lessons.questions(plan, key)]
    if as_json:
        show_json([_question_facts(question) for question in found])
        return
    for number, question in enumerate(found, start=1):
        _show_question(number, question)
        click.echo(printable(f"   = {question.key}"))
        for source in question.sources:
            click.echo(printable(f"   [{source.index}] {source.page_title} {source.page_url}"))
    if not found:
        click.echo(f"There are none: no concept has sources yet. ragstone tutor plan show {plan}")


def _export_command(name: QuestionFormat, description: str, then: str) -> click.Command:
    """The command that writes a plan's questions in the format of that name; ``then``: what to do with the file."""
    ending, _ = FILES[name]

    @click.command(name, help=description, epilog=f"Example: ragstone tutor {name} biology --out biology{ending}")
    @click.argument("plan")
    @click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
    @json_option()
    @click.pass_obj
    def command(deployment: Deployment, plan: str, out: Path, as_json: bool) -> None:
        made = export_questions(deployment.host(), plan, name)
        with storage_errors(out, what="cannot be written"):
            if out.exists() and not out.is_file():  # a pipe or a device
                out.write_bytes(made)
            else:
                write_atomically(out.resolve(), made)
        if as_json:
            show_json({"file": str(out), "bytes": len(made)})
            return
        click.echo(printable(f"{out}: {len(made):,} bytes. {then}"))

    return command


anki = _export_command(
    "anki",
    "Write a plan's questions as a package for Anki. Importing a later one brings its cards up to date.",
    "In Anki: File, Import.",
)
gift = _export_command(
    "gift",
    "Write a plan's questions in GIFT. Each concept has a category.",
    "In Moodle: Question bank, Import, GIFT format.",
)
text2qti = _export_command(
    "text2qti",
    "Write a plan's questions for Canvas, as text. The program text2qti makes a quiz (QTI 1.2) of it.",
    "Then: text2qti FILE, and in Canvas: Settings, Import Course Content, QTI .zip file.",
)
qti = _export_command(
    "qti",
    "Write a plan's questions as a content package of QTI 2.1. Each concept has a section.",
    "Import it where QTI 2.1 packages are read.",
)


def _asked(lessons: Lessons, sessions: Sessions, session: Session, question: Question) -> bool:
    """Whether the session goes on after this question: ``q`` and the end of the input end it."""
    hints = 0
    while True:
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        typed = line.strip()
        if not line or typed.casefold() in {"q", "quit"}:
            return False
        if typed == "-":
            sessions.skip(session, question.question_id)
            return True
        if typed in {"", "?"}:
            if hints == STEPS:
                click.echo("There are no more hints; type an answer, ?? for the solution, or q.")
                continue
            hints += 1
            click.echo(printable(lessons.hint(question.question_id, hints).text))
            continue
        given = None if typed == "??" else _option(question, typed)
        try:
            grade = sessions.answer(session, question.question_id, given, hints=hints)
        except BadRequest as error:
            click.echo(printable(str(error)))
            continue
        click.echo(printable(grade.feedback))
        show_sources([one for one in grade.sources if one.index in grade.cited_sources], "   ")
        return True


def _next_words(sessions: Sessions, plan: str, learner: str) -> str:
    outlook = sessions.outlook(plan, learner)
    if outlook.due:
        return f"{outlook.due} due now."
    if outlook.next_due is not None:
        return f"The next review is on {outlook.next_due.astimezone():%Y-%m-%d at %H:%M}."
    return "Nothing comes again yet."


def _option(question: Question, typed: str) -> str:
    """The option of that letter, else what was typed."""
    place = ord(typed.casefold()) - ord("a") if len(typed) == 1 else -1
    if question.form == "choice" and 0 <= place < len(question.options) and typed not in question.options:
        return question.options[place]
    return typed


def _show_question(number: int, question: Question) -> None:
    click.echo(printable(f"\n{number}. {question.text}"))
    for place, option in enumerate(question.options):
        click.echo(printable(f"   {chr(ord('A') + place)}  {option}"))


def show_sources(sources: Iterable[QuestionSource], margin: str = "") -> None:
    """Print the numbered sources."""
    for source in sources:
        licence = f"({source.licence})" if source.licence else ""
        shown = filter(None, (source.page_title, source.page_url, licence))
        click.echo(printable(f"{margin}[{source.index}] {' '.join(shown)}"))


def _question_facts(question: Question) -> dict[str, Any]:
    facts = {name: value for name, value in asdict(question).items() if name != "sources"}
    return {**facts, "sources": [source.as_json() for source in question.sources]}

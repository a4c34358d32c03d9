"""``ragstone tutor explain``, ``progress`` and ``learners``."""

from __future__ import annotations

from dataclasses import asdict

import click

from ragstone.core.cli import Deployment, json_option, printable, show_json, show_table
from ragstone.core.text import counted

from ..learning.explanations import explain as explanation_of
from ..learning.lessons import Lessons
from ..learning.progress import Progresses
from ..learning.records import ME
from ..learning.store import LearnStore
from ..plans.store import PlanStore
from .learning import show_sources


@click.command(epilog="Example: ragstone tutor explain elementary-statistics median")
@click.argument("plan")
@click.argument("concept")
@json_option()
@click.pass_obj
def explain(deployment: Deployment, plan: str, concept: str, as_json: bool) -> None:
    """Print what the sources say of a concept, in their own words."""
    host = deployment.host()
    name = host.once(PlanStore).concept(plan, concept).name
    chunks = host.once(PlanStore).sources(plan, concept)
    made = explanation_of(name, chunks, host.once(Lessons).questions(plan, concept))
    if as_json:
        parts = [asdict(part) for part in made.parts]
        show_json({"parts": parts, "words": made.words, "sources": [one.as_json() for one in made.sources]})
        return
    for part in made.parts:
        click.echo(printable(f"{part.heading}\n{part.text}\n" if part.heading else f"{part.text}\n"))
    show_sources(made.sources)
    if not made.parts:
        click.echo(f"It has no sources yet: ragstone tutor sources {plan} --concept {concept}")


@click.command(epilog="Example: ragstone tutor progress elementary-statistics --json")
@click.argument("plan")
@click.option("--learner", default=ME, show_default=True, help="Whose progress it is.")
@json_option()
@click.pass_obj
def progress(deployment: Deployment, plan: str, learner: str, as_json: bool) -> None:
    """Show the reviews to come, the mastery, and the days in a row."""
    found = deployment.host().once(Progresses).progress(plan, learner)
    if as_json:
        show_json(found.as_json())
        return
    known = found.mastery[-1][1] if found.mastery else 0
    click.echo(f"{known} % known, {counted(answer=found.total, day=found.streak)} in a row (longest {found.longest}).")
    show_table(
        ("day", "reviews"), [(f"{day}", count) for day, count in found.due if count], empty="Nothing comes again."
    )


@click.command(epilog="Example: ragstone tutor learners")
@json_option()
@click.pass_obj
def learners(deployment: Deployment, as_json: bool) -> None:
    """List the learners who have answered a question."""
    found = LearnStore(deployment.host()).learners()
    if as_json:
        show_json([{"learner": name, "answers": n, "last": last.isoformat()} for name, (n, last) in found.items()])
        return
    rows = [(name, count, f"{last:%Y-%m-%d %H:%M}") for name, (count, last) in found.items()]
    show_table(("learner", "answers", "last"), rows, empty="Nobody has answered a question yet.")

"""``ragstone tutor plan add``, ``seed`` and ``export``: plans from files, pages and topics, and to files."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from ragstone.core import BadRequest, Host
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_progress
from ragstone.core.text import counted

from ..mediawiki.wikis import Wikis
from ..plans.importers import FORMATS, ImportedPlan, read_plan, read_plan_file
from ..plans.importers.schema import export_plan
from ..plans.store import PlanStore
from .plans import counts, plan_facts

_SHOWN = 10
#: Concepts of a plan by default.
_OF_PAGE, _OF_CORPUS = 15, 60


@click.command(epilog="Example: ragstone tutor plan add concepts.csv --title Statistics")
@click.argument("file", required=False)
@click.option("--from-page", metavar="WIKI/PAGE", help="Make it of a wiki's page, by its key or its address.")
@click.option("--topic", help="Let the language model make it; see [llm] in the settings.")
@click.option("--corpus", metavar="NAME", help="Make it of a corpus's documents and passages: of your own books.")
@click.option("--part", default="", help="Of a corpus, the documents of this book, chapter or title alone.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="The file's format; otherwise by its suffix.")
@click.option("--title", default="", help="The plan's title.")
@click.option("--slug", default="", help="Its name in addresses and commands; otherwise made of the title.")
@click.option("--most", type=int, help="Concepts of a plan from a page or a topic (else 15), or a corpus (else 60).")
@json_option()
@click.pass_obj
def add(
    deployment: Deployment,
    file: str | None,
    from_page: str | None,
    topic: str | None,
    corpus: str | None,
    part: str,
    format_: str | None,
    title: str,
    slug: str,
    most: int | None,
    as_json: bool,
) -> None:
    """Make a plan of a FILE, a wiki's page, a topic or a corpus. FILE is a list, JSON, JSON lines or CSV; - is what is
    piped in.

    In a list every line is a concept, and "A <- B, C" means that A needs B and C. Sources are then found by ragstone
    tutor sources.
    """
    host = deployment.host()
    if [file, from_page, topic, corpus].count(None) != 3:
        raise BadRequest("name one of FILE, --from-page, --topic and --corpus")
    if from_page is not None:
        from ..plans.importers.wiki_page import plan_from_page

        made = plan_from_page(host.once(Wikis), from_page, most=_OF_PAGE if most is None else most, title=title)
    elif topic is not None:
        from ..plans.importers.llm import plan_by_model

        made = plan_by_model(host, topic, most=_OF_PAGE if most is None else most, title=title)
    elif corpus is not None:
        from ..plans.importers.corpus import plan_from_corpus

        made = plan_from_corpus(host, corpus, part=part, most=_OF_CORPUS if most is None else most, title=title)
    elif file == "-":
        made = read_plan(sys.stdin.read(), format=format_, title=title, where="standard input")
    else:
        made = read_plan_file(Path(file or ""), format=format_, title=title)
    if slug:
        made = replace(made, plan=replace(made.plan, slug=slug))
    _add(host, made, as_json)


@click.command(epilog="Example: ragstone tutor seed statistics.json")
@click.argument("file")
@json_option()
@click.pass_obj
def seed(deployment: Deployment, file: str, as_json: bool) -> None:
    """Store a plan that ragstone tutor export wrote. It needs no network."""
    made = read_plan_file(Path(file), format="json")
    if not made.sources:
        raise BadRequest("no concept of it has sources", where=file, hint="ragstone tutor plan add takes it as it is")
    _add(deployment.host(), made, as_json)


@click.command(epilog="Example: ragstone tutor export statistics > statistics.json")
@click.argument("slug", metavar="PLAN")
@click.pass_obj
def export(deployment: Deployment, slug: str) -> None:
    """Print a plan with its sources, as ragstone tutor seed reads it."""
    show_json(export_plan(deployment.host().once(PlanStore), slug))


def _add(host: Host, made: ImportedPlan, as_json: bool) -> None:
    chunks = sum(len(chunks) for chunks in made.sources.values())
    store = host.once(PlanStore)
    with show_progress("embedding", chunks) as report:
        plan = store.add(made.plan, made.sources, report)
    size = store.size(plan.slug)
    names = {one.key: one.name for one in made.plan.concepts}
    dropped = [
        {
            "circle": [names[key] for key in one.keys],
            "prerequisite": names[one.dropped.prerequisite],
            "concept": names[one.dropped.concept],
        }
        for one in made.dropped
    ]
    if as_json:
        show_json({**plan_facts(size), "dropped": dropped, "left_out": list(made.left_out)})
        return
    click.echo(printable(f"'{plan.title}' is there as {plan.slug}: {counts(size)}."))
    for one in dropped[:_SHOWN]:
        circle = " → ".join((*one["circle"], one["circle"][0]))
        click.echo(printable(f"A circle: {circle}. That {one['concept']} needs {one['prerequisite']} is left out."))
    if made.left_out:
        named = ", ".join(made.left_out[:_SHOWN])
        click.echo(printable(f"Left out, as the file has no such concepts ({len(made.left_out)}): {named}"))
    if size.chunks:
        click.echo(f"{counted(passage=size.chunks)} came with it.")
    else:
        click.echo(f"Find its sources: ragstone tutor sources {plan.slug}")

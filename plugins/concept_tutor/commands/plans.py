"""``ragstone tutor plan``: list, show, change and remove study plans; ``ragstone tutor sources``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import click

from ragstone.core.cli import Deployment, LazyGroup, json_option, printable, show_json, show_table
from ragstone.core.text import counted

from ..plans.editor import ConceptChange, PlanEditor
from ..plans.gathering import Gathering, Progress
from ..plans.graph import needs_and_leads, study_order
from ..plans.records import PlanSize, SourceState
from ..plans.store import PlanStore, damaged_plans


@click.group(cls=LazyGroup, lazy_subcommands={"add": "ragstone.plugins.concept_tutor.commands.files.add"})
def plan() -> None:
    """Make study plans, look at them, change them, remove them."""


@plan.command("list", epilog="Example: ragstone tutor plan list --json")
@json_option()
@click.pass_obj
def list_plans(deployment: Deployment, as_json: bool) -> None:
    """List the plans, with the slug by which each is named."""
    sizes = deployment.host().once(PlanStore).plans()
    if as_json:
        show_json([plan_facts(size) for size in sizes])
        return
    show_table(
        ("slug", "title", "concepts", "with sources", "passages"),
        [(size.plan.slug, size.plan.title, size.concepts, size.states.get("found", 0), size.chunks) for size in sizes],
        empty="There is no plan yet. Make one: ragstone tutor plan add FILE",
    )


@plan.command(epilog="Example: ragstone tutor plan show statistics")
@click.argument("slug", metavar="PLAN")
@json_option()
@click.pass_obj
def show(deployment: Deployment, slug: str, as_json: bool) -> None:
    """Show a plan's concepts in an order to learn them in. Each has what it needs, and how far its sources are."""
    store = deployment.host().once(PlanStore)
    size, concepts, edges = store.size(slug), {one.key: one for one in store.concepts(slug)}, store.edges(slug)
    chunks = store.chunk_ids(slug)
    needs, _leads = needs_and_leads(edges)
    rows = [concepts[key] for key in study_order(list(concepts), edges)]
    if as_json:
        shown = plan_facts(size)
        shown["concepts"] = [
            {
                "key": one.key,
                "name": one.name,
                "summary": one.summary,
                "needs": needs[one.key],
                "state": one.state,
                "reason": one.reason,
                "passages": len(chunks[one.key]),
            }
            for one in rows
        ]
        show_json(shown)
        return
    click.echo(printable(f"{size.plan.title} ({slug}): {counted(concept=size.concepts, passage=size.chunks)}"))
    show_table(
        ("concept", "name", "needs", "sources"),
        [(one.key, one.name, ", ".join(needs[one.key]), _source_words(one, len(chunks[one.key]))) for one in rows],
        empty="",
    )


@plan.command(epilog="Example: ragstone tutor plan rename statistics --title 'Statistics, first year'")
@click.argument("slug", metavar="PLAN")
@click.option("--title", help="Its new title; the name in addresses and commands stays.")
@click.option("--description", help="Its new description.")
@json_option()
@click.pass_obj
def rename(deployment: Deployment, slug: str, title: str | None, description: str | None, as_json: bool) -> None:
    """Give a plan another title or description."""
    host = deployment.host()
    old = host.once(PlanStore).plan(slug)
    host.once(PlanEditor).rename(
        slug, old.title if title is None else title, old.description if description is None else description
    )
    size = host.once(PlanStore).size(slug)
    _report(size, as_json, f"{slug} is '{size.plan.title}'.")


@plan.command(epilog="Example: ragstone tutor plan concept statistics variance --needs mean")
@click.argument("slug", metavar="PLAN")
@click.argument("concept")
@click.option("--name", help="Its new name. A CONCEPT that is not there is added under its own.")
@click.option("--summary", help="What it is, in a sentence.")
@click.option("--needs", help="Keys of what is to be learned before it, with commas between; '' for none.")
@click.option("--remove", is_flag=True, help="Remove it; what needed it then needs what it needed itself.")
@json_option()
@click.pass_obj
def concept(
    deployment: Deployment,
    slug: str,
    concept: str,
    name: str | None,
    summary: str | None,
    needs: str | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Change, add or remove a concept of a plan."""
    host = deployment.host()
    store, editor = host.once(PlanStore), host.once(PlanEditor)
    old = next((one for one in store.concepts(slug) if one.key == concept), None)
    if remove:
        editor.remove_concept(slug, concept)
    else:
        before = tuple(edge.prerequisite for edge in store.edges(slug) if edge.concept == concept)
        keys = before if needs is None else tuple(key.strip() for key in needs.split(",") if key.strip())
        text = old.summary if old is not None and summary is None else summary or ""
        change = ConceptChange(name or (old.name if old is not None else concept), text, keys)
        editor.add_concept(slug, change) if old is None else editor.change_concept(slug, concept, change)
    size = store.size(slug)
    _report(size, as_json, f"'{size.plan.title}' has {counts(size)}.")


@plan.command(epilog="Example: ragstone tutor plan remove statistics")
@click.argument("slug", metavar="PLAN")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option()
@click.pass_obj
def remove(deployment: Deployment, slug: str, yes: bool, as_json: bool) -> None:
    """Remove a plan with its concepts and passages."""
    store = deployment.host().once(PlanStore)
    size = None if slug in damaged_plans(store) else store.size(slug)
    if not yes and not as_json and sys.stdin.isatty():
        what = f"'{size.plan.title}' with {counted(concept=size.concepts)}" if size else f"the damaged plan '{slug}'"
        click.confirm(printable(f"Remove {what}?"), abort=True)
    size = store.remove(slug)
    if size is None:
        show_json({"slug": slug}) if as_json else click.echo(f"The damaged plan '{slug}' is removed.")
        return
    numbers = counted(concept=size.concepts, passage=size.chunks)
    _report(size, as_json, f"'{size.plan.title}' is removed: {numbers}.")


def _report(size: PlanSize, as_json: bool, words: str) -> None:
    show_json(plan_facts(size)) if as_json else click.echo(printable(words))


def plan_facts(size: PlanSize) -> dict[str, Any]:
    """A plan with its numbers, ready for JSON."""
    facts = {**asdict(size.plan), "created": size.plan.created.isoformat()}
    return {**facts, "concepts": size.concepts, "edges": size.edges, "passages": size.chunks, "states": size.states}


def counts(size: PlanSize) -> str:
    """The plan's numbers in words, "1 concept, 2 prerequisites"."""
    return counted(concept=size.concepts, prerequisite=size.edges)


def _source_words(concept: Any, chunks: int) -> str:
    if concept.state == "found":
        return counted(passage=chunks)
    return f"{concept.state}: {concept.reason}" if concept.reason else str(concept.state)


@click.command(epilog="Example: ragstone tutor sources statistics --retry")
@click.argument("slug", metavar="PLAN")
@click.option("--concept", "concepts", multiple=True, metavar="KEY", help="Only this one, even if it has sources.")
@click.option("--retry", is_flag=True, help="Also those for which nothing was found, or the search failed.")
@json_option()
@click.pass_obj
def sources(deployment: Deployment, slug: str, concepts: tuple[str, ...], retry: bool, as_json: bool) -> None:
    """Look in the wikis for the sources of a plan's concepts.

    An interrupted run goes on where it was. The exit code is 1 when a concept that was looked for has no sources.
    """
    host = deployment.host()
    store, gathering = host.once(PlanStore), host.once(Gathering)
    states: tuple[SourceState, ...] = ("waiting", "none", "failed") if retry else ("waiting",)
    seen: dict[str, Progress] = {}

    def report(progress: Progress) -> None:
        if progress.state == "running":
            return
        seen[progress.concept] = progress
        if not as_json:
            what = counted(passage=progress.chunks) if progress.state == "found" else progress.state
            reason = f" ({progress.reason})" if progress.reason else ""
            click.echo(printable(f"{progress.done}/{progress.of} {progress.name}: {what}{reason}"))

    gathering.run(slug, states=states, concepts=concepts or None, on_progress=report)
    size = store.size(slug)
    if as_json:
        show_json({"plan": slug, "states": size.states, "concepts": [asdict(each) for each in seen.values()]})
    elif not seen:
        click.echo("There was nothing to look for; --retry looks again for what was not found, --concept for one.")
    if any(each.state != "found" for each in seen.values()):
        click.get_current_context().exit(1)

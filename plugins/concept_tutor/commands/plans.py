"""``ragstone tutor plan``: list, show and remove study plans."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ragstone.core.cli import LazyGroup, json_option, printable, show_json, show_table

from ..plans.graph import study_order
from ..plans.store import PlanStore

if TYPE_CHECKING:
    from ragstone.core.cli import Deployment

    from ..plans.records import PlanSize


@click.group(cls=LazyGroup, lazy_subcommands={"add": "ragstone.plugins.concept_tutor.commands.files.add"})
def plan() -> None:
    """Make study plans, look at them, remove them."""


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
    """Show a plan's concepts in an order to learn them in, what each needs, and how far its sources are."""
    store = deployment.host().once(PlanStore)
    size, concepts, edges = store.size(slug), {one.key: one for one in store.concepts(slug)}, store.edges(slug)
    counts = store.counts(slug)
    needs: dict[str, list[str]] = {key: [] for key in concepts}
    for edge in edges:
        needs[edge.concept].append(edge.prerequisite)
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
                "passages": counts.get(one.key, 0),
            }
            for one in rows
        ]
        show_json(shown)
        return
    click.echo(printable(f"{size.plan.title} ({slug}): {size.concepts} concepts, {size.chunks} passages"))
    show_table(
        ("concept", "name", "needs", "sources"),
        [(one.key, one.name, ", ".join(needs[one.key]), _sources(one, counts.get(one.key, 0))) for one in rows],
        empty="",
    )


@plan.command(epilog="Example: ragstone tutor plan remove statistics")
@click.argument("slug", metavar="PLAN")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option()
@click.pass_obj
def remove(deployment: Deployment, slug: str, yes: bool, as_json: bool) -> None:
    """Remove a plan with its concepts and passages."""
    store = deployment.host().once(PlanStore)
    size = store.size(slug)
    if not yes and not as_json and sys.stdin.isatty():
        click.confirm(f"Remove '{size.plan.title}' with {size.concepts} concepts?", abort=True)
    size = store.remove(slug)
    if as_json:
        show_json(plan_facts(size))
    else:
        click.echo(printable(f"'{size.plan.title}' is removed: {size.concepts} concepts, {size.chunks} passages."))


def plan_facts(size: PlanSize) -> dict[str, Any]:
    """A plan with its numbers, ready for JSON."""
    facts = {**asdict(size.plan), "created": size.plan.created.isoformat()}
    return {**facts, "concepts": size.concepts, "edges": size.edges, "passages": size.chunks, "states": size.states}


def _sources(concept: Any, passages: int) -> str:
    if concept.state == "found":
        return f"{passages} passages"
    return f"{concept.state}: {concept.reason}" if concept.reason else str(concept.state)

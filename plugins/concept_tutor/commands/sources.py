"""``ragstone tutor sources``: find the sources of a plan's concepts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ragstone.core.cli import json_option, printable, show_json

from ..plans.gathering import Gathering
from ..plans.store import PlanStore

if TYPE_CHECKING:
    from ragstone.core.cli import Deployment

    from ..plans.gathering import Progress
    from ..plans.records import SourceState


@click.command(epilog="Example: ragstone tutor sources statistics --retry")
@click.argument("slug", metavar="PLAN")
@click.option("--concept", "concepts", multiple=True, metavar="KEY", help="Only this one, even if it has sources.")
@click.option("--retry", is_flag=True, help="Also those for which nothing was found, or the search failed.")
@json_option()
@click.pass_obj
def sources(deployment: Deployment, slug: str, concepts: tuple[str, ...], retry: bool, as_json: bool) -> None:
    """Look in the wikis for the sources of a plan's concepts, and show how each of them fares.

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
            what = f"{progress.chunks} passages" if progress.state == "found" else progress.state
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

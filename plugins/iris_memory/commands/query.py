"""``ragstone memory query``: ask the memory, and see why it gives what it gives."""

from __future__ import annotations

import click

from ragstone.core.cli import Deployment, printable, show_json


@click.command(epilog='Example: ragstone memory query "the tyres" --type email --since 30d --from joshua')
@click.argument("text")
@click.option("-k", "--n-results", type=click.IntRange(1, 100), metavar="N", help="Passages at most.")
@click.option("-t", "--type", "doc_types", multiple=True, metavar="TYPE", help="Only this type; may be repeated.")
@click.option("--since", metavar="WHEN", help="Only what happened since: 30d, 12h, 2w, 1y or 2026-02-18.")
@click.option("--until", metavar="WHEN", help="Only what happened until then.")
@click.option("--from", "sender", metavar="WHO", help="Only mail from senders with this in their name or address.")
@click.option("--to", "recipient", metavar="WHO", help="Only mail to or in copy to them.")
@click.option("--subject", metavar="WORDS", help="Only mail whose subject holds this.")
@click.option("--as-of", metavar="WHEN", help="Only facts that hold then, by their front matter; by default now.")
@click.option("--min-relevance", type=click.FloatRange(-1, 1), metavar="COSINE", help="Below it a passage is left out.")
@click.option("--older", is_flag=True, help="Also notes that a newer one supersedes.")
@click.option("--why", is_flag=True, help="Show how each passage got its rank, and what was left out.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "prompt"]),
    default="text",
    help="For people, for programs, or as the block for a prompt.",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.pass_obj
def query(
    deployment: Deployment,
    text: str,
    n_results: int | None,
    doc_types: tuple[str, ...],
    since: str | None,
    until: str | None,
    sender: str | None,
    recipient: str | None,
    subject: str | None,
    as_of: str | None,
    min_relevance: float | None,
    older: bool,
    why: bool,
    form: str,
) -> None:
    """Print the passages that are most similar to TEXT, best first."""
    from ..indexing.memory import memory_of
    from ..recall.filters import MemoryFilters, parse_time
    from ..recall.functions import format_for_prompt
    from ..recall.output import to_dict, to_lines
    from ..recall.search import MemoryQuery, recall

    times = [None if when is None else parse_time(when) for when in (since, until, as_of)]
    filters = MemoryFilters(doc_types, times[0], times[1], sender, recipient, subject, times[2])
    memory = memory_of(deployment.host())
    settings = memory.settings
    relevance = settings.min_relevance if min_relevance is None else min_relevance
    found = recall(memory, MemoryQuery(text, n_results or settings.n_results, relevance, filters, older))
    if form == "json":
        show_json(to_dict(found, why=why))
        return
    if form == "prompt":
        click.echo(format_for_prompt(found.chunks, host=memory.host))
        if not why:
            return
    for line in to_lines(found, why=why):
        click.echo(printable(line), err=form == "prompt")

"""``ragstone wiki search``."""

from __future__ import annotations

from typing import Unpack

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_json

from ..retrievers import searcher_of
from ..search.searcher import Only

_SHOWN = 300


@click.command(epilog='Example: ragstone wiki search "How is bread baked?" -k 3 --domain household')
@click.argument("question")
@click.option("-k", "--k", "count", type=click.IntRange(1, 100), default=5, show_default=True, help="Passages.")
@click.option("--kind", type=click.Choice(["wiki", "episodic"]), help="Only shards of that kind.")
@click.option("--domain", help="Only passages of that domain.")
@click.option("--language", help="Only shards in that language.")
@json_option("Print JSON: a list of {score, metadata, …}.")
@click.pass_obj
def search(deployment: Deployment, /, question: str, count: int, as_json: bool, **only: Unpack[Only]) -> None:
    """Search the installed shards by words and meaning."""
    searcher = searcher_of(deployment.host())
    if not question.strip():
        raise BadRequest("the question is empty")
    hits = searcher.search(question, k=count, **only)
    if as_json:
        show_json(hits)
        return
    for refused in searcher.refused:
        click.echo(f"refused: {refused.place}: {refused.reason}", err=True)
    if not hits:
        searched = "no shard is installed here" if not searcher.shards else "nothing was found"
        click.echo(f"{searched}; see ragstone wiki info", err=True)
    for number, hit in enumerate(hits, start=1):
        row = hit["metadata"]
        above = " › ".join(str(row[name]) for name in ("title", "heading") if row.get(name))
        text = " ".join(str(row["text"]).split())
        click.echo(f"{number}. {click.style(printable(above), bold=True)}  {hit['score']:.3f}")
        click.echo(f"   {printable(text[:_SHOWN])}{'…' if len(text) > _SHOWN else ''}")
        click.echo(f"   {printable(str(row.get('url') or row['id']))}  [{printable(hit['shard'])}]")

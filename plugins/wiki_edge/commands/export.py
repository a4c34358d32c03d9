"""``ragstone wiki export``."""

from __future__ import annotations

from pathlib import Path

import click

from ragstone.core.cli import Deployment, json_option

from .build import check_names, show_report


@click.command(epilog="Example: ragstone wiki export books --out ./shards --id books-v1 --license CC-BY-4.0")
@click.argument("corpus")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of the manifest; made where it is missing.",
)
@click.option("--id", "shard_id", help="The shard's id, and its folder in DIR; by default the corpus's name.")
@click.option("--domain", help="What it is about, for those who search only there.")
@click.option("--language", help="Its language, such as en.")
@click.option("--license", help="Of the shard, and of chunks that name none; by default 'unknown'.")
@json_option()
@click.pass_obj
def export(
    deployment: Deployment, /, corpus: str, out: Path, shard_id: str | None, as_json: bool, **about: str | None
) -> None:
    """Write a CORPUS of the catalog as a shard. It has the corpus's vectors: nothing is embedded again."""
    from ..shards.building.export import ExportOptions, export_corpus

    options = ExportOptions(corpus, out, shard_id or corpus, **about)
    check_names(options.id, **about)
    show_report(export_corpus(options, deployment.host()), as_json=as_json)

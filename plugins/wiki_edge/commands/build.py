"""``ragstone wiki build`` and ``ragstone wiki export``."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core import BadRequest
from ragstone.core.cli import json_option, printable, show_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragstone.core.cli import Deployment

    from ..shards.build import BuildProgress, BuildReport

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FILE = click.Path(path_type=Path)
#: Seconds between two lines where there is no terminal.
_EVERY = 15.0


@click.command(
    epilog="Example: ragstone wiki build simplewiki-latest-pages-articles.xml.bz2 --out ./shards --id wiki-simple-v1"
)
@click.argument("source", type=_FILE)
@click.option(
    "--out", required=True, type=_FILE, metavar="DIR", help="Folder of the manifest; made where it is missing."
)
@click.option("--id", "shard_id", required=True, help="The shard's id, and its folder in DIR.")
@click.option("--kind", type=click.Choice(["wiki", "episodic"]), default="wiki", show_default=True)
@click.option("--domain", help="What it is about, for those who search only there.")
@click.option("--language", help="By default the source's own.")
@click.option("--license", "licence", help="By default the source's own, else 'unknown'.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many articles.")
@click.option("--titles", type=_FILE, metavar="FILE", help="Only articles with these titles, one a line.")
@click.option("--match", metavar="REGEX", help="Only articles in whose title it is found.")
@click.option(
    "--url-prefix", default="", metavar="URL", help="Before titles in addresses: https://en.wikipedia.org/wiki/"
)
@click.option("--restart", is_flag=True, help="Throw away what an interrupted build of this id has made.")
@json_option()
@click.pass_obj
def build(
    deployment: Deployment,
    source: Path,
    out: Path,
    shard_id: str,
    kind: str,
    domain: str | None,
    language: str | None,
    licence: str | None,
    limit: int | None,
    titles: Path | None,
    match: str | None,
    url_prefix: str,
    restart: bool,
    as_json: bool,
) -> None:
    """Build a shard from SOURCE: a MediaWiki dump, a ZIM file, wikimedia/wikipedia or BEIR as parquet or JSON lines.

    Other files are read by the plugin that reads their suffix. A folder is read file after file. An
    interrupted build goes on where it was when the same command is given again.
    """
    from ..readers.selection import compiled, read_titles
    from ..shards.build import BuildOptions, build_shard

    check_names(shard_id, domain=domain, language=language, license=licence)
    if match is not None:
        compiled(match)
    if titles is not None:
        read_titles(titles)
    options = BuildOptions(
        source, out, shard_id, kind, domain, language, licence, limit, titles, match, url_prefix=url_prefix
    )
    with _show_progress(f"building {shard_id}") as on_progress:
        report = build_shard(options, deployment.loaded(), restart=restart, on_progress=on_progress)
    show_report(report, as_json=as_json)


@contextmanager
def _show_progress(what: str) -> Iterator[Callable[[BuildProgress], None]]:
    """Follow a build on stderr: a bar in a terminal, a line now and then anywhere else."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console, last = Console(stderr=True, highlight=False), time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)

        def update(now: BuildProgress) -> None:
            nonlocal last
            text = f"{what}: {now.articles:,} articles, {now.chunks:,} chunks"
            bar.update(task, completed=now.share, description=text)
            if not console.is_terminal and time.monotonic() - last >= _EVERY:
                last = time.monotonic()
                click.echo(f"{text}, {now.share:.1%} read", err=True)

        yield update


def check_names(shard_id: str, **options: str | None) -> None:
    """Raise ``BadRequest`` for an id that cannot be a folder's name, and for an option without readable text."""
    for name, value in options.items():
        if value is not None and (not value.strip() or not value.isprintable()):
            raise BadRequest(f"--{name} is empty or holds control characters")
    if not _ID.fullmatch(shard_id):
        raise BadRequest(
            f"the id {shard_id[:80]!r} cannot be the name of a folder",
            hint="letters, digits, dots, dashes, at most 100",
        )


def show_report(report: BuildReport, *, as_json: bool) -> None:
    """Print what was built."""
    from ..shards.writer import UNKNOWN_LICENSE

    entry = report.entry
    if as_json:
        counts = {name: getattr(report, name) for name in ("articles", "chunks", "resumed", "left_out")}
        show_json({"id": entry.id, "folder": str(report.folder), **counts, "entry": entry.as_json()})
        return
    earlier = f", {report.resumed:,} of them by an earlier run" if report.resumed else ""
    click.echo(printable(f"Shard {entry.id} is in {report.folder}: {report.articles:,} articles, "
                         f"{report.chunks:,} chunks{earlier}, revision {entry.revision}."))  # fmt: skip
    for why, count in report.left_out.items():
        click.echo(printable(f"Left out: {count:,} {why}."))
    if entry.license == UNKNOWN_LICENSE:
        click.echo("The source names no licence, so the shard says 'unknown'; --license names one.")
    click.echo(printable(f"Check it: ragstone wiki verify {report.folder.parent}"))


@click.command(epilog="Example: ragstone wiki export books --out ./shards --id books-v1 --license CC-BY-4.0")
@click.argument("corpus")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the manifest; made where it is missing.",
)
@click.option("--id", "shard_id", help="The shard's id, and its folder in DIR; by default the corpus's name.")
@click.option("--domain", help="What it is about, for those who search only there.")
@click.option("--language", help="Its language, such as en.")
@click.option("--license", "licence", help="Of the shard, and of chunks that name none; by default 'unknown'.")
@json_option()
@click.pass_obj
def export(
    deployment: Deployment,
    corpus: str,
    out: Path,
    shard_id: str | None,
    domain: str | None,
    language: str | None,
    licence: str | None,
    as_json: bool,
) -> None:
    """Write a CORPUS of the catalog as a shard, with the vectors that it has: nothing is embedded again."""
    from ..shards.export import ExportOptions, export_corpus

    options = ExportOptions(corpus, out, shard_id or corpus, domain, language, licence)
    check_names(options.id, domain=domain, language=language, license=licence)
    show_report(export_corpus(options, deployment.host()), as_json=as_json)

"""``ragstone wiki build``, ``plan``, ``work`` and ``merge``."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_json
from ragstone.core.text import counted

if TYPE_CHECKING:
    from ..shards.building.plan import BuildOptions
    from ..shards.building.work import BuildProgress
    from ..shards.building.work_folder import BuildReport

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_FILE = click.Path(path_type=Path)
_FOLDER = click.Path(path_type=Path, file_okay=False)
#: Seconds between two lines where there is no terminal.
_EVERY = 15.0
_CHOICES = (
    click.option("--kind", type=click.Choice(["wiki", "episodic"]), default="wiki", show_default=True),
    click.option("--domain", help="What it is about, for those who search only there."),
    click.option("--language", help="By default the source's own."),
    click.option("--license", help="By default the source's own, else 'unknown'."),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many articles."),
    click.option("--first", type=click.IntRange(min=1), help="Vectors for so many titles with the highest counts."),
    click.option("--counts", type=_FILE, metavar="FILE", help="For --first: a title and its views a line."),
    click.option("--titles", type=_FILE, metavar="FILE", help="Only articles with these titles, one a line."),
    click.option("--match", metavar="REGEX", help="Only articles in whose title it is found."),
    click.option(
        "--url-prefix", default="", metavar="URL", help="Before titles in addresses: https://en.wikipedia.org/wiki/"
    ),
    click.option(
        "--part-mb",
        type=click.FloatRange(min=0.001, max=4096),
        default=2.0,
        show_default=True,
        help="Megabytes of text in a part, which is what a kill costs.",
    ),
)


def _choices(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what is built."""
    return reduce(lambda known, option: option(known), reversed(_CHOICES), command)


@click.command(
    epilog="Example: ragstone wiki build simplewiki-latest-pages-articles.xml.bz2 --out ./shards --id wiki-simple-v1"
)
@click.argument("source", type=_FILE)
@click.option(
    "--out", required=True, type=_FOLDER, metavar="DIR", help="Folder of the manifest; made where it is missing."
)
@click.option("--id", "shard_id", required=True, help="The shard's id, and its folder in DIR.")
@_choices
@click.option("--restart", is_flag=True, help="Throw away what an interrupted build of this id has made.")
@json_option()
@click.pass_obj
def build(
    deployment: Deployment, /, source: Path, out: Path, shard_id: str, restart: bool, as_json: bool, **chosen: Any
) -> None:
    """Build a shard from SOURCE. That is a MediaWiki dump, a ZIM file, wikimedia/wikipedia or BEIR as parquet or JSON
    lines.

    Other files are read by the plugin that reads their suffix. A folder is read file after file. An
    interrupted build goes on where it was when the same command is given again. It is plan, work and merge in one.
    """
    from ..shards.building.build import build_shard

    options = _options(source, out, shard_id, chosen)
    with _show_progress(shard_id) as on_progress:
        report = build_shard(options, deployment.loaded(), restart=restart, on_progress=on_progress)
    show_report(report, as_json=as_json)


@click.command(epilog="Example: ragstone wiki plan enwiki-latest-pages-articles-multistream.xml.bz2 --out ./enwiki")
@click.argument("source", type=_FILE)
@click.option("--out", required=True, type=_FOLDER, metavar="PLAN", help="A new folder, which the workers must see.")
@click.option("--id", "shard_id", help="The shard's id; by default the source's name.")
@_choices
@json_option()
@click.pass_obj
def plan(
    deployment: Deployment, /, source: Path, out: Path, shard_id: str | None, as_json: bool, **chosen: Any
) -> None:
    """Split SOURCE into parts that any number of workers build. Parts are streams of a dump, row groups of parquet,
    clusters of a ZIM file, ranges of JSON lines.

    Then: ragstone wiki work PLAN, on as many machines as see it under this path, and ragstone wiki merge PLAN.
    """
    from ..shards.building.build import plan_build

    named = re.sub(r"[^A-Za-z0-9._-]+", "-", source.name.partition(".")[0]).strip(".-") or "shard"
    options = _options(source, out / "shards", shard_id or named, chosen)
    with _show_progress(options.id) as on_progress:
        made = plan_build(options, deployment.loaded(), out, on_progress)
    if as_json:
        show_json({"plan": str(out), "id": options.id, "parts": len(made.parts), "bytes": made.size})
        return
    click.echo(printable(f"{out}: {counted(part=len(made.parts))} of {source}."))
    click.echo(printable(f"Build them: ragstone wiki work {out}"))


@click.command(epilog="Example: ragstone wiki work ./enwiki")
@click.argument("folder", metavar="PLAN", type=_FILE)
@click.option("--ray", metavar="ADDRESS", help="Of a Ray cluster: HOST:PORT, auto, or local to start one here.")
@click.option(
    "--part-seconds",
    type=click.FloatRange(min=1),
    default=1800.0,
    show_default=True,
    help="That a part may take on Ray before it is tried again.",
)
@json_option()
@click.pass_obj
def work(deployment: Deployment, folder: Path, ray: str | None, part_seconds: float, as_json: bool) -> None:
    """Build the parts of PLAN that are not built yet.

    Any number of workers may do so at once, on this machine and on others. What a worker that dies has begun is taken
    over: at once on its machine, after 90 seconds on another. With --ray each part is a task of one processor; the
    machines of the cluster must have PLAN, the source and the settings file under the same paths.
    """
    from ..shards.building.build import work_plan
    from ..shards.building.ray_task import open_deployment
    from ..shards.building.ray_work import RayOptions, RayReport, work_on_ray

    report = RayReport()
    with _show_progress(folder.name) as on_progress:
        if ray is None:
            work_plan(folder, deployment.loaded(), on_progress)
        else:
            config = deployment.config.absolute() if deployment.config else None
            options = RayOptions(ray, partial(open_deployment, config), part_seconds)
            report = work_on_ray(folder, options, deployment.loaded(), on_progress)
    counted = {"retries": sum(report.failures.values()), "restarts": report.restarts} if ray else {}
    if as_json:
        show_json({"plan": str(folder), **counted})
        return
    if any(counted.values()):
        click.echo(f"Tried again: {counted['retries']} parts; Ray was started again {counted['restarts']} times.")
    click.echo(printable(f"{folder}: all parts that the shard needs are built."))
    click.echo(printable(f"Put them together: ragstone wiki merge {folder}"))


@click.command(epilog="Example: ragstone wiki merge ./enwiki --out ./shards")
@click.argument("folder", metavar="PLAN", type=_FILE)
@click.option("--out", type=_FOLDER, metavar="DIR", help="Folder of the manifest.  [default: PLAN/shards]")
@json_option()
@click.pass_obj
def merge(deployment: Deployment, folder: Path, out: Path | None, as_json: bool) -> None:
    """Write the shard of PLAN's parts, in their order. Every part's SHA-256 is compared. PLAN stays as it is."""
    from ..shards.building.build import merge_plan

    with _show_progress(folder.name) as on_progress:
        report = merge_plan(folder, deployment.loaded(), out, on_progress)
    show_report(report, as_json=as_json)


def _options(source: Path, out: Path, shard_id: str, chosen: dict[str, Any]) -> BuildOptions:
    """The checked options. Raises ``BadRequest``, ``NotFound``."""
    from ..shards.building.plan import BuildOptions

    check_names(shard_id, **{name: chosen[name] for name in ("domain", "language", "license")})
    return BuildOptions(source, out, shard_id, **chosen)


@contextmanager
def _show_progress(what: str) -> Iterator[Callable[[BuildProgress], None]]:
    """Follow a build on stderr: one bar over all parts in a terminal, a line now and then anywhere else."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console, last = Console(stderr=True, highlight=False), time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)

        def update(now: BuildProgress) -> None:
            nonlocal last
            text = f"{what}: {now.step}, {now.parts:,} of {now.all_parts:,} parts, {now.chunks:,} chunks"
            bar.update(task, completed=now.share, description=text)
            if not console.is_terminal and time.monotonic() - last >= _EVERY:
                last = time.monotonic()
                click.echo(f"{text}, {now.share:.1%}", err=True)

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
        counts = {name: getattr(report, name) for name in ("articles", "chunks", "rest", "resumed", "left_out")}
        show_json({"id": entry.id, "folder": str(report.folder), **counts, "entry": entry.as_json()})
        return
    earlier = f", {report.resumed:,} of them by an earlier run" if report.resumed else ""
    made = counted(article=report.articles, chunk=report.chunks)
    click.echo(printable(f"Shard {entry.id} is in {report.folder}: {made}{earlier}, revision {entry.revision}."))
    if report.rest:
        click.echo(f"{report.rest:,} more chunks have no vector yet: words find them, and a question then makes it.")
    for why, count in report.left_out.items():
        click.echo(printable(f"Left out: {count:,} {why}."))
    if entry.license == UNKNOWN_LICENSE:
        click.echo("The source names no licence, so the shard says 'unknown'; --license names one.")
    click.echo(printable(f"Check it: ragstone wiki verify {report.folder.parent}"))

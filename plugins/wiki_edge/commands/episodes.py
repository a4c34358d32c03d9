"""``ragstone wiki episodes``: what the planner wrote down."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import click

from ragstone.core.cli import Deployment, json_option, printable, show_json, show_table

_folder = click.option(
    "--from", "folder", type=click.Path(path_type=Path), help="Folder of the episodes; else the deployment's."
)


@click.group()
def episodes() -> None:
    """The planner's steps in the form of RLDS: check, export."""


@episodes.command(epilog="Example: ragstone wiki episodes check --repair")
@_folder
@click.option("--repair", is_flag=True, help="End the episodes whose writer died.")
@json_option()
@click.pass_obj
def check(deployment: Deployment, folder: Path | None, repair: bool, as_json: bool) -> None:
    """Report which episodes are whole, open, cut off or damaged.

    A death cuts an episode's last line at most; --repair takes that line away and writes the last step. Damage
    elsewhere is reported and left. Ends with 1 where something is damaged.
    """
    from ..planner.episode_check import check_episodes, repair_episodes
    from ..settings import places

    root = folder or places(deployment.loaded()).episodes
    mended = repair_episodes(root) if repair else []
    found = check_episodes(root)
    if as_json:
        show_json({"episodes": [{**asdict(each), "turns": each.turns} for each in found], "mended": mended})
    else:
        show_table(
            ("episode", "state", "turns"),
            [(each.id, "mended" if each.id in mended else each.state, each.turns) for each in found],
            empty="No episodes yet.",
        )
        for each in found:
            for fault in each.faults:
                click.echo(printable(f"{each.id}/{fault}"))
    if any(each.state == "damaged" for each in found):
        click.get_current_context().exit(1)


@episodes.command(epilog="Example: ragstone wiki episodes export ./given")
@click.argument("out", type=click.Path(path_type=Path))
@_folder
@click.option("--form", type=click.Choice(["jsonl", "tfds"]), default="jsonl", show_default=True)
@click.option(
    "--python", default=sys.executable, metavar="PATH", help="For tfds: the interpreter that has the extra rlds."
)
@json_option()
@click.pass_obj
def export(deployment: Deployment, out: Path, folder: Path | None, form: str, python: str, as_json: bool) -> None:
    """Write every whole episode into the new folder OUT. Secrets are removed once more.

    jsonl: episodes.jsonl, a line an episode. tfds: a TensorFlow data set, written by an environment of its own.
    """
    from ragstone.core.text import Redactor

    from ..planner.export import export_episodes, to_tfds
    from ..settings import WikiEdgeSettings, places

    host = deployment.loaded()
    root = folder or places(host).episodes
    redactor = Redactor(host.hooks.options(WikiEdgeSettings).episodes.redact)
    if form == "jsonl":
        report = export_episodes(root, out, redactor)
        where = report.folder
    else:
        with tempfile.TemporaryDirectory() as staged:
            report = export_episodes(root, Path(staged) / "jsonl", redactor)
            where = to_tfds(report.folder, out, python=python)
    if as_json:
        show_json({**asdict(report), "folder": str(where)})
        return
    click.echo(printable(f"{report.episodes} episodes, {report.steps} steps: {where}"))
    for left in report.left_out:
        click.echo(printable(f"left out: {left}"))

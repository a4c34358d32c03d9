"""``ragstone wiki verify``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragstone.core import BadRequest
from ragstone.core.cli import json_option, printable, show_json

from .info import megabytes, signed_by, size_on_disk

if TYPE_CHECKING:
    from ragstone.core.cli import Deployment

    from ..settings import Trust


@click.command(epilog="Example: ragstone wiki verify ./my-shards")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--key", "keys", multiple=True, metavar="BASE64", help="A public key to trust beside trusted_keys.")
@click.option("--most", default=100, show_default=True, type=click.IntRange(1), help="Faults to name of one file.")
@json_option()
@click.pass_context
def verify(ctx: click.Context, folder: Path | None, keys: tuple[str, ...], most: int, as_json: bool) -> None:
    """Check a folder of shards: manifest, checksums, signatures, every row and every line.

    Without DIR the folder that serves. Lines count from 1, rows from 0. Exits with 1 if anything is wrong.
    """
    from ..settings import places, trust
    from ..shards.verification import verify as verified

    deployment: Deployment = ctx.obj
    host = deployment.loaded()
    folder, trusted = folder or places(host).wiki, trust(host, keys)
    if not folder.exists():
        raise BadRequest("there is no such folder", where=str(folder), hint="ragstone wiki verify DIR")
    faults = verified(folder, trusted_keys=trusted.keys, require_signature=trusted.is_required, most=most)
    shards = [] if faults else _shards(folder, trusted)
    if as_json:
        found = [asdict(fault) for fault in faults]
        show_json({"folder": str(folder), "ok": not faults, "shards": shards, "faults": found})
    elif faults:
        for fault in faults:
            click.echo(printable(str(fault)))
        click.echo(printable(f"ragstone: {folder} is not whole"), err=True)
    else:
        rows, size = sum(shard["rows"] for shard in shards), sum(shard["bytes"] for shard in shards)
        many = "1 shard" if len(shards) == 1 else f"{len(shards)} shards"
        click.echo(printable(f"{folder} is whole: {many}, {rows:,} rows, {megabytes(size)}."))
        for shard in shards:
            without = "" if shard["checksums"] else "; no checksums to compare with"
            click.echo(printable(f"  {shard['id']}: {shard['signed']}{without}"))
    if faults:
        ctx.exit(1)


def _shards(folder: Path, trusted: Trust) -> list[dict[str, Any]]:
    from ..shards.manifest import NAME, Manifest

    path = folder / NAME if folder.is_dir() else folder
    return [
        {
            "id": entry.id,
            "rows": entry.size,
            "bytes": size_on_disk(entry.place(path.parent)),
            "checksums": entry.files is not None,
            "signed": signed_by(entry, path.parent, trusted.keys)[1],
        }
        for entry in Manifest.read(path).shards
    ]

"""``ragstone wiki info`` and ``ragstone wiki verify``."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_table
from ragstone.core.text import counted

from ..shards.errors import ShardError
from ..shards.manifest import ShardEntry, ShardPlace

_KEY_SHOWN = 12


@click.command(epilog="Example: ragstone wiki info --json")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@json_option()
@click.pass_obj
def info(deployment: Deployment, folder: Path | None, as_json: bool) -> None:
    """List the shards of the folders that serve, or of DIR. It shows the manifest's entries, and who signed them.

    Files are not read; ragstone wiki verify does that.
    """
    from ..settings import places, trust
    from ..shards.manifest import NAME, Manifest

    host = deployment.loaded()
    trusted, ours = trust(host).keys, places(host)
    paths = [folder / NAME] if folder else [place / NAME for place in dict.fromkeys((ours.wiki, ours.episodic))]
    manifests = {path: Manifest.read(path) for path in paths if folder or path.exists()}
    listed = {
        path: [_described(entry, path.parent, trusted) for entry in manifest.shards]
        for path, manifest in manifests.items()
    }
    if as_json:
        shown = [
            {"folder": str(path.parent), "version": manifest.version, "shards": listed[path]}
            for path, manifest in manifests.items()
        ]
        show_json(shown)
        return
    columns = ("id", "kind", "rows", "size", "language", "domain", "licence", "revision", "signed by", "encoder")
    if not manifests:
        click.echo(printable(f"No shard is installed in {ours.wiki}. Install one: ragstone wiki install ARCHIVE"))
    for number, (path, shards) in enumerate(listed.items()):
        click.echo(printable(f"{chr(10) if number else ''}{path.parent}, version {manifests[path].version}"))
        show_table(columns, [_row(shard) for shard in shards], empty="It lists no shard.")


def _described(entry: ShardEntry, root: Path, trusted: tuple[str, ...]) -> dict[str, Any]:
    place = entry.place(root)
    key, signed = signed_by(entry, root, trusted)
    return {
        **{name: getattr(entry, name) for name in ("id", "kind", "dim", "language", "domain", "revision", "built")},
        "rows": entry.size,
        "bytes": size_on_disk(place),
        "missing": sorted(name for name, path in place.files.items() if not path.is_file()),
        "licence": entry.license,
        "source": entry.source.model_dump(exclude_unset=True) if entry.source else None,
        "encoder": entry.encoder.model_dump(exclude_unset=True) if entry.encoder else None,
        "key": key,
        "signed": signed,
        "trusted": signed.endswith("(trusted)"),
        "side_files": entry.side_files or {},
        "checksums": entry.files is not None,
        "folder": str(place.folder),
    }


def _row(shard: dict[str, Any]) -> tuple[object, ...]:
    signed = shard["signed"]
    if shard["key"] and signed.startswith("signed by"):
        signed = f"{shard['key'][:_KEY_SHOWN]}… ({'trusted' if shard['trusted'] else 'not trusted'})"
    missing = len(shard["missing"])
    size = f"{counted(file=missing)} missing" if missing else megabytes(shard["bytes"])
    encoder = shard["encoder"]["model"] if shard["encoder"] else None
    named = (shard["language"], shard["domain"], shard["licence"], shard["revision"], signed, encoder)
    return (shard["id"], shard["kind"], f"{shard['rows']:,}", size, *named)


def signed_by(entry: ShardEntry, root: Path, trusted_keys: Collection[str]) -> tuple[str | None, str]:
    """The key that signed the shard, and the same in words."""
    from ..shards.signatures import signer

    try:
        by = signer(entry, root, trusted_keys)
    except ShardError:
        return None, "signature does not hold"
    return (None, "not signed") if by is None else (by.key, f"signed by {by}")


def size_on_disk(place: ShardPlace) -> int:
    """Bytes of the shard's files; those that are missing count nothing."""
    size = 0
    for path in place.files.values():
        with suppress(OSError):
            size += path.stat().st_size
    return size


def megabytes(size: int) -> str:
    """The size in a suitable unit."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"


@click.command(epilog="Example: ragstone wiki verify ./my-shards")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option("--key", "keys", multiple=True, metavar="BASE64", help="A public key to trust beside trusted_keys.")
@click.option("--most", default=100, show_default=True, type=click.IntRange(1), help="Faults to name of one file.")
@json_option()
@click.pass_context
def verify(ctx: click.Context, folder: Path | None, keys: tuple[str, ...], most: int, as_json: bool) -> None:
    """Check a folder of shards completely. Manifest, checksums, signatures, every row and every line are read.

    Without DIR the folder that serves. Lines count from 1, rows from 0. Exits with 1 if anything is wrong.
    """
    from ..settings import places, trust
    from ..shards.manifest import NAME, Manifest
    from ..shards.verification import verify as verified

    deployment: Deployment = ctx.obj
    host = deployment.loaded()
    folder, trusted = folder or places(host).wiki, trust(host, keys)
    if not folder.exists():
        raise BadRequest("there is no such folder", where=str(folder), hint="ragstone wiki verify DIR")
    faults = verified(folder, trusted_keys=trusted.keys, require_signature=trusted.is_required, most=most)
    path = folder / NAME if folder.is_dir() else folder
    entries = () if faults else Manifest.read(path).shards
    names = ("id", "rows", "bytes", "checksums", "signed")
    described = [_described(entry, path.parent, trusted.keys) for entry in entries]
    shards = [{name: each[name] for name in names} for each in described]
    if as_json:
        found = [asdict(fault) for fault in faults]
        show_json({"folder": str(folder), "ok": not faults, "shards": shards, "faults": found})
    elif faults:
        for fault in faults:
            click.echo(printable(str(fault)))
        click.echo(printable(f"ragstone: {folder} is not whole"), err=True)
    else:
        rows, size = sum(shard["rows"] for shard in shards), sum(shard["bytes"] for shard in shards)
        counts = counted(shard=len(shards), row=rows)
        click.echo(printable(f"{folder} is whole: {counts}, {megabytes(size)}."))
        for shard in shards:
            without = "" if shard["checksums"] else "; no checksums to compare with"
            click.echo(printable(f"  {shard['id']}: {shard['signed']}{without}"))
    if faults:
        ctx.exit(1)

"""``ragstone wiki install``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core.cli import Deployment, json_option, printable, show_json

if TYPE_CHECKING:
    from ..shards.installation import Installed


@click.command(epilog="Example: ragstone wiki install ./wiki-simple.tar.gz")
@click.argument("source", metavar="ARCHIVE|DIR", type=click.Path(path_type=Path))
@click.option("--to", "root", type=click.Path(path_type=Path), help="Folder to install into; else the one that serves.")
@click.option("--key", "keys", multiple=True, metavar="BASE64", help="A public key to trust beside trusted_keys.")
@click.option(
    "--max-gb", default=64, show_default=True, type=click.IntRange(1, 10_000), help="The most that it may unpack to."
)
@json_option()
@click.pass_obj
def install(
    deployment: Deployment, source: Path, root: Path | None, keys: tuple[str, ...], max_gb: int, as_json: bool
) -> None:
    """Install shards from a tar, a tar.gz or a folder.

    Everything is verified before anything changes; then all of it is switched to at once. Shards with other ids stay,
    one with the same id is replaced by a higher revision. A process that serves picks it up by itself.
    """
    from ..settings import places, trust
    from ..shards.installation import Refused
    from ..shards.installation import install as installed
    from ..shards.staging import Limits

    host = deployment.loaded()
    trusted = trust(host, keys)
    try:
        found = installed(
            source,
            root or places(host).wiki,
            trusted_keys=trusted.keys,
            require_signature=trusted.is_required,
            limits=Limits(bytes=max_gb * 10**9),
        )
    except Refused as error:
        for fault in error.faults[1:]:  # the first is the error's own
            click.echo(printable(str(fault)), err=True)
        raise
    if as_json:
        show_json([asdict(one) for one in found])
        return
    for one in found:
        click.echo(printable(f"{one.id}: {_described(one)}"))


def _described(one: Installed) -> str:
    revision = "" if one.revision is None else f", revision {one.revision}"
    if one.what == "updated" and one.before not in (None, one.revision):
        revision += f" (was {one.before})"
    by = "not signed" if one.signer is None else f"signed by {one.signer}"
    what = {"unchanged": "is installed already", "repaired": "was damaged and is whole again"}.get(one.what, one.what)
    return f"{what}{revision}, {by}, in {one.folder}"

"""``ragstone wiki publish``."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core import BadRequest, StorageError
from ragstone.core.cli import json_option, printable, show_counter, show_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragstone.core.cli import Deployment


@click.command(epilog="Example: ragstone wiki publish ./my-shards --to ./public --key wiki-key.pem")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--to", "out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to write to."
)
@click.option("--id", "only", multiple=True, help="Only this shard; repeatable.")
@click.option("--key", metavar="FILE", type=click.Path(path_type=Path), help="The private key to sign DIR with first.")
@click.option("--title", default="", help="The page's heading; else the shards' ids.")
@click.option(
    "--address", default="", metavar="URL", help="Where the folder will be on the web, for the page's commands."
)
@json_option()
@click.pass_obj
def publish(
    deployment: Deployment,
    folder: Path | None,
    out: Path,
    only: tuple[str, ...],
    key: Path | None,
    title: str,
    address: str,
    as_json: bool,
) -> None:
    """Write what is needed to give shards away: an archive, its checksum, its signature, and a page about it.

    DIR is a folder of shards; without it the one that serves. Everything is verified before. Others install the archive
    with ragstone wiki install.
    """
    from ragstone.core.runtime import write_atomically

    from ..settings import places
    from ..shards.archive import write_archive
    from ..shards.archive_page import page
    from .sign import unlocked

    if address and not address.startswith(("https://", "http://")):
        raise BadRequest("the address must begin with https:// or http://", where=address[:80])
    folder = folder or places(deployment.loaded()).wiki
    if not folder.is_dir():
        raise BadRequest("there is no such folder", where=str(folder), hint="ragstone wiki publish DIR --to OUT")
    with ExitStack() as shown:

        def on_file(total: int) -> Callable[[], None]:
            return shown.enter_context(show_counter("packing", total))

        try:
            made = write_archive(folder, out, only=only, key=None if key is None else unlocked(key), on_file=on_file)
            place = out / f"{made.file.name.removesuffix('.tar.gz')}.html"
            write_atomically(place, page(made, title=title, address=address).encode())
        except OSError as error:
            raise StorageError(f"cannot be written: {error.strerror or error}", where=str(out)) from error
    if as_json:
        show_json({**made.to_dict(), "page": str(place)})
        return
    files = (made.file, made.checksum, made.signature, place)
    for each in (each for each in files if each is not None):
        click.echo(printable(str(each)))

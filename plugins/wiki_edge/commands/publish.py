"""``ragstone wiki keygen``, ``sign`` and ``publish``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core import BadRequest
from ragstone.core.cli import Deployment, json_option, printable, show_counter, show_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


#: Outside the prefix of the settings, which know nothing of it.
PASSPHRASE = "WIKI_KEY_PASSPHRASE"  # noqa: S105 - the variable's name


@click.command(epilog="Example: ragstone wiki keygen ~/wiki-key.pem")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--passphrase", "asks", is_flag=True, help=f"Ask for a passphrase to lock the key with; or set {PASSPHRASE}."
)
@json_option()
def keygen(file: Path, asks: bool, as_json: bool) -> None:
    """Make an Ed25519 key to sign shards with. The private half goes to FILE, the public half is printed."""
    from ..shards.keys import keygen as made

    passphrase = os.environ.get(PASSPHRASE)
    if asks and not passphrase:
        passphrase = click.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True)
    public = made(file, passphrase)
    if as_json:
        show_json({"file": str(file), "public_key": public, "locked": bool(passphrase)})
        return
    click.echo(printable(f"The private key is in {file}; with it anyone can sign in your name."))
    click.echo("To trust it, write into ragstone.toml:\n")
    click.echo(f'[plugins.wiki_edge]\ntrusted_keys = ["{public}"]')


@click.command(epilog="Example: ragstone wiki sign ./my-shards --key ~/wiki-key.pem")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--key", required=True, metavar="FILE", type=click.Path(path_type=Path), help="The private key.")
@click.option("--id", "only", help="Give --revision to this shard only.")
@click.option("--revision", type=click.IntRange(1), help="The revision to give; it only rises.")
@json_option()
def sign(folder: Path, key: Path, only: str | None, revision: int | None, as_json: bool) -> None:
    """Sign the shards in DIR. Checksums and revisions go into its manifest, the signature beside it.

    Each shard is verified before. A new one gets revision 1; one that was changed after it was signed the next.
    """
    from ..shards.signing import sign_folder

    signed = sign_folder(folder, unlocked(key), only=only, revision=revision)
    if as_json:
        show_json([asdict(one) for one in signed])
        return
    for one in signed:
        was = f" (was {one.before})" if one.before not in (None, one.revision) else ""
        click.echo(printable(f"{one.id}: revision {one.revision}{was}, signed by {one.key}"))


def unlocked(path: Path) -> Ed25519PrivateKey:
    """Return the private key in a file; its passphrase is asked for where it needs one. Raises ``BadRequest``."""
    from ..shards.keys import Locked, read_key

    try:
        return read_key(path, os.environ.get(PASSPHRASE))
    except Locked as error:
        if not sys.stdin.isatty():
            error.hint = f"set {PASSPHRASE}, or run it at a terminal"
            raise
    return read_key(path, click.prompt("Passphrase", hide_input=True, err=True))


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
    """Write what is needed to give shards away. That is an archive, its checksum, its signature, and a page about it.

    DIR is a folder of shards; without it the one that serves. Everything is verified before. Others install the archive
    with ragstone wiki install.
    """
    from ragstone.core.runtime import storage_errors, write_atomically

    from ..settings import places
    from ..shards.archive import write_archive
    from ..shards.archive_page import page

    if address and not address.startswith(("https://", "http://")):
        raise BadRequest("the address must begin with https:// or http://", where=address[:80])
    folder = folder or places(deployment.loaded()).wiki
    if not folder.is_dir():
        raise BadRequest("there is no such folder", where=str(folder), hint="ragstone wiki publish DIR --to OUT")
    with storage_errors(out, what="cannot be written"), ExitStack() as shown:

        def on_file(total: int) -> Callable[[], None]:
            return shown.enter_context(show_counter("packing", total))

        made = write_archive(folder, out, only=only, key=None if key is None else unlocked(key), on_file=on_file)
        place = out / f"{made.file.name.removesuffix('.tar.gz')}.html"
        write_atomically(place, page(made, title=title, address=address).encode())
    if as_json:
        show_json({**made.to_dict(), "page": str(place)})
        return
    files = (made.file, made.checksum, made.signature, place)
    for each in (each for each in files if each is not None):
        click.echo(printable(str(each)))

"""``ragstone wiki keygen`` and ``ragstone wiki sign``."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragstone.core.cli import json_option, printable, show_json

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
    """Make an Ed25519 key to sign shards with: the private half goes to FILE, the public half is printed."""
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
    """Sign the shards in DIR: checksums and revisions go into its manifest, the signature beside it.

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

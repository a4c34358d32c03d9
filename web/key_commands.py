"""``ragstone key``: make keys, list them, remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragstone.core.cli import json_option, show_json, show_table

from .keys.access import INTERFACES
from .keys.store import Keys

if TYPE_CHECKING:
    from ragstone.core.cli import Deployment


@click.group()
def key() -> None:
    """Keys of the clients that may ask when the server listens beyond this machine."""


@key.command(epilog="Example: ragstone key add laptop --door openai --assistant book_chat")
@click.argument("name")
@click.option(
    "--door", "interfaces", multiple=True, type=click.Choice(INTERFACES), help="Only this interface; repeatable."
)
@click.option("--assistant", "assistants", multiple=True, help="Only this assistant; repeatable.")
@json_option()
@click.pass_obj
def add(
    deployment: Deployment, name: str, interfaces: tuple[str, ...], assistants: tuple[str, ...], as_json: bool
) -> None:
    """Make a key and print it. It is shown this once: only its hash is kept."""
    made = Keys(deployment.host()).add(name, interfaces=interfaces, assistants=assistants)
    if as_json:
        show_json({"name": name, "key": made})
        return
    click.echo(made)
    click.echo("Keep it: it is not shown again.", err=True)


@key.command("list", epilog="Example: ragstone key list --json")
@json_option()
@click.pass_obj
def list_keys(deployment: Deployment, as_json: bool) -> None:
    """List the keys: what each opens, and since when. The keys themselves are nowhere."""
    found = [each.to_dict() for each in Keys(deployment.host()).list()]
    if as_json:
        show_json(found)
        return
    rows = [
        (each["name"], each["id"], _all_or(each["doors"]), _all_or(each["assistants"]), each["created"])
        for each in found
    ]
    show_table(
        ("name", "id", "interfaces", "assistants", "since"), rows, empty="There is no key yet: ragstone key add NAME"
    )


@key.command(epilog="Example: ragstone key remove laptop")
@click.argument("name")
@json_option()
@click.pass_obj
def remove(deployment: Deployment, name: str, as_json: bool) -> None:
    """Let a key open nothing any more, from now on."""
    from .conversations import Conversations

    host = deployment.host()
    Keys(host).remove(name)
    Conversations(host).forget_removed()
    if as_json:
        show_json({"removed": name})
    else:
        click.echo(f"{name} opens nothing any more.")


def _all_or(limited: list[str] | None) -> str:
    return "all" if limited is None else ", ".join(limited)

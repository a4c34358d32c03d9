"""``ragstone serve``, and ``ragstone key``: make, list, change and remove keys."""

from __future__ import annotations

from collections.abc import Callable

import click

from ragstone.core.cli import Deployment, json_option, show_json, show_table

from .keys.access import INTERFACES

Names = tuple[str, ...]

#: What a key can be limited to.
_LIMITS = ("doors", "assistants", "books")


@click.command(epilog="Example: ragstone serve --port 9000 --open")
@click.option("--host", "address", metavar="ADDRESS", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on (default: 8000; 0 takes a free one).")
@click.option("--open/--no-open", "show", default=False, help="Open the page in the browser.")
@click.pass_obj
def serve(deployment: Deployment, address: str | None, port: int | None, show: bool) -> None:
    """Serve the pages and the JSON endpoints until Ctrl+C."""
    from .serve import serve_until_stopped  # Flask and all pages, which every other command would wait for

    serve_until_stopped(deployment.host(), address, port, show=show)


@click.group()
def key() -> None:
    """Keys of clients that ask from beyond this machine."""


def _limits(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what a key is for: ``doors``, ``assistants`` and ``books``."""
    for option in (
        click.option("--book", "books", multiple=True, help="Only this book, by its slug; repeatable."),
        click.option("--assistant", "assistants", multiple=True, help="Only this assistant; repeatable."),
        click.option(
            "--door", "doors", multiple=True, type=click.Choice(INTERFACES), help="Only this interface; repeatable."
        ),
    ):
        command = option(command)
    return command


@key.command(epilog="Example: ragstone key add class-a --door web --book optics")
@click.argument("name")
@_limits
@json_option()
@click.pass_obj
def add(deployment: Deployment, /, name: str, as_json: bool, **limits: Names) -> None:
    """Make a key and print it. It is shown this once: only its hash is kept.

    A key with books is for the assistants that answer from books, unless --assistant names others.
    """
    from .keys.store import Keys

    made = Keys(deployment.host()).add(name, **limits)
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
    from .keys.store import Keys

    found = [each.to_dict() for each in Keys(deployment.host()).list()]
    if as_json:
        show_json(found)
        return
    rows = [(each["name"], each["id"], *(_all_or(each[kind]) for kind in _LIMITS), each["created"]) for each in found]
    names = ("name", "id", "interfaces", "assistants", "books", "since")
    show_table(names, rows, empty="There is no key yet: ragstone key add NAME")


@key.command(epilog="Example: ragstone key change class-a --book optics --book waves")
@click.argument("name")
@_limits
@click.option("--all", "lifted", multiple=True, type=click.Choice(_LIMITS), help="Lift this limit.")
@json_option()
@click.pass_obj
def change(deployment: Deployment, /, name: str, lifted: Names, as_json: bool, **limits: Names) -> None:
    """Change what a key is for, from the next request on. What is not named stays; the key itself too.

    Conversations that the server keeps for a key are removed when its books change.
    """
    from .conversations import Conversations
    from .keys.store import Keys

    named = {kind: values for kind, values in limits.items() if values}
    if both := named.keys() & set(lifted):
        raise click.UsageError(f"--all {min(both)} and --{min(both).removesuffix('s')} contradict each other.")
    if not (named or lifted):
        raise click.UsageError("Name what is to change: --door, --assistant, --book or --all.")
    host = deployment.host()
    changed = Keys(host).change(name, **named, **dict.fromkeys(lifted, ()))
    if "books" in {*named, *lifted}:
        Conversations(host).forget(changed.id)
    if as_json:
        show_json(changed.to_dict())
        return
    shown = changed.to_dict()
    click.echo("; ".join(f"{kind}: {_all_or(shown[kind])}" for kind in _LIMITS))


@key.command(epilog="Example: ragstone key remove laptop")
@click.argument("name")
@json_option()
@click.pass_obj
def remove(deployment: Deployment, name: str, as_json: bool) -> None:
    """Let a key open nothing any more, from now on."""
    from .conversations import Conversations
    from .keys.store import Keys

    host = deployment.host()
    Keys(host).remove(name)
    Conversations(host).forget_removed()
    if as_json:
        show_json({"removed": name})
    else:
        click.echo(f"{name} opens nothing any more.")


def _all_or(limited: list[str] | None) -> str:
    return "all" if limited is None else ", ".join(limited)

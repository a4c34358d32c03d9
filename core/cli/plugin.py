"""``ragstone plugin``: creates the package of a new plugin."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from . import output


@click.group()
def plugin() -> None:
    """Write a plugin of your own."""


@plugin.command(epilog="Example: ragstone plugin new field_notes --into ~/src")
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="Where its folder is made; without it here.",
)
@output.json_option()
@click.pass_context
def new(ctx: click.Context, name: str, into: Path, as_json: bool) -> None:
    """Make a package with an example of all that a plugin can give. Each may be kept or deleted.

    It can be installed, has tests that pass, and is then listed by ragstone plugins.
    """
    root = ctx.find_root()
    commands = root.command.list_commands(root) if isinstance(root.command, click.Group) else ()
    from ..hooks.scaffold import make_plugin, valid_name

    made = make_plugin(valid_name(name, commands), into)
    if as_json:
        output.as_json(asdict(made))
        return
    click.echo(output.printable(f"The plugin {made.name} is in {made.folder}. Next:"))
    click.echo(output.printable(f"  cd {made.folder}"))
    click.echo("  python -m pip install --editable '.[test]'")
    click.echo("  python -m pytest")
    click.echo("  ragstone plugins")

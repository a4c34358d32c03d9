"""The command ``ragstone``: the host's own commands and the plugins'."""

from __future__ import annotations

import errno
import logging
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from ..errors import PluginError, RagstoneError
from ..runtime.files import is_full, storage_error
from . import commands
from .deployment import deployment_of
from .logs import is_json, log_as_json, log_error, log_to_stderr, restored_stderr
from .output import printable

_log = logging.getLogger("ragstone")

_INTERRUPTED = 130


class _RootGroup(click.Group):
    """Loads the plugins' commands for a list of commands, or for a name that is none of the host's own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing:  # a shell completes a line: no warning may be written into it
            _log.addHandler(logging.NullHandler())
        else:  # before the plugins are loaded: loading them logs
            log = log_as_json if ctx.params["log_json"] else log_to_stderr
            log(verbose=ctx.params["verbose"])
        return rest

    def list_commands(self, ctx: click.Context) -> list[str]:
        try:
            self._load(ctx)
            deployment_of(ctx).loaded().hooks.commands.check(self)
        except RagstoneError as error:  # the help is shown all the same
            click.echo(f"ragstone: {printable(str(error))}; the plugins' commands are not shown", err=True)
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own  # the host's own commands work without the plugins
        self._load(ctx)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            lacking = [state for state in deployment_of(ctx).loaded().plugins if state.install]
            if not lacking:
                raise
            names = printable(", ".join(f"{state.name} ({state.install})" for state in lacking))
            # the command may be one of theirs
            raise click.UsageError(f"{error.format_message()} Plugins that lack a package: {names}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ``PluginError`` for one that calls ``sys.exit``."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, RagstoneError):
            raise
        except (Exception, SystemExit) as error:
            name = ctx.invoked_subcommand or ""
            plugin = deployment_of(ctx).plugin_of_command(name)
            owner = f" of the plugin {plugin}" if plugin else ""
            if isinstance(error, SystemExit):
                message = f"the command {name}{owner} was ended by sys.exit({error.code!r})"
                raise PluginError(message, hint="a plugin must not end the process") from error
            if plugin:
                error.add_note(f"in the command {name}{owner}")
            raise

    def _load(self, ctx: click.Context) -> None:
        if "ragstone.loaded" not in ctx.meta:
            ctx.meta["ragstone.loaded"] = True
            deployment_of(ctx).loaded().hooks.commands.add(self)


def root_group() -> click.Group:
    """The command ``ragstone`` with the host's own commands."""

    @click.group(
        cls=_RootGroup,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Begin with: ragstone book add FOLDER, then: ragstone ask book_chat QUESTION. In the browser, with a "
        "sample book: ragstone serve (pip install 'ragstone[server]').",
    )
    @click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Settings file; without it RAGSTONE_CONFIG, else ragstone.toml in this folder, else the defaults.",
    )
    @click.option("-v", "--verbose", is_flag=True, help="Say more: progress in the log, tracebacks of plugins.")
    @click.option("--log-json", is_flag=True, help="Log to stderr as JSON, one object a line.")
    @click.version_option(metadata.version("ragstone"), prog_name="ragstone")
    @click.pass_context
    def cli(ctx: click.Context, /, **_options: object) -> None:
        """Ask your books, notes and wikis, offline, and get answers that cite their sources."""
        deployment_of(ctx)

    for command in commands.OWN:
        cli.add_command(command)
    return cli


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Expected failures end with one line and their exit code, bugs with a traceback."""
    with restored_stderr():
        _run(arguments)


def _run(arguments: list[str] | None) -> None:
    cli, stdout = root_group(), sys.stdout
    try:
        code = cli.main(arguments, prog_name="ragstone", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except RagstoneError as error:
        sys.exit(_report(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("ragstone: interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except SystemExit:
        # The reader of our output has closed it: click swaps the stream and ends with 1, but nothing has failed.
        if sys.stdout is not stdout:
            sys.exit(0)
        raise
    except Exception as error:
        # A path that cannot be looked at, a disk that fails or is full, also one that the output goes to: no bug.
        if isinstance(error, OSError) and (error.filename is not None or is_full(error) or error.errno == errno.EIO):
            _log.info("raised here", exc_info=True)  # with --verbose
            sys.exit(_report(storage_error(error, "a file, or the output")))
        if not is_json():
            raise
        _log.critical("this is a bug", exc_info=True)
        sys.exit(1)


def _report(error: RagstoneError) -> int:
    """Say what failed, and return the exit code."""
    if is_json():
        log_error(error)
    else:
        click.echo(f"ragstone: {printable(str(error))}", err=True)
    return error.exit_code

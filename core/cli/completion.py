"""``ragstone completion``: the script that completes commands, options and assistants' names in a shell."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..errors import RagstoneError

_SHELLS = ("bash", "zsh", "fish")
#: The environment variable by which click recognizes a completion.
_VARIABLE = "_RAGSTONE_COMPLETE"


@click.command(epilog="Example: ragstone completion bash")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script for a shell's completion. It completes commands, options and assistants.

    \b
    bash, in ~/.bashrc:  eval "$(ragstone completion bash)"
    zsh, in ~/.zshrc:    eval "$(ragstone completion zsh)"
    fish:  ragstone completion fish > ~/.config/fish/completions/ragstone.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - for the type checker: click has all three
    script = kind(ctx.find_root().command, {}, "ragstone", _VARIABLE)
    # the template itself: source() first runs the shell to learn its version, and that shell may be elsewhere
    click.echo(script.source_template % script.source_vars())


def complete_assistant(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The assistants' names that begin with ``begun``; none where the deployment cannot be opened."""
    from .deployment import deployment_of

    try:
        found = deployment_of(ctx).host().hooks.assistants
    except RagstoneError:  # no error message in the middle of a command line
        return []
    return [CompletionItem(name, help=made.title) for name, made in found.items() if name.startswith(begun)]

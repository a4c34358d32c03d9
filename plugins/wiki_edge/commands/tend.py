"""``ragstone wiki tend``."""

from __future__ import annotations

from collections.abc import Callable

import click

from ragstone.core import Check, Host, RagstoneError
from ragstone.core.cli import Deployment, json_option, printable, show_json, show_table


@click.command(epilog="Example: ragstone wiki tend --json")
@json_option("Print JSON: a list of {name, ok, detail}.")
@click.pass_context
def tend(ctx: click.Context, as_json: bool) -> None:
    """Prepare what a first question would wait for. What does not work is reported.

    The encoder's model is made if it is not there yet, every shard is opened, the threshold of answers calibrated, and
    new memories become part of their shard. Meant for an installation and for a timer. Exits with 1 where something
    does not work.
    """
    from ..retrievers import threshold_of

    deployment: Deployment = ctx.obj
    host = deployment.host()
    done = [
        _tried("encoder", lambda: host.hooks.encoder.fingerprint),
        *_shards(host),
        _tried("threshold", lambda: f"{threshold_of(host):g}"),
        _tried("memory", lambda: _memory(host)),
    ]
    if as_json:
        show_json([{"name": each.name, "ok": each.ok, "detail": each.detail} for each in done])
    else:
        rows = [(each.name, "well" if each.ok else "not well", printable(each.detail)) for each in done]
        show_table(("what", "how", "detail"), rows, empty="")
    if not all(each.ok for each in done):
        ctx.exit(1)


def _tried(name: str, do: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, detail=do())
    except RagstoneError as error:
        return Check(name, ok=False, detail=str(error))


def _shards(host: Host) -> list[Check]:
    from ..checks import checks

    try:
        return checks(host) or [Check("shards", ok=True, detail="none is installed: ragstone wiki install")]
    except RagstoneError as error:
        return [Check("shards", ok=False, detail=str(error))]


def _memory(host: Host) -> str:
    from ..planner.memory import Memory
    from ..settings import WikiEdgeSettings, places

    root = places(host).episodic
    if not root.is_dir():
        return "nothing is remembered yet"
    store = Memory(host, root, host.hooks.options(WikiEdgeSettings).planner).store
    new = len(store.recent().rows)
    if not store.compact():
        return f"{new} new in the journal" if new else "nothing new"
    return f"{new} new, now part of the shard"

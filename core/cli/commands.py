"""The host's own commands."""

from __future__ import annotations

import textwrap
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..errors import StorageError
from . import output
from .completion import completion
from .doctor import doctor
from .evaluation import evaluate, inspect
from .plugin import plugin
from .question_options import Asked, asks

if TYPE_CHECKING:
    from ..corpus import CorpusInfo
    from .deployment import Deployment

_pass = click.pass_obj


@click.command(epilog="Example: ragstone plugins --json")
@output.json_option()
@_pass
def plugins(deployment: Deployment, as_json: bool) -> None:
    """List the plugins: version, origin, state, reason."""
    from ..host.trial import try_plugins

    host = deployment.loaded()
    with suppress(StorageError):  # reported by the commands that need the storage
        try_plugins(host, OWN)
    states = host.plugins
    if as_json:
        output.as_json([asdict(state) for state in states])
        return
    rows = [(s.name, s.version, s.origin, s.state, s.reason) for s in states]
    output.table(("name", "version", "from", "state", "why"), rows, empty="No plugin is installed.")


@click.command(epilog="Example: ragstone encoder --json")
@output.json_option()
@_pass
def encoder(deployment: Deployment, as_json: bool) -> None:
    """Show the sentence encoder: file, hash, dimension, window, speed."""
    info = asdict(deployment.loaded().encoder.info())
    if as_json:
        output.as_json(info)
        return
    rows = [(name.replace("_", " "), value) for name, value in info.items() if value is not None]
    output.table(("encoder", ""), rows, empty="")


@click.group()
def corpus() -> None:
    """Manage the corpora: list, check, rebuild."""


@corpus.command("list", epilog="Example: ragstone corpus list")
@output.json_option()
@_pass
def corpus_list(deployment: Deployment, as_json: bool) -> None:
    """List the corpora and their sizes."""
    found = deployment.host().corpora()
    if as_json:
        output.as_json([asdict(info) for info in found])
        return
    rows = [(i.name, i.documents, i.chunks, "stale" if i.stale else "ready") for i in found]
    output.table(("name", "documents", "chunks", "state"), rows, empty="There is no corpus yet.")


@corpus.command("check", epilog="Example: ragstone corpus check books")
@click.argument("name", required=False)
@output.json_option()
@click.pass_context
def corpus_check(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """Compare each corpus with what the deployment would make, and each chunk with what was stored.

    Exits with 1 if a corpus should be rebuilt or a chunk is damaged.
    """
    from ..catalog.checksums import RESTORE

    host = ctx.obj.host()
    found = [host.find_corpus(name).info()] if name else list(host.corpora())
    chunks = {info.name: host.find_corpus(info.name).contents.check_chunks() for info in found}
    if as_json:
        output.as_json([{**asdict(info), "check": asdict(chunks[info.name])} for info in found])
    for info in [] if as_json else found:
        click.echo(f"{info.name}: {info.documents} documents, {info.chunks} chunks, change {info.seq}")
        for part, made_with in info.fingerprint.items():
            click.echo(f"  {part}: {made_with}")
        click.echo(f"  refuses below: {_threshold(info)}")
        if info.building:
            click.echo("  a rebuilt one is being made beside it")
        check = chunks[info.name]
        if check.unsealed:
            click.echo(f"  {check.unsealed} chunks of an older Ragstone have a checksum from now on")
        if check.damaged:
            click.echo(output.printable(f"  DAMAGED: {check.damage}; {RESTORE}"))
        click.echo(f"  STALE: {info.stale}; ragstone corpus rebuild {info.name}" if info.stale else "  ready")
    ctx.exit(1 if any(info.stale or chunks[info.name].damaged for info in found) else 0)


def _threshold(info: CorpusInfo) -> str:
    known = info.calibration
    if known is None:
        from ..retrieval.calibration import MIN_CALIBRATION_CHUNKS

        return f"{info.threshold} (not calibrated: as set, or fewer than {MIN_CALIBRATION_CHUNKS} chunks)"
    measured = f"{known.questions} out-of-domain questions over {known.chunks} chunks: median {known.median}"
    return f"{info.threshold} ({measured}, one of twenty above {known.upper_twentieth}; bank {known.bank})"


@corpus.command("rebuild", epilog="Example: ragstone corpus rebuild books")
@click.argument("name")
@output.json_option()
@_pass
def corpus_rebuild(deployment: Deployment, name: str, as_json: bool) -> None:
    """Make a corpus anew from the catalog; the old one answers until the new one is whole. Can be resumed."""
    found = deployment.host().find_corpus(name)
    total = found.info().documents
    with output.progress(f"rebuilding {name}", total) as on_progress:
        report = found.rebuild(on_progress=on_progress)
    if as_json:
        output.as_json({"name": name, "documents": total, "chunks": report.chunks})
    else:
        click.echo(f"{name} is rebuilt: {total} documents, {report.chunks} chunks embedded now.")


@asks('ragstone ask book_chat "What is a caster?" --book primer --json')
def ask(asked: Asked) -> None:
    """Ask an assistant a question. Its filters depend on the assistant (book_chat: --book SLUG)."""
    found = asked.assistant.ask(asked.question)
    if asked.as_json:
        output.as_json(found.to_dict())
    else:
        output.answer(found)


@asks('ragstone search book_chat "What is a caster?" --top-k 3 --json')
def search(asked: Asked) -> None:
    """Search an assistant's sources: the passages that a question would be answered from, best first."""
    from ..answering.findings import find_passages

    found = find_passages(asked.assistant, asked.question)
    if asked.as_json:
        output.as_json(found.to_dict())
        return
    for passage in found.passages:
        click.echo(output.printable(f"[{passage.n}] {passage.label}"))
        click.echo(output.printable(textwrap.indent(passage.text, "    ")) + "\n")
    if not found.passages:
        click.echo("Nothing was found.")
    elif not found.enough:
        click.echo("This is not enough to answer from: ragstone ask would refuse.")


OWN: tuple[click.Command, ...] = (ask, completion, corpus, doctor, encoder, evaluate, inspect, plugin, plugins, search)

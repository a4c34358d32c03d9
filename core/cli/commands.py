"""The host's own commands."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ..errors import EncoderError, SettingsError, StorageError
from ..text.counts import counted
from . import output
from .completion import completion
from .doctor import doctor
from .evaluation import evaluate
from .inspection import inspect
from .plugin import plugin
from .question_options import Asked, asks

if TYPE_CHECKING:
    from ..corpus import CorpusInfo
    from ..host.host import Host
    from .deployment import Deployment

_pass = click.pass_obj


@click.command(epilog="Example: ragstone plugins --json")
@output.json_option()
@_pass
def plugins(deployment: Deployment, as_json: bool) -> None:
    """List the plugins: version, origin, state, reason."""
    from ..diagnostics.parts import plugin_checks, try_hooks

    host = deployment.loaded()
    with suppress(StorageError):  # reported by the commands that need the storage
        try_hooks(host, OWN)
        if host.settings.data_dir.is_dir():  # looking at the plugins makes no data folder
            host.start()
            list(plugin_checks(host))
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
    """Show the encoder: file, hash, dimension, window, speed."""
    from ..embedding.encoder_info import encoder_info

    info = encoder_info(deployment.loaded().hooks.encoder)
    if as_json:
        output.as_json(info)
        return
    rows = [(name.replace("_", " "), value) for name, value in info.items() if value is not None]
    output.table(("encoder", ""), rows, empty="")


@click.group()
def corpus() -> None:
    """Manage the corpora: list, check, index, rebuild, copy."""


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
    """Check each corpus and its chunks. It compares the corpus with what the deployment would make, and each chunk with
    what was stored.

    Exits with 1 if a corpus should be rebuilt or a chunk is damaged.
    """
    from ..catalog.checksums import RESTORE

    host = ctx.obj.host()
    found = [host.find_corpus(name).info()] if name else list(host.corpora())
    chunks = {info.name: host.find_corpus(info.name).contents.check_chunks() for info in found}
    if as_json:
        output.as_json([{**asdict(info), "check": asdict(chunks[info.name])} for info in found])
    for info in [] if as_json else found:
        click.echo(f"{info.name}: {counted(document=info.documents, chunk=info.chunks)}, change {info.seq}")
        for part, made_with in info.fingerprint.items():
            click.echo(f"  {part}: {made_with}")
        click.echo(f"  refuses below: {_threshold(info)}")
        if info.building:
            click.echo(f"  a rebuild is not complete; if none is running, go on: ragstone corpus rebuild {info.name}")
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


@corpus.command("index", epilog="Example: ragstone corpus index books")
@click.argument("name", required=False)
@output.json_option()
@_pass
def corpus_index(deployment: Deployment, name: str | None, as_json: bool) -> None:
    """Put the vectors of each corpus into the catalog's index. It needs [index] store = "pgvector", and can be resumed.

    New corpora need no such step, and ragstone serve does it too.
    """
    host = deployment.host()
    if host.catalog.vector_filling is None:
        raise SettingsError("the catalog keeps no index", where="[index] store", hint='set it to "pgvector"')
    states = {}
    for info in [host.find_corpus(name).info()] if name else host.corpora():
        # The second half of the bar is the HNSW index.
        with output.counter(f"indexing {info.name}", 2 * info.chunks) as advance:

            def on_built(share: float, advance: Callable[..., None] = advance, chunks: int = info.chunks) -> None:
                advance(completed=int((1 + share) * chunks))

            states[info.name] = host.find_corpus(info.name).index_vectors(advance, on_built)
    if as_json:
        output.as_json([{"name": name, **asdict(state)} for name, state in states.items() if state is not None])
        return
    rows = [(name, state.chunks, str(state)) for name, state in states.items() if state is not None]
    output.table(("name", "chunks", "index"), rows, empty="There is no corpus yet.")


@corpus.command("rebuild", epilog="Example: ragstone corpus rebuild books")
@click.argument("name")
@output.json_option()
@_pass
def corpus_rebuild(deployment: Deployment, name: str, as_json: bool) -> None:
    """Make a corpus anew from the catalog. The old one answers until the new one is whole. Can be resumed."""
    found = deployment.host().find_corpus(name)
    total = found.info().documents
    with output.progress(f"rebuilding {name}", total) as on_progress:
        report = found.rebuild(on_progress=on_progress)
    if as_json:
        output.as_json({"name": name, "documents": total, "chunks": report.chunks})
    else:
        click.echo(f"{name} is rebuilt: {counted(document=total, chunk=report.chunks)} embedded now.")


@corpus.command("copy", epilog="Example: ragstone corpus copy books --to postgresql+psycopg://USER@HOST/NAME")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--to", "url", required=True, metavar="URL", help="The other catalog, as for the setting database.")
@output.json_option()
@_pass
def corpus_copy(deployment: Deployment, names: tuple[str, ...], url: str, as_json: bool) -> None:
    """Copy corpora, by default all, to another catalog. It is PostgreSQL or SQLite (sqlite:////PATH).

    Documents, passages, vectors and full text are copied, nothing is embedded again. A corpus that is there already is
    not overwritten. An interrupted copy goes on where it was when it is begun again.
    """
    from ..catalog import Catalog, check_copy, copy_corpus

    host = deployment.host()
    target = Catalog(url, host.settings.data_dir)
    try:
        sizes = check_copy(host.catalog, target, names)
        found = []
        for name, documents in sizes.items():
            with output.counter(f"copying {name}", documents) as advance:
                found.append(copy_corpus(host.catalog, target, name, _dimension(host, name), advance))
    finally:
        target.close()
    if as_json:
        output.as_json({"to": target.where, "corpora": [asdict(each) for each in found]})
        return
    rows = [(each.name, each.documents, each.chunks, each.resumed) for each in found]
    output.table(("copied", "documents", "chunks", "from before"), rows, empty="There is no corpus to copy.")
    if found:
        click.echo("To use the copy: set database in ragstone.toml to the URL that --to had.")


def _dimension(host: Host, name: str) -> int | None:
    """The dimension of the corpus's vectors, if the encoder in use made them."""
    with host.catalog.read() as snapshot:
        row = snapshot.corpus(name)
    try:
        same = row is not None and row.fingerprint.get("encoder") in host.hooks.encoder.comparable
    except EncoderError:
        return None
    return host.hooks.encoder.dimension if same else None


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
    """List the passages that would answer a question, best first."""
    from ..answering.findings import find_chunks

    found = find_chunks(asked.assistant, asked.question)
    if asked.as_json:
        output.as_json(found.to_dict())
        return
    for chunk in found.chunks:
        click.echo(output.printable(f"[{chunk.n}] {chunk.label}"))
        click.echo(output.printable(textwrap.indent(chunk.text, "    ")) + "\n")
    if not found.chunks:
        click.echo("Nothing was found.")
    elif not found.enough:
        click.echo("This is not enough to answer from.")


OWN: tuple[click.Command, ...] = (ask, completion, corpus, doctor, encoder, evaluate, inspect, plugin, plugins, search)

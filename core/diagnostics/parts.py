"""Checks of an open host: plugins, corpora, vector index, language model."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from filelock import FileLock, Timeout

from ..catalog.checksums import RESTORE
from ..health import Check
from ..hooks.discovery import PluginState
from ..host.host import Host
from ..llm.reachability import check_server
from ..text.counts import counted
from ..vector_index.chroma import chroma_is_installed, heartbeat
from ..vector_index.followers import catalog_index_check
from ..vector_index.probe import index_damage

#: Maximum seconds for reading the whole database.
_SECONDS = 20.0
#: Documents of a corpus whose language is looked at.
_SAMPLES = 40


def try_hooks(host: Host, known: Sequence[click.Command] = ()) -> None:
    """Fire the hooks that need no storage, so that a plugin that raises is found. Raises ``SettingsError``.

    ``known``: the commands that the command line has without plugins.
    """
    _ = host.hooks.readers, host.hooks.prompts
    host.hooks.commands.add(click.Group("ragstone", commands=known))


def plugin_checks(host: Host, *, thorough: bool = False) -> Iterator[Check]:
    """The plugins' own checks; a plugin whose assistants, tools or postprocessors raise is disabled with them."""
    _ = host.hooks.assistants, host.hooks.tools
    yield from host.hooks.checks(thorough=thorough)
    host.pipeline.try_postprocessors()


def plugins(host: Host, known: set[str]) -> Iterator[Check]:
    """The number of loaded plugins, and each faulty one that is not in ``known``, to which it is added."""
    if not known:
        loaded = [state.name for state in host.plugins if state.state == "loaded"]
        yield Check(
            "plugins", bool(loaded), f"{len(loaded)} loaded: {', '.join(loaded)}" if loaded else "none is loaded"
        )
    for state in host.plugins:
        # One that misses packages is a fault where the settings enable it by name.
        is_lacking = state.state == "disabled" and state.install is not None
        is_wanted = is_lacking and state.name in (host.settings.plugins.enabled or ())
        if state.name not in known and (state.state == "failed" or is_wanted):
            yield Check(f"plugin {state.name}", False, state.reason or state.state, mend=_mend(state))
    known.update(state.name for state in host.plugins if state.state != "loaded")
    known.add("")  # the number is reported only once


def _mend(state: PluginState) -> str:
    if state.install is not None:
        return state.install
    if state.version == "-":
        return "pip install the package that brings it, or take it out of [plugins] enabled"
    return f'ragstone -v plugins shows where; until it is repaired, [plugins] disabled = ["{state.name}"]'


def catalog_files(host: Host) -> Iterator[Check]:
    """The database's integrity check, unless it would take too long."""
    fault = host.catalog.fault(_SECONDS)
    if fault is not None:
        mend = "restore the database from a backup; without one move it and its .id away and add the sources again"
        yield Check("catalog", False, fault, True, mend, host.catalog.where)


def checksums(host: Host) -> Iterator[Check]:
    """Whether the chunks match their checksums, as far as there is time to read them."""
    ends = time.monotonic() + _SECONDS
    with host.catalog.read() as snapshot:
        for row in snapshot.corpora():
            found = snapshot.chunks.check(row.id, max(0.0, ends - time.monotonic()))
            name = f"chunks of {row.name}" if row.state == "active" else f"chunks of {row.name}, which is being built"
            check = f"ragstone corpus check {shlex.quote(row.name)}"
            if found.damaged:
                yield Check(name, False, found.damage, mend=RESTORE, where=host.catalog.where)
                continue
            parts = [f"{found.checked} as they were stored" if found.complete else f"the first {found.checked} read"]
            parts += [f"{found.unsealed} without a checksum: {check}"] if found.unsealed else []
            parts += [f"{check} reads all"] if not found.complete else []
            yield Check(name, True, "; ".join(parts))


def corpora(host: Host) -> Iterator[Check]:
    """Whether each corpus matches this deployment's encoder and node parser."""
    for info in host.corpora():
        name = f"corpus {info.name}"
        if info.stale:
            mend = f"ragstone corpus rebuild {shlex.quote(info.name)}"
            yield Check(name, False, info.stale, mend=mend)
        else:
            building = "; a rebuild is not complete" if info.building else ""
            yield Check(name, True, f"{counted(document=info.documents, chunk=info.chunks)}{building}")


def languages(host: Host) -> Iterator[Check]:
    """Each corpus of which samples are in a language that the encoder is not made for."""
    for info in host.corpora():
        corpus = host.find_corpus(info.name)
        found = corpus.encoder.language_mismatch(corpus.contents.samples(_SAMPLES))
        if found is not None:
            mend = found.remedy(shlex.quote(info.name))
            yield Check(f"language of {info.name}", not found.is_most, found.detail, mend=mend)


def vector_index(host: Host) -> Iterator[Check]:
    """Whether the index can work. No fault of it prevents answers: exact search replaces it."""
    settings, folder = host.settings.index, host.settings.data_dir / "index"
    if settings.store == "pgvector":
        yield catalog_index_check(host.catalog)
    elif settings.server is not None:
        heartbeat(settings.server)
        yield Check("vector index", True, "the Chroma server answers", where=settings.server)
    elif settings.store == "none":
        yield Check("vector index", True, "none; exact search answers")
    elif not chroma_is_installed():
        wanted = settings.store == "chroma"
        mend = "pip install 'ragstone[server]'" if wanted else None
        yield Check("vector index", not wanted, "Chroma is not installed; exact search answers", mend=mend)
    elif folder.is_symlink():
        what = "it is a link, which is not followed; exact search answers"
        mend = "put a folder in its place, or mount one there"
        yield Check("vector index", False, what, mend=mend, where=str(folder))
    elif not folder.is_dir():
        yield Check("vector index", True, "none yet; exact search answers")
    else:
        yield from _damaged_indexes(folder)


def _damaged_indexes(folder: Path) -> Iterator[Check]:
    try:
        with FileLock(folder / "lock", timeout=0):
            damaged = {store.name: damage for store in sorted(folder.iterdir()) if (damage := index_damage(store))}
    except Timeout:
        yield Check("vector index", True, "another process has it open", where=str(folder))
        return
    for name, damage in damaged.items():
        mend = f"rm -r {shlex.quote(str(folder / name))}; ragstone serve rebuilds it"
        yield Check(f"vector index of {name}", False, damage, mend=mend, where=str(folder / name))
    if not damaged:
        yield Check("vector index", True, "in order", where=str(folder))


def language_model(host: Host) -> Iterator[Check]:
    """Whether the model's server can be reached with its key. Raises ``SettingsError``, ``LLMError``."""
    none = host.hooks.llm is None
    detail = "none: answers are the passages' own sentences" if none else check_server(host.settings.llm)
    yield Check("language model", True, detail)

"""Forgetting: what is forgotten stays forgotten until the file, or the part of it, says something else."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.core import NotFound

from ..parsers.node_parser import OWN
from . import fields
from .documents import FORGOTTEN, FileDocument, Stored
from .update_state import Keeping
from .updater import Updater

if TYPE_CHECKING:
    from collections.abc import Callable

    from .memory import Memory


@dataclass(frozen=True)
class Forgotten:
    """What was forgotten."""

    paths: list[str]
    chunks: int


def forget(memory: Memory, target: str, clock: Callable[[], float] = time.time) -> Forgotten:
    """Forget a file, a folder's files, or one chunk by its id. Raises ``NotFound``.

    The words leave the catalog. A file stays forgotten until its bytes change, a chunk until its words change, also
    where the file is deleted, renamed or copied in between. The files themselves are not touched.
    """
    updater = Updater(memory, clock)
    with Keeping(memory.host.settings.data_dir).alone():
        stored = updater.stored()
        path = memory.relative(target)
        below = [
            each
            for each, known in stored.items()
            if path is not None and (each == path or each.startswith(f"{path}/")) and known.left_out is None
        ]
        if below:
            chunks = sum(len(memory.corpus.contents.document_nodes(each)) for each in below)
            memory.corpus.ingest([_forgotten(each, stored[each]) for each in below])
            return Forgotten(sorted(below), chunks)
        return _forget_chunk(memory, target)


def _forget_chunk(memory: Memory, chunk_id: str) -> Forgotten:
    try:
        path = str(memory.corpus.contents.node(chunk_id).metadata[fields.PATH])
    except NotFound as error:
        hint = "give a path under the root, or the id of a chunk; ragstone memory status tells what is remembered"
        raise NotFound("nothing of that name is remembered", where=chunk_id[:200], hint=hint) from error
    known = Updater(memory).stored()[path]
    own = {**known.own, "forgotten": sorted({*known.own.get("forgotten", ()), chunk_id})}
    text = memory.corpus.contents.document_text(path)
    memory.corpus.ingest([FileDocument(id_=path, text=text, metadata={**known.metadata, OWN: own})])
    return Forgotten([path], 1)


def _forgotten(path: str, stored: Stored) -> FileDocument:
    document = stored.without_words(path, FORGOTTEN)
    own = document.metadata[OWN]
    own["forgotten_bytes"] = sorted({*own.get("forgotten_bytes", ()), stored.metadata[fields.FILE_HASH]})
    return document

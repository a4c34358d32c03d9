"""The functions that an agent calls; they find the memory by themselves.

None of them raises where there is no memory: the result is then empty, and the log says why. A wrong argument, such as
an unknown document type, raises ``BadRequest`` all the same.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path, PurePath
from types import NoneType

from ragstone.core import BadRequest, Host, RagstoneError
from ragstone.core.answering import check_type
from ragstone.core.host import first_host, open_hosts

from ..indexing.memory import Memory, memory_of
from ..settings import IrisMemorySettings
from .block import EMPTY, block
from .chunk import MemoryChunk
from .filters import MemoryFilters
from .search import MemoryQuery, recall

_log = logging.getLogger(__name__)

#: Characters of a mail's body that its query has, as specified.
_BODY = 200
_PLUGIN = "iris_memory"


def query_memory(
    query_text: str,
    n_results: int = 5,
    doc_types: Sequence[str] | None = None,
    min_relevance: float = 0.3,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    sender: str | None = None,
    recipient: str | None = None,
    subject: str | None = None,
    older: bool = False,
    as_of: datetime | None = None,
    host: Host | None = None,
) -> list[MemoryChunk]:
    """The chunks that are most similar to the text, best first; none with a cosine below ``min_relevance``.

    ``n_results``: 1 to 100. ``doc_types``: only these. ``since``, ``until``: only what happened then. ``sender``,
    ``recipient``, ``subject``: only mail that has this in its headers. ``older``: also notes that a newer one
    supersedes. ``as_of``: only facts that hold then, by default now.
    ``host``: an open host; without it the one that is open in this process, else one is opened.
    Raises ``BadRequest`` for a wrong argument, and no other expected error.
    """
    check_type(query_text, "query_text", str, "a string")
    check_type(n_results, "n_results", int, "a whole number")
    check_type(min_relevance, "min_relevance", (int, float), "a number")
    check_type(doc_types, "doc_types", (Collection, NoneType), "a list of document types or None")
    for each in doc_types or ():
        check_type(each, "each of doc_types", str, "a string")
    for name, moment in (("since", since), ("until", until), ("as_of", as_of)):
        check_type(moment, name, (datetime, NoneType), "a datetime or None")
    for name, part in (("sender", sender), ("recipient", recipient), ("subject", subject)):
        check_type(part, name, (str, NoneType), "a string or None")
    if isinstance(doc_types, str):
        raise BadRequest("doc_types must be a list of document types", hint=f"such as [{doc_types[:40]!r}]")
    _check_host(host)
    filters = MemoryFilters(
        tuple(doc_types or ()),
        None if since is None else since.timestamp(),
        None if until is None else until.timestamp(),
        sender,
        recipient,
        subject,
        None if as_of is None else as_of.timestamp(),
    )
    query = MemoryQuery(query_text, n_results, min_relevance, filters, older)
    try:
        found = recall(memory_of(host or first_host(_PLUGIN)), query)
    except RagstoneError as error:
        _log.warning("nothing is recalled: %s", error)
        return []
    if found.remark:
        _log.warning("recalling: %s", found.remark)
    return found.chunks


def format_for_prompt(chunks: Iterable[MemoryChunk], *, max_tokens: int | None = None, host: Host | None = None) -> str:
    """The chunks as a block ``<working_memory>`` for a worker's prompt; see ``block``.

    ``max_tokens``: of the whole block, as the encoder counts; by default the deployment's ``block_tokens``.
    """
    check_type(chunks, "chunks", Iterable, "a list of MemoryChunk")
    chunks = list(chunks)
    for chunk in chunks:
        check_type(chunk, "each of chunks", MemoryChunk, "a MemoryChunk")
    check_type(max_tokens, "max_tokens", (int, NoneType), "a whole number or None")
    _check_host(host)
    settings, count = IrisMemorySettings(), _estimate
    for found in [host] if host else open_hosts(_PLUGIN)[:1]:
        try:
            settings, count = memory_of(found).settings, memory_of(found).corpus.encoder.count_tokens
        except RagstoneError as error:
            _log.warning("the block's tokens are estimated: %s", error)
    return block(chunks, max_tokens=settings.block_tokens if max_tokens is None else max_tokens, count_tokens=count)


def working_memory_for_email(
    subject: str,
    body: str,
    *,
    n_results: int = 5,
    doc_types: Sequence[str] | None = None,
    min_relevance: float = 0.3,
    host: Host | None = None,
) -> str:
    """The block for a new mail: what is similar to its subject and the first 200 characters of its body."""
    check_type(subject, "subject", str, "a string")
    check_type(body, "body", str, "a string")
    chunks = query_memory(f"{subject}: {body[:_BODY]}", n_results, doc_types, min_relevance, host=host)
    return format_for_prompt(chunks, host=host) if chunks else EMPTY


def update_memory_for_file(path: str | PurePath, *, host: Host | None = None) -> bool:
    """Update the memory from the file, or from each file of the folder; a file may be gone.

    ``path``: absolute, or from the working folder or from the root, whichever has it. Returns whether that was done; if
    not, the log says why.
    """
    check_type(path, "path", (str, PurePath), "a path")
    _check_host(host)
    try:
        memory = memory_of(host or first_host(_PLUGIN))
        report = memory.update_file(_resolved(memory, path))
    except RagstoneError as error:
        _log.warning("%s is not remembered: %s", path, error)
        return False
    for each in report.missing:
        _log.warning("the memory is not as %s is: %s", path, each)
    return not report.missing


def _check_host(host: object) -> None:
    check_type(host, "host", (Host, NoneType), "an open Host or None")


def _resolved(memory: Memory, path: str | PurePath) -> Path:
    places = [place for place in (Path(path).absolute(), memory.root / path) if memory.relative(place) is not None]
    return next((place for place in places if os.path.lexists(place)), places[0] if places else Path(path).absolute())


def _estimate(text: str) -> int:
    """Upper estimate of a text's tokens, without an encoder."""
    ascii_only = sum(char.isascii() for char in text)
    return -(-ascii_only // 3) + len(text) - ascii_only

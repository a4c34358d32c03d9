"""Copies a corpus from one catalog to another, SQLite or PostgreSQL, without embedding anything again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import BadRequest, NotFound

if TYPE_CHECKING:
    from .catalog import Catalog
    from .snapshot import CorpusRow

#: The state of a corpus until its copy is complete.
COPYING = "copying"


@dataclass(frozen=True)
class CorpusCopy:
    """The result of copying a corpus."""

    name: str
    documents: int
    chunks: int
    #: Documents that an interrupted copy had left there.
    resumed: int


def check_copy(source: Catalog, target: Catalog, names: tuple[str, ...]) -> dict[str, int]:
    """The numbers of documents of these corpora, or of all of them.

    Raises ``NotFound``, and ``BadRequest`` where the target is the source, or has one of them: nothing is overwritten.
    """
    with source.read() as here, target.read() as there:
        if here.catalog_id() == there.catalog_id():
            raise BadRequest("is the catalog itself", where=target.where, hint="name another database")
        rows = {row.name: row for row in here.corpora() if row.state == "active"}
        for name in names:
            if name not in rows:
                raise NotFound(f"there is no corpus {name!r}", hint=f"known: {', '.join(rows) or 'none'}")
        found = {name: here.sizes(rows[name].id)[0] for name in names or rows}
        taken = [name for name in found if there.corpus(name) is not None]
    if taken:
        others = [name for name in found if name not in taken]
        raise BadRequest(
            f"has {', '.join(taken)} already, and nothing is overwritten",
            where=target.where,
            hint=f"name only the others: {', '.join(others)}" if others else "give another database",
        )
    return found


def copy_corpus(
    source: Catalog, target: Catalog, name: str, dimension: int | None, on_document: Callable[[], None]
) -> CorpusCopy:
    """Copy the corpus, one transaction a document; it can be used there when it is complete.

    A copy that was interrupted goes on where it was. ``dimension``: of the vectors, where it is known. Raises what
    ``check_copy`` does, and ``StorageError`` for a damaged chunk.
    """
    resumed: int | None = None
    while True:
        with source.read() as here:
            row = here.corpus(name)
            if row is None:
                raise NotFound(f"there is no corpus {name!r}")
            stored = sorted(here.documents(row.id), key=lambda document: document.seq)
            size = dimension or here.vectors.dimension(row.id)
        copy = _begun(target, row, source.where)
        with target.read() as there:
            known = {document.doc_id: (document.seq, document.hash) for document in there.documents(copy.id)}
        gone = sorted(known.keys() - {document.doc_id for document in stored})
        if gone:
            target.documents.remove(copy.id, gone)
        resumed = len(known) - len(gone) if resumed is None else resumed
        for document in stored:
            if known.get(document.doc_id) != (document.seq, document.hash):
                with source.read() as here:
                    new = here.stored_document(row.id, document.doc_id, size)
                if new is not None:  # else it was removed meanwhile
                    target.documents.put(copy.id, new, seq=document.seq)
            on_document()
        with source.read() as here:
            now = here.corpus(name)
        # What changed meanwhile is copied in the next round.
        if now is not None and (now.id, now.seq) == (row.id, row.seq):
            if not target.adopt_copy(copy, now):
                raise BadRequest(f"has {name} already, and nothing is overwritten", where=target.where)
            with target.read() as there:
                documents, chunks = there.sizes(copy.id)
            return CorpusCopy(name, documents, chunks, resumed)


def _begun(target: Catalog, row: CorpusRow, where: str) -> CorpusRow:
    """The unfinished copy of this very corpus in the target; one of another corpus is removed."""
    origin = {"copied_from": f"{where} {row.id} {row.created_at.isoformat()}"}
    copy = target.create_corpus(row.name, row.fingerprint, state=COPYING)
    if copy.calibration not in (None, origin) or copy.fingerprint != row.fingerprint:
        target.drop_corpus(copy.id)
        copy = target.create_corpus(row.name, row.fingerprint, state=COPYING)
    target.set_calibration(copy.id, origin)
    return copy

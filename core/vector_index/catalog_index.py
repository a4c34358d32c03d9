"""The state of the index that is in the catalog's own database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..health import Check

if TYPE_CHECKING:
    from ..catalog import Catalog, VectorState


def catalog_index_check(catalog: Catalog) -> Check:
    """Whether questions are answered from the index of each corpus."""
    filling = catalog.vector_filling
    assert filling is not None  # noqa: S101 - the caller knows that the deployment wants one
    with catalog.read() as snapshot:
        names = {row.id: row.name for row in snapshot.corpora() if row.state == "active"}
    states = {name: filling.state(corpus_id) for corpus_id, name in names.items()}
    detail = "; ".join(f"{name}: {describe(state)}" for name, state in states.items())
    mend = None if all(state.is_complete for state in states.values()) else "ragstone corpus index, or ragstone serve"
    return Check("vector index", True, f"pgvector in the catalog{f'; {detail}' if detail else ''}", mend=mend)


def describe(state: VectorState) -> str:
    """The state in words."""
    if not state.is_complete:
        return f"{state.filled} of {state.chunks} passages are in it, exact search in memory answers"
    return "HNSW" if state.has_hnsw else "scanned, which is exact"

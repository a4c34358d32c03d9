"""A stored plan as the file that ``seed`` and ``plan add`` read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .addresses import PASSAGES

if TYPE_CHECKING:
    from .records import SourceChunk
    from .store import PlanStore


def export_plan(store: PlanStore, slug: str) -> dict[str, Any]:
    """The plan as ``PlanSchema`` describes it, ready for JSON. Raises ``NotFound``."""
    plan, edges, sources = store.plan(slug), store.edges(slug), store.all_sources(slug)
    return {
        "title": plan.title,
        "slug": plan.slug,
        "description": plan.description,
        "language": plan.language,
        "origin": plan.origin,
        "concepts": [
            {
                "key": one.key,
                "name": one.name,
                "summary": one.summary,
                "needs": [
                    {"concept": edge.prerequisite, "reason": edge.reason, "weight": edge.weight}
                    for edge in edges
                    if edge.concept == one.key
                ],
                "sources": [_source(chunk) for chunk in sources[one.key]],
            }
            for one in store.concepts(slug)
        ],
    }


def _source(chunk: SourceChunk) -> dict[str, Any]:
    return {
        "page_title": chunk.page_title,
        "section": chunk.section,
        "content": chunk.content,
        "url": "" if chunk.page_url.startswith(PASSAGES) else chunk.page_url,
        "source": chunk.source,
        "licence": chunk.licence,
        "revision": chunk.revision,
        "retrieved": chunk.retrieved.isoformat(),
        "language": chunk.language,
        "relevance": chunk.relevance,
        "categories": list(chunk.categories),
    }

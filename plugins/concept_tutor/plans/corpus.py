"""The corpus ``concept_tutor``: the plans' passages as the host's retrieval, gate and citation check know them.

The tables of ``store`` are the truth about a plan; the corpus is brought after them by ``bring_up_to_date``, which may
be killed anywhere and goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Any, ClassVar

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, TextNode

from . import KIND, NAME
from .store import PlanStore

if TYPE_CHECKING:
    from ragstone.core import Corpus, Host, IngestProgress

    from .records import SourceChunk

_SPOKEN = ("page_title", "section")


class PassageParser(NodeParser):
    """Makes one chunk of each document, which is a passage already; the chunk has the document's id."""

    version: ClassVar[int] = 1

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "PassageParser"

    @property
    def fingerprint(self) -> str:
        """What shapes the chunks; another fingerprint means another corpus."""
        return f"tutor_passage/{self.version}"

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> list[BaseNode]:
        return [
            TextNode(
                id_=node.node_id,
                text=node.get_content(metadata_mode=MetadataMode.NONE),
                metadata=dict(node.metadata),
                excluded_embed_metadata_keys=[key for key in node.metadata if key not in _SPOKEN],
                excluded_llm_metadata_keys=[key for key in node.metadata if key not in _SPOKEN],
                metadata_template="{value}",
                metadata_separator=" › ",
                text_template="{metadata_str}\n\n{content}",
                relationships={NodeRelationship.SOURCE: node.as_related_node_info()},
            )
            for node in nodes
        ]


def corpus_of(host: Host) -> Corpus:
    """The passages of all plans. A chunk's id is its ``chunk_id``; its metadata are those of ``document_of``."""
    return host.corpus(NAME, kind=KIND, hint="ragstone tutor plan add, then ragstone tutor sources PLAN")


def document_of(chunk: SourceChunk) -> Document:
    """A passage as a document: ``plan``, ``chunk`` (its id), and what a citation shows of it."""
    return Document(
        id_=chunk.chunk_id,
        text=chunk.content,
        metadata={
            "plan": chunk.plan,
            "chunk": chunk.chunk_id,
            "page_title": chunk.page_title,
            "section": chunk.section,
            "url": chunk.page_url,
            "source": chunk.source,
            "revision": chunk.revision,
            "licence": chunk.licence,
            "language": chunk.language,
        },
    )


def bring_up_to_date(
    host: Host, slugs: Sequence[str] | None = None, on_progress: Callable[[IngestProgress], None] | None = None
) -> int:
    """Put the passages of these plans, or of all, into the corpus, and take out those that are in no plan.

    Returns how many were embedded. ``on_progress`` as for ``Corpus.ingest``.
    """
    store, corpus = host.once(PlanStore), corpus_of(host)
    done = 0
    for slug in [size.plan.slug for size in store.plans()] if slugs is None else slugs:
        known = {chunk.chunk_id: chunk for chunks in store.all_sources(slug).values() for chunk in chunks}
        if known:
            report = corpus.ingest([document_of(chunk) for chunk in known.values()], on_progress=on_progress)
            done += len(report.added) + len(report.updated)
    if stored := {row.doc_id for row in corpus.contents.documents()}:
        corpus.remove(sorted(stored - store.chunk_ids()))
    return done


def behind(host: Host) -> list[str]:
    """Plans with passages that are not in the corpus: a process ended before it had embedded them."""
    store = host.once(PlanStore)
    known = {row.doc_id for row in corpus_of(host).contents.documents()}
    return [size.plan.slug for size in store.plans() if size.chunks and not store.chunk_ids(size.plan.slug) <= known]

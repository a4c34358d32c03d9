"""What the memory puts into the host's search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..indexing.memory import CORPUS
from ..settings import IrisMemorySettings

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.vector_stores.types import MetadataFilters

    from ragstone.core import Corpus, Host


def retriever(host: Host, corpus: Corpus, top_k: int, filters: MetadataFilters | None) -> BaseRetriever | None:
    """Searches the memory's corpus; every other one is left to others."""
    if corpus.name != CORPUS:
        return None
    from ..retrievers import MemoryRetriever
    from .recency import Recency

    options = host.options(IrisMemorySettings)
    return MemoryRetriever(
        corpus, top_k=top_k, filters=filters, recency=Recency(options.date_weight, options.half_life_days)
    )


def postprocessors(host: Host, corpus: Corpus) -> list[BaseNodePostprocessor]:
    """Take superseded notes, and mail that is too old, away from what the memory's corpus offers."""
    if corpus.name != CORPUS:
        return []
    from .mail_age import MailInTime
    from .postprocessors import NewestOnly

    options = host.options(IrisMemorySettings)
    return [MailInTime(days=options.mail_days), NewestOnly(share=options.same_share)]

"""LangChain's retriever over an assistant's corpus (``ragstone[langchain]``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from .answering.findings import find_chunks
from .answering.question import Question
from .errors import require_extra

require_extra("langchain", "langchain_core")

from langchain_core.documents import Document  # noqa: E402 - the extra is looked for first
from langchain_core.retrievers import BaseRetriever  # noqa: E402

if TYPE_CHECKING:
    from .host.host import Host

__all__ = ["RagstoneRetriever"]


class RagstoneRetriever(BaseRetriever):  # type: ignore[misc]  # untyped where LangChain is missing
    """Finds the chunks that ``assistant`` would answer a question from; ``k`` of them, or as many as it takes.

    Each is a ``Document`` whose id is the chunk's; its metadata has the assistant's fields, ``url`` and ``score``.
    Errors as for ``Assistant.ask``.
    """

    host: Any
    assistant: str
    k: int | None = None
    #: By the assistant's own filters.
    filters: dict[str, str] = Field(default_factory=dict)

    def __init__(self, host: Host, assistant: str, **options: Any) -> None:
        super().__init__(host=host, assistant=assistant, **options)

    # LangChain looks for ``run_manager`` by its name
    def _get_relevant_documents(self, query: str, *, run_manager: Any, k: int | None = None) -> list[Document]:  # noqa: ARG002
        question = Question(query, top_k=k or self.k, filters=self.filters)
        found = [chunk.to_dict() for chunk in find_chunks(self.host.assistant(self.assistant), question).chunks]
        return [Document(each.pop("text"), id=each["chunk_id"], metadata=each) for each in found]

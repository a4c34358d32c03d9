"""Contracts of replaceable parts as test classes: subclass one and provide your own object as a fixture.

Each ``test_…`` method is one clause; its arguments are fixtures of the subclass. A failing clause has a message that
says what is wrong. Nothing here imports pytest.
"""

from .assistants import AssistantContract
from .node_parsers import NodeParserContract
from .readers import FileReaderContract, ReaderContract
from .retrievers import RetrieverContract, ScoredRetrieverContract
from .vector_stores import VectorStoreContract

__all__ = [
    "AssistantContract",
    "FileReaderContract",
    "NodeParserContract",
    "ReaderContract",
    "RetrieverContract",
    "ScoredRetrieverContract",
    "VectorStoreContract",
]

"""What a replaceable part must keep to, as classes of tests: subclass one and give it your own object.

Each ``test_…`` method is one clause; what it is called with are fixtures, which the subclass gives. A clause that is
broken says how. Nothing here imports pytest.
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

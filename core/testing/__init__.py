"""For the tests of plugins: a host in a folder of its own, fast models, and what every reader, node parser, retriever,
vector store and assistant must keep to.

As a pytest plugin (``pytest_plugins = ["ragstone.core.testing"]``) it brings the fixtures of ``fixtures.py``; otherwise
it needs no pytest. It may be imported before pytest looks at it, as it has no ``assert``: PYTEST_DONT_REWRITE.
"""

from .contracts import (
    AssistantContract,
    FileReaderContract,
    NodeParserContract,
    ReaderContract,
    RetrieverContract,
    ScoredRetrieverContract,
    VectorStoreContract,
)
from .hosts import SmallCorpus, fill_small_corpus, open_host, plugin_state, small_documents
from .models import ScriptedLLM, TestModels, WordEmbedding

#: pytest reads it: the fixtures come along, and nobody else imports pytest.
pytest_plugins = ["ragstone.core.testing.fixtures"]

__all__ = [
    "AssistantContract",
    "FileReaderContract",
    "NodeParserContract",
    "ReaderContract",
    "RetrieverContract",
    "ScoredRetrieverContract",
    "ScriptedLLM",
    "SmallCorpus",
    "TestModels",
    "VectorStoreContract",
    "WordEmbedding",
    "fill_small_corpus",
    "open_host",
    "plugin_state",
    "small_documents",
]

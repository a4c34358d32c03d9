"""The test kit for plugins: a host in a folder of its own, fast models, and contracts of readers, node parsers,
retrievers, vector stores and assistants.

As a pytest plugin (``pytest_plugins = ["ragstone.core.testing"]``) it provides the fixtures of ``fixtures.py``;
otherwise it needs no pytest. It has no ``assert`` that pytest would rewrite: PYTEST_DONT_REWRITE.
"""

from .contracts.assistants import AssistantContract
from .contracts.node_parsers import NodeParserContract
from .contracts.readers import FileReaderContract, ReaderContract
from .contracts.retrievers import RetrieverContract, ScoredRetrieverContract
from .contracts.vector_stores import VectorStoreContract
from .hosts import SmallCorpus, fill_small_corpus, open_host, plugin_state, small_documents
from .models import ScriptedLLM, TestModels, WordEmbedding

#: Read by pytest, which then imports the fixtures; no other module imports pytest.
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

"""Plain LlamaIndex with its defaults, on the same files, questions and weights: one public function a measurement."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import chromadb
from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode, QueryBundle
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.chroma import ChromaVectorStore

from .figures import spread

_FOLDER = "peer"
_TOP_K = 5
_WARM_UP = 10


def ingest(work: str, weights: str, files: dict[str, list[str]]) -> dict[str, Any]:
    """Read, split, embed and store the books' files; the encoder is loaded and warm."""
    model = HuggingFaceEmbedding(model_name=weights)
    model.get_text_embedding_batch(["warm " * length for length in (5, 60, 250)] * 4)
    shutil.rmtree(Path(work, _FOLDER), ignore_errors=True)
    store = _store(work)
    found = {}
    for name, paths in files.items():
        before = store.client.count()
        started = time.perf_counter()
        documents = SimpleDirectoryReader(input_files=paths).load_data()
        VectorStoreIndex.from_documents(
            documents,
            storage_context=StorageContext.from_defaults(vector_store=store),
            embed_model=model,
            transformations=[SentenceSplitter()],
        )
        spent = time.perf_counter() - started
        nodes = SentenceSplitter().get_nodes_from_documents(documents)
        found[name] = {
            "seconds": round(spent, 3),
            "files": len(paths),
            "chunks": store.client.count() - before,
            "chars": sum(len(node.get_content()) for node in nodes),
            **_tokens(model, [node.get_content(MetadataMode.EMBED) for node in nodes]),
        }
    return {"books": found}


def query(work: str, weights: str) -> dict[str, Any]:
    """The same questions to its retriever: question to chunks, for it has no answerer that needs no LLM."""
    questions = json.loads(Path(work, "questions.json").read_text("utf-8"))
    started = time.perf_counter()
    model = HuggingFaceEmbedding(model_name=weights)
    index = VectorStoreIndex.from_vector_store(_store(work), embed_model=model)
    retriever = index.as_retriever(similarity_top_k=_TOP_K)
    retriever.retrieve("Which of these books is the longest?")
    first = time.perf_counter() - started
    for question in questions[:: max(1, len(questions) // _WARM_UP)]:
        retriever.retrieve(f"{question} And why?")
    parts: dict[str, list[float]] = {"encode": [], "retrieve": [], "total": []}
    for question in questions:
        started = time.perf_counter()
        vector = model.get_query_embedding(question)
        encoded = time.perf_counter()
        found = retriever.retrieve(QueryBundle(question, embedding=vector))
        ended = time.perf_counter()
        assert len(found) == _TOP_K
        parts["encode"].append((encoded - started) * 1000)
        parts["retrieve"].append((ended - encoded) * 1000)
        parts["total"].append((ended - started) * 1000)
    return {
        "questions": len(questions),
        "first_answer_s": round(first, 3),
        "ms": {name: spread(values) for name, values in parts.items()},
    }


def _store(work: str) -> Any:
    client = chromadb.PersistentClient(path=str(Path(work, _FOLDER)))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection("books"))


def _tokens(model: HuggingFaceEmbedding, texts: list[str]) -> dict[str, int]:
    """How many tokens there are, and how many the encoder does not cut off."""
    tokenizer = type(model._model.tokenizer.backend_tokenizer).from_str(
        model._model.tokenizer.backend_tokenizer.to_str()
    )
    tokenizer.no_truncation()
    tokenizer.no_padding()
    lengths = [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]
    room = int(model.max_length) - 2
    return {"tokens": sum(lengths), "tokens_embedded": sum(min(length, room) for length in lengths)}

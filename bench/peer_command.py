"""Plain LlamaIndex as a whole process: opens the stored index, finds the chunks, prints them as JSON."""

from __future__ import annotations

import json
import sys

import chromadb
from llama_index.core import VectorStoreIndex
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.chroma import ChromaVectorStore

if __name__ == "__main__":
    folder, weights, question = sys.argv[1:4]
    collection = chromadb.PersistentClient(path=folder).get_collection("books")
    model = HuggingFaceEmbedding(model_name=weights)
    index = VectorStoreIndex.from_vector_store(ChromaVectorStore(chroma_collection=collection), embed_model=model)
    found = index.as_retriever(similarity_top_k=5).retrieve(question)
    print(json.dumps([{"id": chunk.node.node_id, "score": chunk.score} for chunk in found]))

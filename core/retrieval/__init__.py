"""Retrieval: dense and lexical search, fusion, rerank, the evidence gate and its calibration."""

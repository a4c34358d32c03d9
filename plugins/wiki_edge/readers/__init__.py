"""Readers of encyclopedias: dumps, ZIM files, parquet, JSON lines."""

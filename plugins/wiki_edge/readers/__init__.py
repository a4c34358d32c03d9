"""Readers of encyclopedias: MediaWiki dumps, ZIM files, parquet, JSON lines."""

"""Indexing: scans files, compares them with the catalog, updates it, watches, forgets."""

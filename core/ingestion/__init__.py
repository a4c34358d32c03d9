"""Ingestion: from documents to nodes with vectors in the catalog."""

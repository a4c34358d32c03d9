"""Ingestion: from documents to nodes with vectors in the catalog."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .html_tables import TableRows
    from .pipeline import IngestProgress, IngestReport, OnProgress

__all__ = [
    "IngestProgress",
    "IngestReport",
    "OnProgress",
    "TableRows",
]

__getattr__, __dir__ = lazy_names(__name__)

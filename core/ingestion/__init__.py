"""Ingestion: from documents to nodes with vectors in the catalog."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .html_tables import TableRows
    from .packing import Unit, cut_at, halves, pack, sentences, split
    from .pipeline import IngestProgress, IngestReport, OnProgress
    from .span_node_parser import WholeDocument

__all__ = [
    "IngestProgress",
    "IngestReport",
    "OnProgress",
    "TableRows",
    "Unit",
    "WholeDocument",
    "cut_at",
    "halves",
    "pack",
    "sentences",
    "split",
]

__getattr__, __dir__ = lazy_names(__name__)

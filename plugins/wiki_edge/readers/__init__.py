"""Readers of encyclopedias: MediaWiki dumps, ZIM files, parquet, JSON lines."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .article_reader import ArticleReader, ArticleStream, ReadRequest
    from .sources import SUFFIXES, files_of

__all__ = ["SUFFIXES", "ArticleReader", "ArticleStream", "ReadRequest", "files_of"]

__getattr__, __dir__ = lazy_names(
    __name__, {"article_reader": "ArticleReader ArticleStream ReadRequest", "sources": "SUFFIXES files_of"}
)

"""The node parser of encyclopedias: chunks of 512 to 1,024 tokens."""

from typing import TYPE_CHECKING

from ragstone.core.runtime import lazy_names

if TYPE_CHECKING:
    from .article_parser import ArticleNodeParser

__all__ = ["ArticleNodeParser"]

__getattr__, __dir__ = lazy_names(__name__, {"article_parser": "ArticleNodeParser"})

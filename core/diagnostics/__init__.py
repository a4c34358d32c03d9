"""The doctor: looks at a whole deployment, however broken it is, and says of each part how it is and what mends it."""

from .examination import examine

__all__ = ["examine"]

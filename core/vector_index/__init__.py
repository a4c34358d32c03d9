"""The vector index: a cache of the catalog that follows it and may be thrown away at any time."""

from .follower import Follower
from .followers import IndexFollowers

__all__ = ["Follower", "IndexFollowers"]

"""The vector index: a cache of the catalog's vectors that follows its changes and can be rebuilt at any time."""

from .follower import Follower
from .followers import IndexFollowers

__all__ = ["Follower", "IndexFollowers"]

"""The vector index: a cache of the catalog that follows it and may be thrown away at any time."""

from .follower import Follower
from .followers import Following

__all__ = ["Follower", "Following"]

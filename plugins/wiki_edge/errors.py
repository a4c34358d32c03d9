"""What can be wrong with shards."""

from ragstone.core import SourceError


class ShardError(SourceError):
    """A shard or its manifest cannot be used; ``where`` names the file and, where there is one, the line."""

    title = "The shard cannot be used"

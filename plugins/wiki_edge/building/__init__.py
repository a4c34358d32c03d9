"""From a source to a shard."""

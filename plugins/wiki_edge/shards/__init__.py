"""A shard on disk: what it is made of, whether it is whole, who signed it, how it gets in place."""

"""Searching shards within a budget of memory."""

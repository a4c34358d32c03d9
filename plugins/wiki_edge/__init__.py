"""Offline encyclopedia: semantic shards of Wikipedia within a robot's memory, and a planner's way to ask them."""

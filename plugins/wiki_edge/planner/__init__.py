"""A robot's planner: facts and recalls as data, and answers within a budget."""

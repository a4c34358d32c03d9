"""What a robot's planner gets: facts and recalls as data, and answers within a budget."""

"""The deployments that the repository brings."""

"""Processes, forks, locks, limits of time and work, and files that are replaced in one piece."""

"""Keeping the memory as the files are: looking, comparing, reading, storing, watching, forgetting."""

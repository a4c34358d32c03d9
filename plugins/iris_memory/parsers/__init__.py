"""Parsers: a file's sections by its strategy, and chunks of the right sizes."""

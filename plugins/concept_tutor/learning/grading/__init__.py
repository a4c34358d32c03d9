"""Answers laid beside the span that they should tell, hints before it, and what to read after it."""

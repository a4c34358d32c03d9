"""Answering: from a question to an answer whose sentences carry citations."""

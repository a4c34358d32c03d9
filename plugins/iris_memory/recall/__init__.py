"""Recall: queries of the memory, and the block for a prompt."""

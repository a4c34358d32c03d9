"""Recall: what the memory holds that is near to a text, and how it is put before whoever asked."""

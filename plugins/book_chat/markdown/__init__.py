"""Markdown of several dialects as normalized Markdown, its blocks, sections and chunks."""

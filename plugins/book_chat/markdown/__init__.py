"""Markdown of several dialects as clean Markdown, its blocks, sections and chunks."""

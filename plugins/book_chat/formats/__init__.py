"""Readers of EPUB, HTML, DOCX, reStructuredText, AsciiDoc and plain text."""

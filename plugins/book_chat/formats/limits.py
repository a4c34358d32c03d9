"""What reading one file may take."""

from __future__ import annotations

#: Of each suffix, the module and the function that read it, and the packages that these need.
READERS = {
    ".epub": "epub:read_epub",
    ".html": "html_page:read_html",
    ".htm": "html_page:read_html",
    ".xhtml": "html_page:read_html",
    ".docx": "docx:read_docx",
    ".rst": "rst:read_rst",
}
PACKAGES = {".docx": ("lxml", "mammoth"), ".rst": ("lxml", "docutils")}
#: Bytes of a file; a book with many pictures has some hundred million.
MAX_BYTES = 400_000_000
#: Megabytes of address space.
MEGABYTES = 1500
_SECONDS, _BYTES_A_SECOND = 60.0, 1_000_000


def seconds_for(size: int) -> float:
    """Seconds that a file of ``size`` bytes may take."""
    return _SECONDS + size / _BYTES_A_SECOND

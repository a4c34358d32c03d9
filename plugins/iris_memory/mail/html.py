"""HTML mail as lines of plain text, without scripts, styles and addresses."""

from __future__ import annotations

import re
from html import unescape

# Python's own parser takes quadratic time on input made for that, and raises AssertionError on other input.
# These expressions take linear time.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SILENT = re.compile(
    r"<(script|style|head|title|template|noscript|svg|object|iframe)\b[^<>]*>.*?(?:</\1\s*>|(?=<body\b)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)[^<>]*>|<[!?/][^<>]*>")
_BLOCKS = frozenset({"article", "br", "center", "dd", "div", "dl", "dt", "footer", "header", "hr", "ol", "p", "pre"})
_BLOCKS |= {"section", "table", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6"}
_DEEPEST_QUOTE = 5


def text_of_html(html: str) -> str:
    """The words of the page, a line for each block, quoted blocks with ``> `` as in a plain mail."""
    html = _SILENT.sub(" ", _COMMENT.sub("", html))
    parts: list[str] = []
    quoted, at = 0, 0
    for tag in _TAG.finditer(html):
        parts.append(_words(html[at : tag.start()]))
        at, name = tag.end(), (tag[2] or "").lower()
        if name == "blockquote":
            quoted = max(0, quoted + (-1 if tag[1] else 1))
        if name == "blockquote" or name in _BLOCKS or (name == "li" and not tag[1]):
            parts.append("\n" + "> " * min(quoted, _DEEPEST_QUOTE) + ("- " if name == "li" else ""))
        elif name in ("td", "th"):
            parts.append(" ")
    parts.append(_words(html[at:]))
    lines = [" ".join(line.split()) for line in "".join(parts).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join("" if line.strip("> ") == "" else line for line in lines)).strip()


def _words(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))

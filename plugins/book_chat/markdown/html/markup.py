"""HTML and XML of untrusted files as lxml trees: no entities of their own, no network, no document types."""

from __future__ import annotations

import re
from html.entities import name2codepoint
from typing import Any

from ragstone.core.runtime import Unanswered
from ragstone.core.text import decode

#: What is nested deeper than this is read as text.
MAX_DEPTH = 100
_LONGEST_HEAD = 20_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*+)?>", re.DOTALL | re.IGNORECASE)
_ENCODING = re.compile(rb"""^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
#: Elements that may be empty only in XML: a reader of HTML would take what follows as their content.
_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([A-Za-z][\w:.-]*+)([^<>]*?)/>"
)


class Malformed(ValueError):
    """What should be XML is none."""


def is_binary(data: bytes) -> bool:
    """Whether it has NUL bytes, which text has in UTF-16 alone."""
    return b"\0" in data and not data.startswith(_UTF_16)


def decoded(data: bytes) -> str:
    """The text of a page: as its byte order mark, its declaration or UTF-8 says, else Windows' Western encoding."""
    if data.startswith(_UTF_16):
        return data.decode("utf-16", "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    stated = _ENCODING.match(data) or _META_CHARSET.search(data[:2048])
    for encoding in ("utf-8", stated[1].decode("ascii") if stated else "cp1252"):
        try:
            return decode(data, encoding)
        except (ValueError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def parse_xml(data: bytes) -> Any:
    """The root of a small XML file. Raises ``Malformed``, also for one that declares entities."""
    text = decoded(data)
    if "<!ENTITY" in text:
        raise Malformed("declares entities")
    return _strict(text)


def parse_page(data: bytes) -> Any:
    """The root of a page: as XML where it is well-formed, else as browsers read HTML; None for an empty one.

    Raises ``Unanswered``.
    """
    import lxml.etree
    import lxml.html

    text = decoded(data)
    if "<?xml" in text[:200] or "http://www.w3.org/1999/xhtml" in text[:2000]:
        try:
            return _strict(text)
        except Malformed:
            text = _CLOSED.sub(r"<\1\2></\1>", text)
    # Without huge_tree all that follows the 256th level is lost, and the page may be a good one.
    parser = lxml.html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    text = _without_doctype(text)
    try:
        page = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except lxml.etree.ParserError:  # there is nothing in it
        return None
    if any("Excessive depth" in error.message for error in parser.error_log):
        raise Unanswered("broken", "has elements within each other on more than 2,048 levels; the rest would be lost")
    return page


def _strict(text: str) -> Any:
    import lxml.etree

    bare = _ENTITY.sub(_character, _without_doctype(text))
    parser = lxml.etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        return lxml.etree.fromstring(bare.encode("utf-8", "replace"), parser)
    except (lxml.etree.XMLSyntaxError, ValueError) as error:
        raise Malformed(f"is not well-formed: {error}"[:200]) from error


def _without_doctype(text: str) -> str:
    """The text without its declaration and its document type, which are looked for at its beginning alone."""
    head, rest = text[:_LONGEST_HEAD], text[_LONGEST_HEAD:]
    return _DOCTYPE.sub("", _DECLARATION.sub("", head.lstrip("\ufeff")), count=1) + rest


def _character(found: re.Match[str]) -> str:
    """HTML's name of a character, which XML does not know without a document type, as the character."""
    name = found[1]
    return found[0] if name in _XML_NAMES or name not in name2codepoint else chr(name2codepoint[name])


def name_of(element: Any) -> str:
    """An element's name in small letters without its namespace; "" for what is none."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """An attribute whatever its namespace, such as ``epub:type``; "" without it."""
    found = element.get(name)
    if found is None:
        found = next((value for key, value in element.attrib.items() if _bare(key) == name), "")
    return str(found)


def _bare(key: str) -> str:
    return key.rpartition("}")[2].rpartition(":")[2]


def names_of(element: Any) -> str:
    """What an element says that it is: its classes, roles and types, in small letters."""
    values = (element.get("class"), element.get("role"), element.get("data-type"), attribute(element, "type"))
    return " ".join(value for value in values if value)[:1000].lower()


def words_of(element: Any) -> str:
    """All text in an element, as one line."""
    return " ".join("".join(element.itertext()).split())

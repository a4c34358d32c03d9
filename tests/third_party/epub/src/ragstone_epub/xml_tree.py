"""A small XML file as a tree, without entities: they may grow without end, or name files of the machine."""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .errors import Refused

_DEEPEST, _MOST = 64, 100_000
_SPACE = " "


def parse(data: bytes, name: str) -> Element:
    """The root, every tag without its namespace. Raises ``Refused``."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator=_SPACE)
    parser.buffer_text = True
    depth = count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if count > _MOST:
            raise Refused("too_large", f"its part {name!r} has more than {_MOST:,} elements")
        if depth > _DEEPEST:
            raise Refused("broken", f"its part {name!r} is nested too deeply")
        builder.start(_bare(tag), {_bare(key): value for key, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_bare(tag))

    def declared(*_: object) -> NoReturn:
        raise Refused("entities", f"its part {name!r} declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    try:
        parser.Parse(data, True)
        return builder.close()
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        raise Refused("broken", f"its part {name!r} is not well-formed: {error}") from error


def _bare(tag: str) -> str:
    return tag.rpartition(_SPACE)[2]

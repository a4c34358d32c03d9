"""The options by which a question is narrowed; which there are, each assistant says for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Collection

narrowing_argument = click.argument("narrowing", nargs=-1, type=click.UNPROCESSED, metavar="[--book SLUG …]")


def pairs(words: tuple[str, ...], known: Collection[str]) -> dict[str, str]:
    """``("--book", "primer")`` or ``("--book=primer",)`` as a mapping. Raises ``BadRequest``."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            raise BadRequest(f"unexpected argument {word!r}", hint="put a question of several words in quotes")
        name = name.replace("-", "_")
        if name not in known:
            options = ", ".join(f"--{option}" for option in (*known, "top-k", "json"))
            raise BadRequest(f"there is no option --{name}", hint=f"known: {options}")
        if not equals:
            if not rest:
                raise BadRequest(f"{word} needs a value")
            value = rest.pop(0)
        found[name] = value
    return found

"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package.

    ``names``: the names that each module of the package defines, separated by spaces; ``A=B`` is its ``B`` as ``A``.
    """
    places = {
        name: (module, own or name)
        for module, listed in names.items()
        for name, _, own in (each.partition("=") for each in listed.split())
    }

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = places[name]
        value = getattr(import_module(f".{module}", package), own)
        setattr(import_module(package), name, value)
        return value

    def names_of() -> list[str]:
        return [*vars(import_module(package)), *places]

    return get, names_of

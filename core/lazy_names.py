"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package, whose names are those that it imports for type checkers alone:
    what it has below ``if TYPE_CHECKING:``."""

    @cache
    def places() -> dict[str, tuple[str, str]]:
        checked = [each.body for each in ast.parse(source_of(package)).body if isinstance(each, ast.If)]
        return imported_names((each for body in checked for each in body), package)

    def get(name: str) -> Any:
        if name.startswith("__") or name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = places()[name]
        value = getattr(import_module(module), own)
        setattr(sys.modules[package], name, value)
        return value

    def names_of() -> list[str]:
        return [*vars(sys.modules[package]), *places()]

    return get, names_of


def source_of(package: str) -> bytes:
    """The source of the package's ``__init__.py``."""
    module = sys.modules[package]
    loader: Any = module.__loader__  # of files or of a zip archive
    source: bytes = loader.get_data(module.__file__)
    return source


def imported_names(statements: Iterable[ast.stmt], package: str) -> dict[str, tuple[str, str]]:
    """By name, the module that it is imported from and its name there, of statements in the package's ``__init__``."""
    names: dict[str, tuple[str, str]] = {}
    for statement in statements:
        if isinstance(statement, ast.ImportFrom):
            source = resolve_name("." * statement.level + (statement.module or ""), package)
            names |= {each.asname or each.name: (source, each.name) for each in statement.names}
    return names

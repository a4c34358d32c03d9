"""Names that are imported when they are first used: of our own packages (PEP 562), and of another distribution's.

``llama_index/core/__init__.py`` and those below it import a thousand modules, of which a question needs a few dozen:
``import_lazily`` runs none of them. Not for a package whose ``__init__`` changes something elsewhere, as that of
``requests`` does with warnings.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, resolve_name
from types import ModuleType
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package, whose names are those that it imports for type checkers alone:
    what it has below ``if TYPE_CHECKING:``."""

    @cache
    def places() -> dict[str, tuple[str, str]]:
        checked = [each.body for each in ast.parse(_source_of(package)).body if isinstance(each, ast.If)]
        return _imported_names((each for body in checked for each in body), package)

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


def _source_of(package: str) -> bytes:
    """The source of the package's ``__init__.py``."""
    module = sys.modules[package]
    loader: Any = module.__loader__  # of files or of a zip archive
    source: bytes = loader.get_data(module.__file__)
    return source


def _imported_names(statements: Iterable[ast.stmt], package: str) -> dict[str, tuple[str, str]]:
    """By name, the module that it is imported from and its name there, of statements in the package's ``__init__``."""
    names: dict[str, tuple[str, str]] = {}
    for statement in statements:
        if isinstance(statement, ast.ImportFrom):
            source = resolve_name("." * statement.level + (statement.module or ""), package)
            names |= {each.asname or each.name: (source, each.name) for each in statement.names}
    return names


def import_lazily(package: str) -> None:
    """Make a package and all packages below it lazy, as far as they are not imported yet."""
    sys.meta_path.insert(0, _Finder(package))


class _Finder:
    """Finds the packages that are to be lazy; all other modules are left to the usual finders."""

    def __init__(self, package: str) -> None:
        self._prefix = f"{package}."

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not f"{name}.".startswith(self._prefix):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or not spec.submodule_search_locations or type(spec.loader) is not SourceFileLoader:
            return None
        spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _LazyPackage


class _LazyPackage(ModuleType):
    """A package with the names that its ``__init__.py`` imports, or declares with a constant, and with its modules.

    For any other name ``__init__.py`` is run, as the module ``PACKAGE.__init__``: by Python's import, under its locks.
    """

    def __getattr__(self, name: str) -> Any:
        value: Any
        if name == "_names":
            value = _names_of(self)
        elif name in self._names:
            module, value = self._names[name]
            value = getattr(import_module(module), value) if module else value
        elif name.startswith("__") and name not in {"__all__", "__version__"}:  # what Python looks for in any module
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        elif find_spec(f"{self.__name__}.{name}"):
            value = import_module(f"{self.__name__}.{name}")
        else:
            value = getattr(import_module(f"{self.__name__}.__init__"), name)
        self.__dict__[name] = value
        return value


def _names_of(package: ModuleType) -> Mapping[str, tuple[str, Any]]:
    """By name, its module and its name there; for a constant an empty module and its value."""
    statements = ast.parse(_source_of(package.__name__)).body
    found = _imported_names(statements, package.__name__)
    names: dict[str, tuple[str, Any]] = {name: at for name, at in found.items() if at[0] != package.__name__}
    for statement in statements:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value)):
                names[name] = ("", value)
    return names

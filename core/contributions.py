"""What hooks may return. A plugin that returns something else is disabled where it is called, not where it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llama_index.core.tools import BaseTool
from pydantic import BaseModel

#: Gives back what a hook returned, in the shape that the host uses. Raises ``TypeError``.
Shape = Callable[[Any], Any]


def anything(result: Any) -> Any:
    """Whatever it is."""
    return result


def one(kind: type) -> Shape:
    """An instance of ``kind``."""

    def shaped(result: Any) -> Any:
        return _checked(result, kind, "returns")

    return shaped


def several(kind: type) -> Shape:
    """A sequence of instances of ``kind``, as a tuple."""

    def shaped(result: Any) -> tuple[Any, ...]:
        _checked(result, Sequence, "returns")
        return tuple(_checked(item, kind, "gives") for item in result)

    return shaped


def by_name(kind: type) -> Shape:
    """A mapping from strings to instances of ``kind``, as a dictionary."""

    def shaped(result: Any) -> dict[str, Any]:
        _checked(result, Mapping, "returns")
        return {_checked(name, str, "names one by"): _checked(item, kind, "gives") for name, item in result.items()}

    return shaped


def tools_by_name(result: Any) -> dict[str, BaseTool]:
    """A sequence of tools, each by the name that it gives itself."""
    return {tool.metadata.get_name(): tool for tool in several(BaseTool)(result)}


def model_class(result: Any) -> type[BaseModel]:
    """A class of pydantic models."""
    if not (isinstance(result, type) and issubclass(result, BaseModel)):
        raise TypeError(f"it returns {_named(result)}, not a class of pydantic models")
    return result


def _checked(value: Any, kind: type, verb: str) -> Any:
    if not isinstance(value, kind) or (kind is Sequence and isinstance(value, str)):
        raise TypeError(f"it {verb} {_named(value)}, not a {kind.__name__}")
    return value


def _named(value: Any) -> str:
    return f"{type(value).__name__} {repr(value)[:60]}"

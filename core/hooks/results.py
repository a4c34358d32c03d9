"""What hooks may return, and what may come of it when a question is answered.

A plugin that returns something else is disabled where it is called, not where it is used. The types of LlamaIndex are
imported by the functions that need them: they load all of it, which many a command does without.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from pydantic import BaseModel

from ..health import Check

if TYPE_CHECKING:
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.schema import Document, NodeWithScore
    from llama_index.core.tools import BaseTool

    from ..answering.assistant import Assistant
    from ..retrieval.models import Retrieval

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
    """A sequence of tools, each by the name that it gives itself, whose arguments can be described as JSON."""
    from llama_index.core.tools import BaseTool

    found: dict[str, BaseTool] = {}
    for tool in several(BaseTool)(result):
        name = _checked(tool.metadata.get_name(), str, "names a tool by")
        json.dumps(tool.metadata.get_parameters_dict())
        _checked(tool.metadata.description or "", str, "describes a tool by")
        if not name or name in found:
            raise ValueError(f"it gives {'two tools' if name else 'a tool'} with the name {name!r}")
        found[name] = tool
    return found


def assistants(result: Any) -> tuple[Assistant, ...]:
    """A sequence of assistants, each with a name of its own and a profile that interfaces can show."""
    from ..answering.assistant import Assistant
    from ..answering.citation_format import CitationFormat
    from ..answering.profile import QuestionFilter

    given: tuple[Assistant, ...] = several(Assistant)(result)
    for made in given:
        profile = made.profile
        for name in ("name", "title", "description", "prompt"):
            if not _checked(getattr(profile, name), str, f"gives as {name} of an assistant").strip():
                raise ValueError(f"it gives an assistant without a {name}")
        for name in ("page", "query_path", "selection_path"):
            path = getattr(profile, name)
            if path is not None and not _checked(path, str, f"gives as {name} of an assistant").startswith("/"):
                raise ValueError(f"it gives as {name} of the assistant {profile.name!r} {path!r}, which has no / first")
        form = _checked(profile.citations, CitationFormat, "gives as citations of an assistant")
        functions = [(profile, name) for name in ("refusal", "examples", "conditions", "setting")]
        for owner, name in [*functions, (form, "url"), (form, "shown")]:
            _checked(getattr(owner, name), Callable, f"gives as {name} of an assistant")  # type: ignore[arg-type]
        several(str)(form.fields)
        several(str)((form.title, *form.parts, form.page, form.licence))
        by_name(str)(form.tags)
        for each in by_name(QuestionFilter)(profile.filters).values():
            _checked(each.help, str, "gives as help of a filter")
            several(str)(each.choices)
        if "/" in profile.name or not _is_whole(profile.top_k, least=1):
            raise ValueError(f"it gives an assistant {profile.name!r} with {profile.top_k!r} passages")
    if len({made.name for made in given}) < len(given):
        raise ValueError("it gives two assistants with the same name")
    return given


def checks(result: Any) -> tuple[Check, ...]:
    """A sequence of checks whose fields are what they should be."""
    given: tuple[Check, ...] = several(Check)(result)
    for check in given:
        for each in fields(check):
            value = getattr(check, each.name)
            if each.name in {"mend", "where"} and value is None:
                continue
            _checked(value, bool if each.name in {"ok", "fatal"} else str, f"gives as {each.name} of a check")
    return given


def prompts_like(known: Mapping[str, BasePromptTemplate]) -> Shape:
    """Prompt templates by name; one that replaces a known one has all of its variables."""

    from llama_index.core.prompts import BasePromptTemplate

    def shaped(result: Any) -> dict[str, BasePromptTemplate]:
        given: dict[str, BasePromptTemplate] = by_name(BasePromptTemplate)(result)
        for name, template in given.items():
            replaced = known.get(name)
            lacking = set() if replaced is None else set(replaced.template_vars) - set(template.template_vars)
            if lacking:
                raise ValueError(f"its prompt {name!r} leaves out {{{sorted(lacking)[0]}}}")
        return given

    return shaped


def commands(group: click.Group) -> dict[str, click.Command]:
    """The commands that were added to a group."""
    given: dict[str, click.Command] = by_name(click.Command)(group.commands)
    return given


def documents(result: Any) -> list[Document]:
    """What a reader's ``load_data`` returns, as a list."""
    from llama_index.core.schema import Document

    return list(several(Document)(result))


def nodes(result: Any) -> list[NodeWithScore]:
    """Passages that can be shown and cited: each with an id of its own, a text, metadata by name, and a finite score or
    none."""
    from llama_index.core.schema import BaseNode, NodeWithScore

    given: list[NodeWithScore] = list(several(NodeWithScore)(result))
    for each in given:
        node = _checked(each.node, BaseNode, "gives a passage with")
        if not _checked(node.node_id, str, "gives a passage with the id"):
            raise ValueError("it gives a passage without an id")
        _checked(node.get_content(), str, "gives a passage with the text")
        _checked(node.metadata, dict, "gives a passage with the metadata")
        if each.score is not None and not _is_number(each.score):
            raise ValueError(f"it gives a passage with the score {_named(each.score)}")
    return given


def retrieval(result: Any, dimension: int) -> Retrieval:
    """What a plugin's retriever found, with scores that can be compared, and a vector of the encoder's or none."""
    from ..retrieval.fusion import Scores
    from ..retrieval.models import Retrieval

    found: Retrieval = _checked(result, Retrieval, "finds")
    nodes(found.nodes)
    for scores in by_name(Scores)(found.scores).values():
        if not (_is_number(scores.lexical) and _is_number(scores.final)):
            raise ValueError(f"it gives {_named(scores)}")
        if scores.dense is not None and not _is_number(scores.dense):
            raise ValueError(f"it gives {_named(scores)}")
    if not all(_is_number(value) for value in _checked(found.idf, Mapping, "gives as idf").values()):
        raise ValueError("it gives an idf that is no number")
    vector = found.vector
    if vector is not None and (np.shape(vector) != (dimension,) or not np.isfinite(vector).all()):
        raise ValueError(f"it gives a vector that is not {dimension} finite numbers")
    if not _is_number(found.threshold):
        raise ValueError(f"it gives the threshold {_named(found.threshold)}")
    return found


def model_class(result: Any) -> type[BaseModel]:
    """A class of pydantic models."""
    if not (isinstance(result, type) and issubclass(result, BaseModel)):
        raise TypeError(f"it returns {_named(result)}, not a class of pydantic models")
    return result


def _checked(value: Any, kind: type, verb: str) -> Any:
    if not isinstance(value, kind) or (kind is Sequence and isinstance(value, str)):
        raise TypeError(f"it {verb} {_named(value)}, not a {kind.__name__}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and math.isfinite(value)


def _is_whole(value: Any, *, least: int) -> bool:
    return isinstance(value, int) and value >= least


def _named(value: Any) -> str:
    return f"{type(value).__name__} {repr(value)[:60]}"

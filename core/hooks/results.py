"""Checks the results of hooks and of plugins' readers and retrievers, and the deployment's prompts.

A plugin that returns a wrong type is disabled where it is called, not where the result is used. The functions import
the types of LlamaIndex that they need: many commands do without LlamaIndex, which is slow to import.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from numbers import Real
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..errors import SettingsError
from ..health import Check

if TYPE_CHECKING:
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import NodeWithScore
    from llama_index.core.tools import BaseTool

    from ..answering.assistant import Assistant
    from ..retrieval.models import Retrieval

#: Returns a hook's result in the form that the host uses. Raises ``TypeError`` or ``ValueError`` for a wrong one.
Shape = Callable[[Any], Any]


def anything(result: Any) -> Any:
    """The result unchecked."""
    return result


def one(kind: type) -> Shape:
    """An instance of ``kind``."""
    return lambda result: _require(result, kind, "returns")


def several(kind: type) -> Shape:
    """A sequence of instances of ``kind``, as a tuple."""

    def check(result: Any) -> tuple[Any, ...]:
        _require(result, Sequence, "returns")
        return tuple(_require(item, kind, "gives") for item in result)

    return check


def by_name(kind: type) -> Shape:
    """A mapping from strings to instances of ``kind``, as a dictionary."""

    def check(result: Any) -> dict[str, Any]:
        _require(result, Mapping, "returns")
        return {_require(name, str, "names one by"): _require(item, kind, "gives") for name, item in result.items()}

    return check


def readers_by_key(result: Any) -> dict[str, BaseReader]:
    """Readers by lower-case suffix or scheme, as a dictionary: by another key none would be found."""
    from llama_index.core.readers.base import BaseReader

    found: dict[str, BaseReader] = by_name(BaseReader)(result)
    for key in found:
        if key != key.lower() or key.startswith(".") == key.endswith(":"):
            raise ValueError(f"it gives a reader for {key!r}, which is no lower-case suffix (.srt) or scheme (wiki:)")
    return found


def tools_by_name(result: Any) -> dict[str, BaseTool]:
    """A sequence of tools, as a dictionary by their own names; their arguments must have a JSON schema."""
    from llama_index.core.tools import BaseTool

    found: dict[str, BaseTool] = {}
    for tool in several(BaseTool)(result):
        name = _require(tool.metadata.get_name(), str, "names a tool by")
        json.dumps(tool.metadata.get_parameters_dict())
        _require(tool.metadata.description or "", str, "describes a tool by")
        if not name or name in found:
            raise ValueError(f"it gives {'two tools' if name else 'a tool'} with the name {name!r}")
        found[name] = tool
    return found


def assistants_by_name(result: Any) -> dict[str, Assistant]:
    """A sequence of assistants with different names, whose profiles have the right types, as a dictionary."""
    from ..answering.assistant import Assistant
    from ..answering.citation_format import CitationFormat
    from ..answering.profile import AssistantPaths, QuestionFilter, QuestionFilters

    items: tuple[Assistant, ...] = several(Assistant)(result)
    for assistant in items:
        profile = assistant.profile
        for name in ("name", "title", "description", "prompt"):
            if not _require(getattr(profile, name), str, f"gives as {name} of an assistant").strip():
                raise ValueError(f"it gives an assistant without a {name}")
        for name, path in vars(_require(profile.paths, AssistantPaths, "gives as paths of an assistant")).items():
            if path is not None and not _require(path, str, f"gives as {name} path of an assistant").startswith("/"):
                raise ValueError(f"it gives as {name} path of {profile.name!r} {path!r}, which has no / first")
        form = _require(profile.citations, CitationFormat, "gives as citations of an assistant")
        filters = _require(profile.filters, QuestionFilters, "gives as filters of an assistant")
        functions = [(profile, name) for name in ("refusal", "examples", "empty", "overview", "setting")]
        for owner, name in [*functions, (filters, "conditions"), (form, "url"), (form, "shown")]:
            _require(getattr(owner, name), Callable, f"gives as {name} of an assistant")  # type: ignore[arg-type]
        several(str)(form.fields)
        several(str)((form.title, *form.parts, form.page, form.licence, form.picture, filters.scope))
        by_name(str)(form.tags)
        for each in by_name(QuestionFilter)(filters.by_name).values():
            _require(each.help, str, "gives as help of a filter")
            several(str)(each.choices)
        if "/" in profile.name or not isinstance(profile.top_k, int) or profile.top_k < 1:
            raise ValueError(f"it gives an assistant {profile.name!r} with {profile.top_k!r} passages")
    found = {assistant.name: assistant for assistant in items}
    if len(found) < len(items):
        raise ValueError("it gives two assistants with the same name")
    return found


def checks(result: Any) -> tuple[Check, ...]:
    """A sequence of checks whose fields have the right types."""
    items: tuple[Check, ...] = several(Check)(result)
    for check in items:
        for each in fields(check):
            value = getattr(check, each.name)
            if each.name in {"mend", "where"} and value is None:
                continue
            _require(value, bool if each.name in {"ok", "fatal"} else str, f"gives as {each.name} of a check")
    return items


def prompts_like(known: Mapping[str, BasePromptTemplate]) -> Shape:
    """Prompt templates by name; one that replaces a known one must have all of its variables."""
    from llama_index.core.prompts import BasePromptTemplate

    def check(result: Any) -> dict[str, BasePromptTemplate]:
        items: dict[str, BasePromptTemplate] = by_name(BasePromptTemplate)(result)
        for name, template in items.items():
            replaced = known.get(name)
            lacking = set() if replaced is None else set(replaced.template_vars) - set(template.template_vars)
            if lacking:
                raise ValueError(f"its prompt {name!r} leaves out {{{sorted(lacking)[0]}}}")
        return items

    return check


def replaced_prompts(
    texts: Mapping[str, str], known: Mapping[str, BasePromptTemplate]
) -> dict[str, BasePromptTemplate]:
    """The deployment's templates by name. Raises ``SettingsError`` for an unknown name or a missing variable."""
    from llama_index.core.prompts import PromptTemplate

    made: dict[str, BasePromptTemplate] = {}
    for name, text in texts.items():
        if name not in known:
            closest = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {closest[0]}?" if closest else f"known: {', '.join(known) or 'none'}"
            raise SettingsError(f"no plugin gives a prompt named {name!r}", where="[prompts]", hint=hint)
        template = PromptTemplate(text, metadata=dict(known[name].metadata))
        missing = set(known[name].template_vars) - set(template.template_vars)
        if missing:
            variables = ", ".join(f"{{{variable}}}" for variable in sorted(missing))
            raise SettingsError(f"leaves out {variables}", where=f"[prompts] {name}")
        made[name] = template
    return made


def nodes(result: Any) -> list[NodeWithScore]:
    """Chunks that can be shown and cited, each with an id, a text, metadata, and a finite score or none."""
    from llama_index.core.schema import BaseNode, NodeWithScore

    items: list[NodeWithScore] = list(several(NodeWithScore)(result))
    for each in items:
        node = _require(each.node, BaseNode, "gives a passage with")
        if not _require(node.node_id, str, "gives a passage with the id"):
            raise ValueError("it gives a passage without an id")
        _require(node.get_content(), str, "gives a passage with the text")
        _require(node.metadata, dict, "gives a passage with the metadata")
        if each.score is not None and not _is_number(each.score):
            raise ValueError(f"it gives a passage with the score {_describe(each.score)}")
    return items


def retrieval(result: Any, dimension: int) -> Retrieval:
    """The result of a plugin's retriever, with finite scores, and a vector of the encoder's dimension or none."""
    import numpy as np

    from ..retrieval.fusion import Scores
    from ..retrieval.models import Retrieval
    from ..text.chunk_terms import ChunkTerms

    found: Retrieval = _require(result, Retrieval, "finds")
    nodes(found.nodes)
    for scores in by_name(Scores)(found.scores).values():
        if not all(map(_is_number, (scores.lexical, scores.final, 0 if scores.dense is None else scores.dense))):
            raise ValueError(f"it gives {_describe(scores)}")
    if not all(_is_number(value) for value in _require(found.idf, Mapping, "gives as idf").values()):
        raise ValueError("it gives an idf that is no number")
    vector = found.vector
    if vector is not None and (np.shape(vector) != (dimension,) or not np.isfinite(vector).all()):
        raise ValueError(f"it gives a vector that is not {dimension} finite numbers")
    for cosines in _require(found.sentence_cosines, Mapping, "gives as cosines of sentences").values():
        if np.ndim(cosines) != 1 or np.asarray(cosines).dtype.kind != "f" or np.isinf(cosines).any():
            raise ValueError(f"it gives cosines of sentences that are no list of numbers: {_describe(cosines)}")
    by_name(ChunkTerms)(found.stored_terms)
    if not _is_number(found.threshold):
        raise ValueError(f"it gives the threshold {_describe(found.threshold)}")
    return found


def model_class(result: Any) -> type[BaseModel]:
    """A class of pydantic models."""
    if not (isinstance(result, type) and issubclass(result, BaseModel)):
        raise TypeError(f"it returns {_describe(result)}, not a class of pydantic models")
    return result


def _require(value: Any, kind: type, verb: str) -> Any:
    if not isinstance(value, kind) or (kind is Sequence and isinstance(value, str)):
        raise TypeError(f"it {verb} {_describe(value)}, not a {kind.__name__}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


def _describe(value: Any) -> str:
    return f"{type(value).__name__} {repr(value)[:60]}"

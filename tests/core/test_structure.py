"""The measures of the code: members of classes, parameters of functions, lines of modules, names of metadata."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ragstone.core import CitationFormat

REPOSITORY = Path(__file__).parents[2]
MOST_LINES, MOST_MEMBERS, MOST_PARAMETERS = 250, 15, 5
#: Their parameters are what the README of iris_memory promises.
PROMISED = {"query_memory", "working_memory_for_email"}
#: Metadata that core's own contract names: defaults of ``CitationFormat``, and what LlamaIndex and the catalog have.
SHARED = {CitationFormat.title, CitationFormat.page, CitationFormat.licence, *CitationFormat.parts}
SHARED |= {"language", "path", "position", "url"}
#: Words of the host that are keys of a plugin too, and mean another thing there.
OTHERS = {"chunk", "dropped", "setting", "source", "words"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def _modules(folder: str) -> dict[str, ast.Module]:
    paths = sorted((REPOSITORY / folder).rglob("*.py"))
    return {str(path.relative_to(REPOSITORY)): ast.parse(path.read_text("utf-8")) for path in paths}


def _nodes(*folders: str) -> Iterator[tuple[str, ast.AST]]:
    for folder in folders:
        for path, tree in _modules(folder).items():
            yield from ((path, node) for node in ast.walk(tree))


def _classes() -> Iterator[tuple[str, ast.ClassDef]]:
    yield from ((path, node) for path, node in _nodes("core", "web", "plugins") if isinstance(node, ast.ClassDef))


def _members(made: ast.ClassDef, *, is_table: bool) -> set[str]:
    """Methods, fields and attributes; the fields of a table of the settings file or of a stored format are its keys."""
    names = {node.name for node in made.body if isinstance(node, _Function)}
    for node in () if is_table else ast.walk(made):
        if isinstance(node, ast.AnnAssign | ast.Assign):
            for target in [node.target] if isinstance(node, ast.AnnAssign) else node.targets:
                if isinstance(target, ast.Name) and node in made.body:
                    names.add(target.id)
                elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    names |= {target.attr} if target.value.id == "self" else set()
    return {name for name in names if not name.startswith(("_", "test_"))}


def test_a_class_has_at_most_fifteen_public_members() -> None:
    bases: dict[str, set[str]] = {}
    for _, made in _classes():
        bases.setdefault(made.name, set()).update(map(ast.unparse, made.bases))

    def is_table(name: str) -> bool:
        return name in {"BaseModel", "BaseSettings"} or any(map(is_table, bases.get(name, ())))

    counted = {f"{path}: {made.name}": len(_members(made, is_table=is_table(made.name))) for path, made in _classes()}
    assert len(counted) > 500
    assert not {name: count for name, count in counted.items() if count > MOST_MEMBERS}


def _parameters(function: _Function) -> int:
    """Without ``self``; ``**settings`` is one value with a name. A click command's parameters are its options."""
    decorators = " ".join(map(ast.unparse, function.decorator_list))
    if re.search(r"\b(?:command|argument|option)\(", decorators):
        return 0
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def test_a_function_has_at_most_five_parameters() -> None:
    functions = [
        (f"{path}: {node.name}", _parameters(node))
        for path, node in _nodes("core", "web", "plugins")
        if isinstance(node, _Function) and node.name not in PROMISED
    ]
    assert len(functions) > 4_000
    assert not [name for name, count in functions if count > MOST_PARAMETERS]


def test_a_module_has_at_most_250_lines() -> None:
    paths = [path for folder in ("core", "web", "plugins") for path in (REPOSITORY / folder).rglob("*.py")]
    assert not [str(path) for path in paths if path.read_text("utf-8").count("\n") > MOST_LINES]


def _metadata_keys(path: str, node: ast.AST) -> list[ast.expr | None]:
    """Where the code of a plugin names metadata of its documents and chunks."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="metadata")):
            return [node.slice]
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="metadata"), attr="get")):
            return [*node.args[:1]]
        case ast.keyword(arg="metadata" | "extra_info", value=ast.Dict() as given):
            return given.keys
        case ast.Call(func=ast.Name(id="MetadataFilter")):
            return [each.value for each in node.keywords if each.arg == "key"]
        case ast.Assign(targets=[ast.Name(id="_FIELDS")], value=ast.Tuple() as fields) if path.endswith(
            "/assistant.py"
        ):
            return [*fields.elts]
    return []


def test_core_and_web_name_no_metadata_of_a_plugin() -> None:
    keys = {
        each.value
        for path, node in _nodes("plugins")
        for each in _metadata_keys(path, node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    } - SHARED
    assert {"book", "page_index", "is_simulation", "plan"} <= keys
    found = {
        (path, node.value)
        for path, node in _nodes("core", "web")
        if isinstance(node, ast.Constant) and node.value in keys - OTHERS and not path.startswith("core/testing/")
    }
    for path in (REPOSITORY / "web").rglob("*.js"):
        named = re.findall(r"\b(?:citation|fields)\.(\w+)", path.read_text("utf-8"))
        found |= {(path.name, name) for name in named if name in keys}
    assert not found

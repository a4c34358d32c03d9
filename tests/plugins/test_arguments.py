"""The plugins' public Python functions name the argument that is of the wrong type, and what was expected."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragstone.core import BadRequest, Host, RagstoneError
from ragstone.core.testing import open_host
from ragstone.plugins.iris_memory import MemoryChunk
from ragstone.plugins.wiki_edge import Planner, Situation
from tests.plugins.concept_tutor.material import SAMPLE

PLUGINS = ("book_chat", "concept_tutor", "iris_memory", "wiki_edge")
WRONG: tuple[Any, ...] = (None, 5, [], object(), [1, None])
#: Arguments with which the functions do what they are for; further ones have defaults.
RIGHT: dict[str, dict[str, Any]] = {
    "add_sample": {},
    "export_questions": {"plan": "elementary-statistics", "format": "gift"},
    "plan_from_corpus": {"corpus": "concept_tutor"},
    "read_plan": {"text": "# Spread\nMean"},
    "read_plan_file": {"path": SAMPLE},
    "format_for_prompt": {"chunks": []},
    "memory_of": {},
    "query_memory": {"query_text": "kettle"},
    "update_memory_for_file": {"path": "a.md"},
    "working_memory_for_email": {"subject": "kettle", "body": "Is it red?"},
    "Planner": {},
    "Planner.open": {},
    "Planner.context": {"situation": Situation("Clean the mug")},
    "Planner.answer": {"situation": Situation("Clean the mug")},
    "Planner.remember": {"text": "The mug is red."},
    "Planner.forget": {"memory": "nothing"},
    "Planner.end_episode": {},
    "Situation": {"goal": "Clean the mug"},
}
#: Without arguments, of two books, or tried in ``wiki_edge/test_public_functions.py``: what builds shards.
OTHERS = {"Planner.close", "diff"}
OTHERS |= {"build_shard", "export_corpus", "install_shards", "searcher_of", "verify_shards"}


def public() -> Iterator[tuple[str, Any]]:
    """The functions, and the planner's classes: the others are data, LlamaIndex's, or made by ``host.once``."""
    for plugin in PLUGINS:
        module = importlib.import_module(f"ragstone.plugins.{plugin}")
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            if not inspect.isclass(found) or found in {Planner, Situation}:
                yield name, found
    yield from ((f"Planner.{method}", getattr(Planner, method)) for method in vars(Planner) if method[0] != "_")


CASES = [
    (name, argument)
    for name, function in public()
    if name not in OTHERS
    for argument, how in inspect.signature(function).parameters.items()
    if argument != "self" and how.kind is not how.VAR_KEYWORD
]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    with open_host(folder, options={"iris_memory": {"root": str(folder)}}) as opened:
        yield opened


@pytest.fixture(scope="module")
def planner(host: Host) -> Iterator[Planner]:
    with Planner(host) as made:
        yield made


def calls(name: str, host: Host, planner: Planner) -> Callable[..., object]:
    """The function with everything that it needs, but for the argument that is given."""
    right = dict(RIGHT[name])
    if name == "Situation":
        return lambda **wrong: planner.answer(Situation(**{**right, **wrong}))
    if name == "Planner":
        return lambda **wrong: Planner(**{"host": host, **wrong})
    if name.startswith("Planner."):
        return lambda **wrong: getattr(planner, name.partition(".")[2])(**{**right, **wrong})
    function = dict(public())[name]
    if "host" in inspect.signature(function).parameters:
        right["host"] = host
    return lambda **wrong: function(**{**right, **wrong})


def test_every_public_function_is_tried() -> None:
    assert {name for name, _ in public()} == {*RIGHT, *OTHERS}


@pytest.mark.parametrize(("name", "argument"), CASES)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__ + str(wrong)[:3])
def test_an_argument_of_the_wrong_type(name: str, argument: str, wrong: Any, host: Host, planner: Planner) -> None:
    if name == "Planner.open" and wrong is None:
        pytest.skip("the deployment of the working folder")
    try:
        calls(name, host, planner)(**{argument: wrong})
    except BadRequest as error:
        empty = name == "plan_from_corpus" and argument == "most"  # a number that is right, of a corpus without books
        assert wrong == [] or argument in str(error) or (empty and wrong == 5), error
    except RagstoneError as error:
        pytest.fail(f"{type(error).__name__} for an argument: {error}")


@pytest.mark.parametrize(
    ("name", "argument", "wrong", "words"),
    [
        ("Situation", "detections", [1, None], "each of detections must be a string or a mapping, not int"),
        ("Situation", "goal", None, "goal must be a string, not NoneType"),
        ("Planner.remember", "text", None, "text must be a string, not NoneType"),
        ("Planner.forget", "memory", 5, "memory must be an id, a string, not int"),
        ("Planner.answer", "situation", None, "situation must be a Situation, not NoneType"),
        ("query_memory", "since", 5, "since must be a datetime or None, not int"),
        ("query_memory", "query_text", None, "query_text must be a string, not NoneType"),
        ("query_memory", "n_results", True, "n_results must be a whole number, not bool"),
        ("query_memory", "doc_types", 5, "doc_types must be a list of document types or None, not int"),
        ("format_for_prompt", "chunks", [1], "each of chunks must be a MemoryChunk, not int"),
        ("working_memory_for_email", "body", None, "body must be a string, not NoneType"),
        ("update_memory_for_file", "path", None, "path must be a path, not NoneType"),
        ("query_memory", "host", object(), "host must be an open Host or None, not object"),
    ],
)
def test_the_error_says_what_was_expected(
    name: str, argument: str, wrong: Any, words: str, host: Host, planner: Planner
) -> None:
    with pytest.raises(BadRequest) as raised:
        calls(name, host, planner)(**{argument: wrong})
    assert raised.value.what == words


def test_what_is_right_is_still_taken(host: Host, planner: Planner) -> None:
    for name in RIGHT:
        if name not in {"Planner.open", "Planner.forget", "plan_from_corpus"}:  # which need what they are told
            calls(name, host, planner)()
    chunk = MemoryChunk("The kettle is red.", "a.md", "", "note", 0.5)
    assert "kettle" in calls("format_for_prompt", host, planner)(chunks=iter([chunk]))  # type: ignore[operator]

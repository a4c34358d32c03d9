"""The tree of errors: as drawn, with its exit codes and statuses, and each told in one line."""

from __future__ import annotations

import re

import pytest

from ragstone import core
from ragstone.core import (
    BadRequest,
    EncoderError,
    LLMBusy,
    LLMError,
    MissingExtra,
    NotFound,
    PluginError,
    RagstoneError,
    SettingsError,
    SourceError,
    StorageBusy,
    StorageDenied,
    StorageError,
    StorageFull,
    TooLarge,
    errors,
)


def _all(of: type[RagstoneError] = RagstoneError) -> set[type[RagstoneError]]:
    inside = {each for each in of.__subclasses__() if each.__module__ == errors.__name__}
    return {of}.union(*(_all(each) for each in inside))


def _drawn() -> dict[str, tuple[str, int | None]]:
    """Name → (name of its parent, status), out of the drawing."""
    assert errors.__doc__
    found: dict[str, tuple[str, int | None]] = {}
    above: list[str] = []
    for line in errors.__doc__.splitlines():
        match = re.fullmatch(r"    ([│ ]*)(?:[├└]── )?(\w+)(?:\s+(\d{3}) .*)?", line)
        if match:
            depth = (line.index(match[2]) - 4) // 4
            del above[depth:]
            found[match[2]] = (above[-1] if above else "", int(match[3]) if match[3] else None)
            above.append(match[2])
    return found


def test_the_drawing_is_the_tree() -> None:
    drawn = _drawn()
    classes = {each.__name__: each for each in _all()}
    assert drawn.keys() == classes.keys()
    for name, (parent, status) in drawn.items():
        if parent:
            assert classes[name].__base__ is classes[parent]
        if status is not None:
            assert classes[name].status == status


def test_every_error_is_public() -> None:
    assert {each.__name__ for each in _all()} <= set(core.__all__)


@pytest.mark.parametrize(
    ("kind", "status", "exit_code"),
    [
        (RagstoneError, 500, 1),
        (BadRequest, 400, 2),
        (TooLarge, 413, 2),
        (NotFound, 404, 2),
        (SettingsError, 500, 2),
        (PluginError, 500, 1),
        (MissingExtra, 500, 1),
        (SourceError, 422, 1),
        (EncoderError, 503, 1),
        (LLMError, 502, 1),
        (LLMBusy, 503, 1),
        (StorageError, 500, 1),
        (StorageFull, 507, 1),
        (StorageDenied, 503, 1),
        (StorageBusy, 503, 1),
    ],
)
def test_status_and_exit_code(kind: type[RagstoneError], status: int, exit_code: int) -> None:
    assert (kind.status, kind.exit_code) == (status, exit_code)


def test_every_kind_has_a_title_of_its_own() -> None:
    titles = [each.title for each in _all()]
    assert len(set(titles)) == len(titles)


def test_where_what_and_what_to_do_are_one_line() -> None:
    error = NotFound("there is no book 'x'", where="/shelf", hint="there are: y")
    assert str(error) == "/shelf: there is no book 'x' (there are: y)"
    assert (error.what, error.where, error.hint) == ("there is no book 'x'", "/shelf", "there are: y")
    assert str(NotFound("there is none")) == "there is none"


def test_a_problem_tells_no_path_of_the_server() -> None:
    problem = StorageDenied("the data folder cannot be used", where="/home/someone/data", hint="try again").to_problem()
    assert problem == {
        "type": "about:blank",
        "title": "The storage may not be used",
        "status": 503,
        "detail": "the data folder cannot be used (try again)",
    }
    assert NotFound("no").to_problem()["detail"] == "no"


def test_a_missing_extra_carries_the_install_line() -> None:
    error = MissingExtra("wiki", ("lxml", "mwparser"), distribution="ragstone-wiki")
    assert str(error) == "needs lxml, mwparser (pip install 'ragstone-wiki[wiki]')"
    assert error.install == "pip install 'ragstone-wiki[wiki]'"
    assert (error.extra, error.missing) == ("wiki", ("lxml", "mwparser"))
    assert MissingExtra("server", ("flask",)).install == "pip install 'ragstone[server]'"


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (None, "There is no book 'x'."),
        ("ask again in a moment", "There is no book 'x': ask again in a moment."),
        ("ragstone book list", "There is no book 'x'."),
        ("there are: a-b, c-d", "There is no book 'x'."),
        ("set serve_pdf of [plugins.book_chat]", "There is no book 'x'."),
    ],
)
def test_readers_are_not_given_commands(hint: str | None, words: str) -> None:
    assert NotFound("there is no book 'x'", where="/shelf", hint=hint).to_reader() == words

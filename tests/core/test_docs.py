"""The host's README: every setting, every error and the rules of every hook are in it, and its examples run."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from pydantic import BaseModel

import ragstone.core
from ragstone.core import Citation, CitationFormat, Corpus, LLMSettings, Profile, RagstoneError, Settings, errors
from ragstone.core.hooks import spec
from ragstone.core.llm.settings import GeminiSettings, OpenAILikeSettings
from ragstone.core.retrieval.contents import CorpusContents
from tests.support.markdown import PUBLIC_MODULES, check_names, python_blocks, sections

README = Path(ragstone.core.__file__).parent / "README.md"
TEXT = README.read_text("utf-8")
SPECS = {name: spec for name, spec in vars(spec).items() if name.startswith("ragstone_")}

SECTIONS = sections(TEXT)


def _rows(text: str) -> list[list[str]]:
    """The cells of the section's table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


# Hooks: `tests/plugins/test_guide.py` has the rest


def test_every_hook_has_its_rule_for_several_answers() -> None:
    rules = SECTIONS["Failure"]
    for hook in SPECS.keys() - {"ragstone_settings"}:
        assert rules.count(f"`{hook}`") == 1, f"no rule, or two, for {hook}"


# Examples


EXAMPLES = python_blocks(TEXT)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_by_itself(number: int, tmp_path: Path) -> None:
    exec(compile(EXAMPLES[number], f"{README}: example {number}", "exec"), {"__name__": "example"})


def test_every_python_fence_is_run() -> None:
    assert TEXT.count("```python") == len(EXAMPLES)


@pytest.mark.parametrize("fence", EXAMPLES)
def test_an_example_uses_what_it_imports_and_only_public_names(fence: str) -> None:
    check_names(fence)


# Settings


def _tables() -> dict[str, type[BaseModel]]:
    """Heading → model, for the settings and each table of theirs."""
    found: dict[str, type[BaseModel]] = {"Top level": Settings}
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found[f"`[{name}]`"] = field.annotation
    return found


@pytest.mark.parametrize("heading", _tables())
def test_every_key_of_the_settings_is_named_with_its_default(heading: str) -> None:
    model = _tables()[heading]
    tables = {name.strip("`[]") for name in _tables()} - {"plugins"}
    left_out = tables if model is Settings else set()
    expected = {name: field for name, field in model.model_fields.items() if name not in left_out}
    rows = {row[0].strip("`"): row for row in _rows(SECTIONS[heading])}
    assert list(rows) == list(expected)
    for name, field in expected.items():
        written = rows[name][2]
        if name in {"data_dir", "cache_dir", "plugins", "prompts"}:
            continue  # made by the platform, or a table
        if field.default is None:
            assert written == "none"
        elif isinstance(field.default, str):
            assert written == f'`"{field.default}"`'
        elif isinstance(field.default, tuple):
            assert written == "`[]`"
        else:
            assert written == f"`{str(field.default).lower()}`"


@pytest.mark.parametrize(("model", "provider"), [(OpenAILikeSettings, "openai_like"), (GeminiSettings, "gemini")])
def test_every_key_of_a_language_model_is_named_with_its_default(model: type[LLMSettings], provider: str) -> None:
    rows = {row[0].strip("`"): row[2].strip("`") for row in _rows(SECTIONS[f"`[llm]` with `{provider}`"])}
    own = {name: field for name, field in model.model_fields.items() if name not in LLMSettings.model_fields}
    assert set(rows) == set(own)
    for name, field in own.items():
        if field.is_required():
            assert rows[name] == "needed"
        elif name not in {"temperature", "context_window"}:  # these depend on the model
            assert rows[name] == ("none" if field.default is None else str(field.default))


# What an author works with


def _first_cells(section: str) -> list[str]:
    """The names in backticks in the first column, without their arguments."""
    return [name for row in _rows(SECTIONS[section]) for name in re.findall(r"`(?:contents\.)?(\w+)[^`]*`", row[0])]


def test_every_field_of_a_profile_is_named() -> None:
    assert _first_cells("The fields of a profile") == [field.name for field in fields(Profile)]


def test_every_public_member_of_a_corpus_is_named() -> None:
    public = {name for kind in (Corpus, CorpusContents) for name in vars(kind) if not name.startswith("_")}
    assert set(_first_cells("The methods of a corpus")) == public


def test_every_field_of_a_citation_is_named_and_every_one_that_people_see() -> None:
    named = _first_cells("What a citation shows")
    assert {field.name for field in fields(Citation)} <= set(named)
    assert {field.name for field in fields(CitationFormat)} <= set(named)


# Public names

GUIDE = "".join(path.read_text("utf-8") for path in (README.parent.parent / "plugins").glob("*.md"))


def test_the_public_names_are_few_and_each_is_imported() -> None:
    assert len(ragstone.core.__all__) <= 45
    for name in ragstone.core.__all__:
        assert getattr(ragstone.core, name) is not None
    assert {*ragstone.core.__all__} <= {*dir(ragstone.core)}


@pytest.mark.parametrize("name", ragstone.core.__all__)
def test_every_public_name_is_in_a_document(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXT + GUIDE)


# Errors


def test_every_error_is_listed_with_its_exit_code_and_status() -> None:
    kinds = {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, RagstoneError)
    }
    rows = {row[0].strip("`"): (int(row[1]), int(row[2])) for row in _rows(SECTIONS["Errors"])}
    assert rows == {name: (kind.exit_code, kind.status) for name, kind in kinds.items()}


def test_the_reference_has_every_public_module() -> None:
    reference = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
    assert set(re.findall(r"^\.\. automodule:: (\S+)$", reference, re.MULTILINE)) == PUBLIC_MODULES

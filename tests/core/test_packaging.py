"""What is installed is what is imported."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
#: Imported only behind a look whether their extra is installed.
OPTIONAL = {"chromadb", "flask", "google", "ir_measures", "openai", "pypdfium2", "waitress", "werkzeug", "torch"}
OPTIONAL |= {
    "fsrs",
    "genanki",
    "lxml",
    "mwparserfromhell",
    "pyarrow",
    "pytest",
    "requests",
    "tensorflow_datasets",
    "urllib3",
    "watchfiles",
    "zstandard",
}


def _imported(folder: str) -> set[str]:
    found = set()
    for path in (REPOSITORY / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add((node.module or "").split(".")[0])
    return found - set(sys.stdlib_module_names) - {"ragstone", "__future__"}


def _named(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!\[ ;]", requirement)[0].lower().replace("_", "-") for requirement in requirements}


def test_the_base_install_has_all_that_core_and_plugins_import() -> None:
    base = _named(PROJECT["dependencies"])
    owners = metadata.packages_distributions()
    for module in sorted((_imported("core") | _imported("plugins")) - OPTIONAL):
        distributions = {name.lower().replace("_", "-") for name in owners[module]}
        assert distributions & base, f"{module} is imported, but {distributions} are not in the base install"


def test_the_base_install_is_small() -> None:
    base = _named(PROJECT["dependencies"])
    assert not base & {"torch", "chromadb", "flask", "waitress", "transformers", "sentence-transformers", "openai"}


def test_what_is_optional_is_in_an_extra() -> None:
    server = _named(PROJECT["optional-dependencies"]["server"])
    assert {"chromadb", "flask", "waitress", "llama-index-vector-stores-chroma"} <= server
    for extra, integration in (
        ("openai-like", "llama-index-llms-openai-like"),
        ("gemini", "llama-index-llms-google-genai"),
    ):
        assert {integration} == _named(PROJECT["optional-dependencies"][extra])
    assert "llama-index-embeddings-huggingface" in _named(PROJECT["optional-dependencies"]["huggingface"])


def test_every_pip_knows_the_extras() -> None:
    """Before version 23.3 pip did not find an extra with an underscore in its name: it installed nothing of it."""
    for extra in PROJECT["optional-dependencies"]:
        assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", extra)

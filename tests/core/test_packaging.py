"""What is installed is what is imported."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
#: Imported only behind a look whether their extra is installed.
OPTIONAL = {"PIL", "chromadb", "flask", "google", "ir_measures", "openai", "pypdfium2", "waitress", "werkzeug", "torch"}
OPTIONAL |= {
    "docutils",
    "fsrs",
    "genanki",
    "itsdangerous",
    "langchain_core",
    "lxml",
    "mammoth",
    "mwparserfromhell",
    "procrastinate",
    "psycopg",
    "psycopg_pool",
    "pyarrow",
    "pytest",
    "ray",
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


#: Licences that ask for more than naming the authors.
_RECIPROCAL = re.compile(r"\b[AL]?GPL|\bMPL|Mozilla|\bEPL|\bEUPL|CDDL|SSPL|Proprietary", re.IGNORECASE)


def _needed(name: str, extras: frozenset[str], found: dict[str, metadata.Distribution]) -> None:
    """Add the distribution and all that it needs, as far as they are installed."""
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return
    key = f"{name.lower().replace('_', '-')}[{','.join(sorted(extras))}]"
    if key in found:
        return
    found[key] = distribution
    for line in distribution.requires or ():
        needed = Requirement(line)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            _needed(needed.name, frozenset(needed.extras), found)


def _licence(distribution: metadata.Distribution) -> str:
    result = distribution.metadata.json
    first = str(result.get("license", "")).partition("\n")[0][:80]  # some have the whole text there
    classified = [line for line in result.get("classifier", []) if line.startswith("License")]
    return " ".join([str(result.get("license_expression", "")), first, *classified])


def test_every_licence_that_asks_for_more_is_named() -> None:
    found: dict[str, metadata.Distribution] = {}
    _needed("ragstone", frozenset(PROJECT["optional-dependencies"]) - {"dev"}, found)
    reciprocal = {each.metadata["Name"].lower() for each in found.values() if _RECIPROCAL.search(_licence(each))}
    written = (REPOSITORY / "SECURITY.md").read_text("utf-8")
    table = " ".join(line.split("|")[1] for line in written.splitlines() if line.startswith("| "))
    assert reciprocal
    assert reciprocal <= set(re.findall(r"[a-z0-9-]+", table))


def test_the_readme_leads_to_how_a_hole_is_reported() -> None:
    assert "(SECURITY.md)" in (REPOSITORY / "README.md").read_text("utf-8")

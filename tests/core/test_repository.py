"""What people expect of a repository: checks before a commit, forms, a workflow, a citation, a demo."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from datetime import date
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ragstone.core import Host
from tests.support.needs import needed

REPOSITORY = Path(__file__).parents[2]
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]
FORGE = sorted((REPOSITORY / ".github").rglob("*.yml"))


def _ci_module(name: str) -> ModuleType:
    """A module of ``make package``, which are in no package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(REPOSITORY / ".ci")
        return importlib.import_module(name)


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


# The forge


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/*.yml"),
        ("github-workflows", ".github/workflows/*.yml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_a_file_has_the_form_that_its_reader_expects(schema: str, pattern: str) -> None:
    needed("check_jsonschema")
    files = [str(path) for path in REPOSITORY.glob(pattern)]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert files
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_what_every_change_must_pass_and_builds_the_packages() -> None:
    jobs = _read(REPOSITORY / ".github" / "workflows" / "ci.yml")["jobs"]
    assert {step.get("run") for job in jobs.values() for step in job["steps"]} >= {"bash .ci/run", "make package"}


def test_before_a_commit_the_same_is_run_as_by_make_lint_and_before_a_push_the_same_as_by_make_test() -> None:
    hooks = _read(REPOSITORY / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    makefile = (REPOSITORY / "Makefile").read_text("utf-8").replace("$(DEV)", ".venv-dev/bin")
    lint = makefile.partition("\nlint:")[2].partition("\n\n")[0].splitlines()[1:]
    assert [hook["entry"] for hook in hooks if "stages" not in hook] == [line.strip() for line in lint]
    assert [hook["entry"] for hook in hooks if hook.get("stages") == ["pre-push"]] == ["make test"]


@pytest.mark.parametrize("path", [*FORGE, REPOSITORY / ".pre-commit-config.yaml", REPOSITORY / "CITATION.cff"])
def test_no_address_is_invented(path: Path) -> None:
    assert not re.search(r"https?://|\w@\w+\.\w|\bgithub\.com\b", path.read_text("utf-8"))


# The version


def test_the_version_is_the_same_everywhere() -> None:
    numbers = re.findall(r"^## (\d\S*) - (\S+)$", (REPOSITORY / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    citation = _read(REPOSITORY / "CITATION.cff")
    assert numbers[0] == (VERSION, citation["date-released"].isoformat())
    assert citation["version"] == VERSION
    assert f"Version {VERSION}," in (REPOSITORY / "README.md").read_text("utf-8")


# make package


def test_every_tool_that_judges_the_packages_is_pinned() -> None:
    lines = (REPOSITORY / ".ci" / "package.txt").read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"#.*|[a-z-]+==\d[\d.]*", line) for line in lines)


def test_the_classifiers_name_each_python_under_which_the_wheel_is_tried() -> None:
    classifiers = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    named = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    assert tuple(named) == _ci_module("package").PYTHONS


def test_an_exception_counts_until_its_day() -> None:
    advisories = _ci_module("advisories")
    assert advisories.exceptions(date(2026, 11, 23)) == ["CVE-2026-45829"]
    with pytest.raises(advisories.Failed, match="CVE-2026-45829"):
        advisories.exceptions(date(2999, 1, 1))


def test_an_audit_that_no_service_answered_is_skipped_and_not_passed() -> None:
    advisories = _ci_module("advisories")
    with pytest.raises(advisories.Skipped, match="cannot be reached"):
        advisories.audited([{"name": "a", "skip_reason": "Dependency not found"}], 0)
    assert advisories.audited([{"name": "a", "version": "1", "vulns": []}], 0).startswith("1 of 1 packages")


# The demo


def _shown() -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
    header, *events = (REPOSITORY / "docs" / "demo.cast").read_text("utf-8").splitlines()
    return json.loads(header), [(at, kind, words) for at, kind, words in map(json.loads, events)]


def test_the_demo_is_a_recording_of_a_minute() -> None:
    header, events = _shown()
    assert header["version"] == 2
    assert {kind for _at, kind, _words in events} == {"o"}
    times = [at for at, _kind, _words in events]
    assert times == sorted(times)
    pauses = [min(later - at, header["idle_time_limit"]) for at, later in pairwise(times)]
    assert 20 < sum(pauses) < 75


@pytest.mark.slow
def test_the_demo_shows_what_is_answered_today(real_host: Host) -> None:
    """Otherwise ``python docs/demo.py`` records it anew."""
    real_host.serve()  # puts the sample book on the shelf
    shown = "".join(words for _at, _kind, words in _shown()[1])
    questions = re.findall(r'ask book_chat "([^"…]+)"', shown)
    assert len(questions) == 3
    for question in questions:
        answer = real_host.assistant("book_chat").ask(question)
        assert "".join(answer.text.split()) in "".join(shown.split()), question


def test_the_picture_shows_the_answer_of_the_demo_and_fetches_nothing() -> None:
    picture = (REPOSITORY / "docs" / "answer.svg").read_text("utf-8")
    words = re.sub(r"<[^>]*>|&#160;|\s", "", picture.partition('-matrix">')[2])
    assert "Acategory1stopkeepspoweron" in words
    assert "url(http" not in picture
    assert "(docs/answer.svg)" in (REPOSITORY / "README.md").read_text("utf-8")

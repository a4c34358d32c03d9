"""``ragstone plugin new``: what it makes, that this works as it stands, and what it refuses."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ragstone.core import BadRequest
from ragstone.core.hooks import spec
from ragstone.core.hooks.scaffold import NewPlugin, make_plugin, valid_name
from tests.support.installed import ALWAYS, PLUGINS
from tests.support.patience import HANG
from tests.support.third_party_fakes import Here

SPECS = {name: spec for name, spec in vars(spec).items() if name.startswith("ragstone_")}
#: Modules that belong together; any other may be deleted with its tests and its hooks.
CORE = {"__init__", "assistant", "entries", "parsers", "plugin", "prompts", "readers", "settings"}


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(capsys)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> NewPlugin:
    return make_plugin("field_notes", tmp_path_factory.mktemp("author"))


def by_hand(made: NewPlugin, site: Path) -> dict[str, str]:
    """The environment of a process that has the package installed, without pip."""
    project = tomllib.loads(Path(made.folder, "pyproject.toml").read_text("utf-8"))["project"]
    info = site / f"{made.package}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, "utf-8")
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in named.items())
        for group, named in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text(points, "utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(Path(made.folder, "src"))])}


# What is made


@pytest.mark.slow
def test_it_works_as_it_stands(made: NewPlugin, tmp_path: Path) -> None:
    """Its own tests pass; those that fill a host for each clause of a contract are left to ``test_every_door.py``."""
    environment = by_hand(made, tmp_path / "site") | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "not TestAssistant and not TestRetriever",
    ]
    done = subprocess.run(
        tests, cwd=made.folder, env=environment, capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.match(r"\d+ passed, \d+ deselected in ", done.stdout.splitlines()[-1])


def test_it_shows_up(made: NewPlugin, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in by_hand(made, tmp_path / "site")["PYTHONPATH"].split(os.pathsep):
        monkeypatch.syspath_prepend(folder)
    state = next(state for state in json.loads(here("plugins", "--json").out) if state["name"] == "field_notes")
    assert (state["state"], state["version"], state["origin"]) == ("loaded", "0.1.0", "ragstone-field-notes")


def test_it_shows_every_hook_with_its_arguments(made: NewPlugin) -> None:
    tree = ast.parse(Path(made.folder, "src/ragstone_field_notes/plugin.py").read_text("utf-8"))
    shown = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert list(shown) == list(SPECS)
    for name, function in shown.items():
        assert {argument.arg for argument in function.args.args} <= set(inspect.signature(SPECS[name]).parameters)


def _imported(path: Path) -> set[str]:
    """The modules of its own package that the module imports."""
    found = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    own = [(node.module or "").removeprefix("ragstone_field_notes.") for node in found]
    return {name for name, node in zip(own, found, strict=True) if node.level or name != node.module}


def test_whatever_may_be_deleted_is_imported_by_its_hooks_and_its_tests_alone(made: NewPlugin) -> None:
    package, tests = Path(made.folder, "src/ragstone_field_notes"), Path(made.folder, "tests")
    optional = {path.stem for path in package.glob("*.py")} - CORE
    assert optional == {"checks", "commands", "models", "pages", "retrievers", "stores", "tools"}
    for path in {*package.glob("*.py")} - {package / "plugin.py"}:
        assert not _imported(path) & optional, path.name
    for path in tests.glob("*.py"):
        assert not _imported(path) & (optional - {path.stem.removeprefix("test_")}), path.name
    tested = {path.stem.removeprefix("test_") for path in tests.glob("test_*.py")}
    assert tested == optional | CORE - {"__init__", "plugin", "settings"}


def test_no_mark_of_the_templates_is_left(made: NewPlugin) -> None:
    assert {"pyproject.toml", "README.md", ".gitignore", "src/ragstone_field_notes/py.typed"} <= set(made.files)
    assert "src/ragstone_field_notes/templates/field_notes/entry.html" in made.files
    for name in made.files:
        text = Path(made.folder, name).read_text("utf-8")
        assert "@NAME@" not in text
        assert not {"@TITLE@", "@PACKAGE@", "@DISTRIBUTION@", "@RAGSTONE@"} & set(text.split('"'))
    found = {path.relative_to(made.folder).as_posix() for path in Path(made.folder).rglob("*") if path.is_file()}
    assert {name for name in found if "__pycache__" not in name} == set(made.files)


def test_it_is_formatted_and_without_lint(made: NewPlugin) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    for arguments in (["check", "--select", "E,F,W,I,B,UP"], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *arguments, "--no-cache", "--isolated", "--line-length", "120", "."],
            cwd=made.folder,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


# The command


def test_it_says_what_comes_next(here: Here, tmp_path: Path) -> None:
    done = here("plugin", "new", "notes")
    assert done.code == 0
    assert done.out.splitlines()[:2] == ["The plugin notes is in ragstone-notes. Next:", "  cd ragstone-notes"]
    assert (tmp_path / "ragstone-notes" / "pyproject.toml").is_file()
    assert (tmp_path / "ragstone-notes").stat().st_mode & 0o777 == 0o755


def test_json(here: Here, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    new = json.loads(here("plugin", "new", "notes", "--into", str(tmp_path / "src"), "--json").out)
    assert new["folder"] == str(tmp_path / "src" / "ragstone-notes")
    assert (new["name"], new["distribution"], new["package"]) == ("notes", "ragstone-notes", "ragstone_notes")
    assert "src/ragstone_notes/plugin.py" in new["files"]


# Refusals


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "small letters"),
        ("Notes", "did you mean notes?"),
        ("field-notes", "did you mean field_notes?"),
        ("ragstone-notes", "did you mean notes?"),
        ("../notes", "did you mean notes?"),
        ("/etc/notes", "did you mean etc_notes?"),
        ("notes/../../x", "cannot be a plugin's name"),
        ("9notes", "small letters"),
        ("notes\n", "did you mean notes?"),
        ("notes\x1b[31m", "cannot be a plugin's name"),
        ("notas_ñ", "cannot be a plugin's name"),
        ("a" * 41, "too long"),
        ("a" * 100_000, "too long"),
        ("no__tes", "did you mean no_tes?"),
        ("'; rm -rf .", "did you mean rm_rf?"),
        ("@NAME@", "did you mean name?"),
        ("{{7*7}}", "small letters"),
        ("class", "it means something else"),
        ("enabled", "it means something else"),
        ("disabled", "it means something else"),
        ("core", "it means something else"),
        ("ask", "is a command"),
    ],
)
def test_a_name_that_cannot_be_is_refused(here: Here, tmp_path: Path, name: str, message: str) -> None:
    done = here("plugin", "new", "--", name)
    assert done.code == 2
    assert message in done.line
    assert len(done.line) < 300
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [*PLUGINS, *ALWAYS])
def test_the_name_of_a_plugin_that_is_there_is_refused(name: str) -> None:
    with pytest.raises(BadRequest, match=r"taken by the plugin of ragstone|something else"):
        valid_name(name, ())


def _folder(target: Path) -> None:
    target.mkdir()


def _file(target: Path) -> None:
    target.write_text("mine", "utf-8")


def _link_to_nowhere(target: Path) -> None:
    target.symlink_to("nowhere")


@pytest.mark.parametrize("make", [_folder, _file, _link_to_nowhere])
def test_nothing_is_overwritten(here: Here, tmp_path: Path, make: Callable[[Path], None]) -> None:
    target = tmp_path / "ragstone-notes"
    make(target)
    before = target.lstat()
    assert "there is something of that name already" in here("plugin", "new", "notes").line
    assert target.lstat() == before
    assert [path.name for path in tmp_path.iterdir()] == ["ragstone-notes"]


@pytest.mark.parametrize("into", ["none", "file", "", "file/x"])
def test_a_folder_that_is_none_is_refused(here: Here, tmp_path: Path, into: str) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    done = here("plugin", "new", "notes", "--into", into or "none/at/all")
    assert done.code == 2
    assert "there is no such folder" in done.line
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_written_is_one_line(here: Here, tmp_path: Path) -> None:
    """A folder in which nothing can be made, for root neither."""
    done = here("plugin", "new", "notes", "--into", "/proc")
    assert done.code == 1
    assert "it cannot be made there" in done.line

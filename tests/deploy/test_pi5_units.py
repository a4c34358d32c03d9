"""deploy/pi5/systemd: hardened, limited, and with the folders of ragstone.toml."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.support.needs import missing
from tests.support.pi5 import PROFILE

SYSTEMD = PROFILE / "systemd"
UNIT = SYSTEMD / "ragstone-tend.service"
DROP_IN = SYSTEMD / "planner-hardening.conf"
_EXPOSURE = 2.5


@pytest.fixture(scope="module")
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        missing("systemd-analyze")
    return found


def _exposure(analyze: str, unit: Path) -> float:
    # With --threshold it ends with 1 above that number of tenths; the number itself tells more when this fails.
    command = [analyze, "security", "--offline=true", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    if found is None and "offline" in done.stderr:
        missing("a systemd-analyze that knows --offline (systemd 250)")
    assert found, done.stdout + done.stderr
    return float(found[1])


def test_the_unit_is_hardened(analyze: str) -> None:
    assert _exposure(analyze, UNIT) <= _EXPOSURE


def test_the_drop_in_hardens_any_planner(analyze: str, tmp_path: Path) -> None:
    unit = tmp_path / "planner.service"
    unit.write_text("[Service]\nUser=robot\nExecStart=/bin/true\n", "utf-8")
    assert _exposure(analyze, unit) > _EXPOSURE
    (tmp_path / "planner.service.d").mkdir()
    shutil.copy(DROP_IN, tmp_path / "planner.service.d" / "ragstone.conf")
    assert _exposure(analyze, unit) <= _EXPOSURE


def test_the_timer_can_be_read(analyze: str) -> None:
    when = next(line for line in _lines(SYSTEMD / "ragstone-tend.timer") if line.startswith("OnCalendar="))
    command = [analyze, "calendar", when.partition("=")[2]]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize("path", [UNIT, DROP_IN])
def test_memory_is_limited_and_the_folders_are_those_of_the_settings(path: Path) -> None:
    lines = _lines(path)
    assert any(re.fullmatch(r"MemoryMax=\d+M", line) for line in lines)
    raw = tomllib.loads((PROFILE / "ragstone.toml").read_text("utf-8"))
    written = next(line for line in lines if line.startswith("ReadWritePaths=")).partition("=")[2].split()
    edge = raw["plugins"]["wiki_edge"]
    assert set(written) == {edge["episodic"], raw["data_dir"], raw["cache_dir"]}
    assert Path(edge["episodes"]["folder"]).is_relative_to(raw["data_dir"])
    assert "ProtectSystem=strict" in lines


def test_the_gates_of_the_remote_agent_are_shown_shut() -> None:
    lines = _lines(DROP_IN)
    assert "Environment=ALLOW_REMOTE_AGENT=0" in lines
    assert "Environment=MAX_API_CENTS_PER_DAY=0" in lines


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()

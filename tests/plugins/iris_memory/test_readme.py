"""The README's example runs, in a process of its own as an agent would run it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import ragstone.plugins.iris_memory
from ragstone.plugins.iris_memory import MemoryChunk, format_for_prompt

README = Path(ragstone.plugins.iris_memory.__file__ or "").parent / "README.md"
TEXT = README.read_text("utf-8")


def _blocks(language: str, section: str) -> list[str]:
    return re.findall(
        rf"```{language}\n(.*?)```", TEXT.partition(f"\n## {section}\n")[2].partition("\n## ")[0], re.DOTALL
    )


def test_the_agent_finds_what_it_wrote(tmp_path: Path) -> None:
    (settings,), (example,) = _blocks("toml", "An agent"), _blocks("python", "An agent")
    (tmp_path / "ragstone.toml").write_text(settings, "utf-8")
    (tmp_path / "iris").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "iris" / "logs" / "mail-2.md").read_text("utf-8").endswith("The order is already placed.\n")


def test_every_function_is_reported() -> None:
    assert all(name in TEXT for name in ragstone.plugins.iris_memory.__all__)


def test_the_block_is_shown_as_it_is() -> None:
    notice = format_for_prompt([MemoryChunk("Words.", "a.md", "", "note", 0.5)]).split("\n")[1]
    assert notice in TEXT

"""Runs the blocks of a guide in order, in a folder of their own and in one shell."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# ([\w./-]+\.\w+)\n")
_TYPED = re.compile(r"^\$ (.*)\n", re.MULTILINE)
_END = "END-OF-THE-FILE"


@dataclass(frozen=True)
class Block:
    """One block of a guide."""

    kind: str
    text: str
    #: Line of the guide on which it begins.
    line: int

    @property
    def file(self) -> str | None:
        """The file that it is, if its first line names one."""
        found = _FILE.match(self.text)
        return found[1] if found and self.kind not in ("sh", "console") else None

    @property
    def can_be_followed(self) -> bool:
        """Whether it is a file or a command."""
        return self.kind in ("sh", "console") or self.file is not None


@dataclass(frozen=True)
class Output:
    """The output of a command, and the output that the guide shows."""

    line: int
    command: str
    expected: str
    output: str


def blocks(guide: str) -> list[Block]:
    """The guide's blocks in order."""
    return [Block(found[1], found[2], guide.count("\n", 0, found.start()) + 1) for found in _BLOCK.finditer(guide)]


def follow(steps: Sequence[Block], folder: Path, environment: Mapping[str, str], seconds: float) -> list[Output]:
    """Run all blocks. Raises ``AssertionError`` with the output of the first block that fails."""
    outputs = folder.with_name(f"{folder.name}-outputs")
    outputs.mkdir()
    typed: list[tuple[int, str, str]] = []
    script = ["set -e"]
    for step in steps:
        if step.file is not None:
            script += _writing(step.file, step.text.partition("\n")[2])
        elif step.kind == "console":
            for command, expected in _lines(step.text):
                out = shlex.quote(str(outputs / str(len(typed))))
                # A command may fail on purpose: its message is compared.
                script.append(f"{{ {command}\n}} >{out} 2>&1 || true")
                typed.append((step.line, command, expected))
        else:
            script += [f"echo '=== the block of line {step.line}' >&2", step.text]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return [Output(*what, (outputs / str(number)).read_text("utf-8")) for number, what in enumerate(typed)]


def matches(expected: str, output: str) -> bool:
    """Whether the outputs are equal, but for the width of a table's columns; ``…`` matches any text."""
    pattern = re.escape(" ".join(expected.split())).replace("…", ".*")
    return re.fullmatch(pattern, " ".join(output.split())) is not None


def _writing(name: str, text: str) -> Iterator[str]:
    assert ".." not in name.split("/")
    assert not name.startswith("/")
    assert _END not in text
    yield f'mkdir -p "$(dirname {shlex.quote(name)})"'
    yield f"cat >{shlex.quote(name)} <<'{_END}'\n{text}{_END}"


def _lines(console: str) -> Iterator[tuple[str, str]]:
    typed = list(_TYPED.finditer(console))
    assert typed
    assert typed[0].start() == 0, "a console begins with what is typed"
    ends = [*(found.start() for found in typed[1:]), len(console)]
    for found, end in zip(typed, ends, strict=True):
        yield found[1], console[found.end() : end]

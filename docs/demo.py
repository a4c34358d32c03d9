"""Records docs/demo.cast and draws docs/answer.svg: real commands in a terminal, with a fresh data folder.

``python docs/demo.py`` from the repository's folder, with ``ragstone`` installed. The recording is asciinema's format
2; its times are those of the run, and players shorten pauses to ``idle_time_limit``.
"""

from __future__ import annotations

import json
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).resolve().parent
ASK = 'ragstone ask book_chat "What does a category 1 stop do?"'
#: What a viewer should look for, and the command.
COMMANDS = (
    ("A book: Markdown, an mdBook or a PDF. Here the sample.", "ragstone book add plugins/book_chat/sample/primer"),
    ("An answer is the book's own sentences, each with its source.", ASK),
    (
        "The book does not say: what is missing is named, and what comes closest is quoted.",
        'ragstone ask book_chat "When was the zero moment point invented?"',
    ),
    (
        "The book is about something else. All of this ran without a network, a key, a GPU or a language model.",
        'ragstone ask book_chat "Who won the football world cup in 2018?"',
    ),
)
COLUMNS, ROWS = 100, 30
PROMPT = "\x1b[1;32m$\x1b[0m "
_WORD_SECONDS = 0.2
_READING_SECONDS = 8.0
_SECONDS = 300
#: Rich's own template without the fonts that it fetches from the web.
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  aria-label="A question and its answer at the terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


class Recording:
    """Events of a terminal with the seconds since its start."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self.events: list[tuple[float, str]] = []

    def show(self, words: str) -> None:
        """Add what appears now."""
        self.events.append((round(time.monotonic() - self._start, 3), words))

    def type(self, words: str) -> None:
        """Add the words one after the other."""
        for word in words.split(" "):
            self.show(f"{word} ")
            time.sleep(_WORD_SECONDS)

    def written(self) -> str:
        """The recording as asciinema's format 2 has it."""
        header = {
            "version": 2,
            "width": COLUMNS,
            "height": ROWS,
            "idle_time_limit": _READING_SECONDS,
            "title": "Ragstone: answers that name their sources",
            "env": {"SHELL": "/bin/sh", "TERM": "xterm-256color"},
        }
        return "".join(f"{json.dumps(line)}\n" for line in [header, *([at, "o", words] for at, words in self.events)])


def run(command: str, recording: Recording, environment: dict[str, str]) -> str:
    """Run the command in a terminal of its own and record what it prints. Raises ``RuntimeError`` when it fails."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    words = [sys.executable, "-m", *shlex.split(command)]
    streams = {"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(words, **streams, env=environment) as process:  # noqa: S603 - the commands are those above
        os.close(theirs)
        printed = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:  # Linux's way of saying that the other end is closed
                break
            if not read:
                break
            printed += read
            recording.show(read.decode("utf-8", "replace"))
        os.close(ours)
        if process.wait(timeout=_SECONDS):
            raise RuntimeError(f"{command}: {printed.decode('utf-8', 'replace')}")
    return printed.decode("utf-8", "replace").replace("\r\n", "\n")


def drawn(command: str, printed: str) -> str:
    """A picture of the terminal with one command and what it printed."""
    console = Console(width=COLUMNS, record=True, file=Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    console.print(Text.from_ansi(f"{PROMPT}{command}\n{printed.rstrip()}"))
    return console.export_svg(title=command, code_format=_SVG, unique_id="answer")


def main() -> None:
    """Record the demo and draw the answer."""
    recording = Recording()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RAGSTONE_DATA_DIR": folder, "HF_HUB_OFFLINE": "1", "COLUMNS": str(COLUMNS)}
        for note, command in COMMANDS:
            recording.show(f"\x1b[2m# {note}\x1b[0m\r\n{PROMPT}")
            recording.type(command)
            recording.show("\r\n")
            printed = run(command, recording, environment)
            recording.show("\r\n")
            time.sleep(_READING_SECONDS)
            if command == ASK:
                (DOCS / "answer.svg").write_text(drawn(command, printed), "utf-8")
    (DOCS / "demo.cast").write_text(recording.written(), "utf-8")


if __name__ == "__main__":
    main()

"""Output of the command line: tables, answers, progress, JSON."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ..answering.answer import Answer
    from ..ingestion.pipeline import IngestProgress, OnProgress

#: Characters of a line that is not for a terminal.
_WIDEST = 1_000_000

Command = TypeVar("Command", bound="Callable[..., Any]")


def json_option(text: str = "Print JSON.") -> Callable[[Command], Command]:
    """The option ``--json`` of a command, which gets it as ``as_json``; ``text`` is its help."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def as_json(value: Any) -> None:
    """Print the value as JSON on stdout, control characters escaped: JSON is read by people too."""
    click.echo(escaped(json.dumps(value, indent=2, ensure_ascii=False, default=str)))


def escaped(text: str) -> str:
    """JSON with its control characters escaped."""
    return "".join(char if _is_printable(char) else json.dumps(char)[1:-1] for char in text)


def printable(text: str) -> str:
    """The text without control characters: a document must not control the terminal."""
    return "".join(char for char in text if _is_printable(char))


def _is_printable(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char)[0] != "C"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str) -> None:
    """Print rows under their columns, or a sentence when there are none."""
    if not rows:
        click.echo(empty)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:  # for a program or a file no line is folded
        console.width = _WIDEST
    shown = Table(box=None, pad_edge=False, header_style="bold")
    # The first column has the names that are typed again: they stay in one piece where there is room.
    whole = max(len(str(row[0])) for row in rows) <= console.width * 3 // 5
    for number, column in enumerate(columns):
        shown.add_column(column, overflow="fold", no_wrap=whole and number == 0)
    for row in rows:
        shown.add_row(*(Text("" if cell is None else printable(" ".join(str(cell).split()))) for cell in row))
    with console.capture() as printed:
        console.print(shown)
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))  # rich pads every line


def answer(found: Answer) -> None:
    """Print an answer and where each sentence comes from."""
    click.echo(printable(found.text))
    if found.citations:
        click.echo()
    for citation in found.citations:
        named = list(citation.place.path)
        if citation.url.startswith(("https://", "http://")):  # the others need a server
            named.append(citation.url)
        note = f" ({citation.note})" if citation.note else ""
        click.echo(printable(f"[{citation.n}] {' · '.join(named) or citation.chunk_id}{note}"))


@contextmanager
def progress(what: str, total: int | None) -> Iterator[OnProgress]:
    """A bar on stderr that follows an ingestion; ``total`` is the number of documents, where it is known."""
    from rich.progress import TextColumn, TimeElapsedColumn

    with _bar(TextColumn("{task.fields[rate]}"), TimeElapsedColumn()) as bar:
        task = bar.add_task(what, total=total, rate="")

        def update(now: IngestProgress) -> None:
            elapsed = bar.tasks[0].elapsed or 0
            chunks = now.chunks + now.embedded
            of = f" of {now.chunks + now.unstored}" if now.unstored else ""
            rate = f"{chunks}{of} chunks, {chunks / elapsed:.0f}/s" if chunks and elapsed > 1 else ""
            done = now.documents + now.embedded / (now.unstored or 1)
            bar.update(task, total=now.total, completed=done, rate=rate)

        yield update


@contextmanager
def counter(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on stderr that advances with every call, by one or by the number given, or to ``completed``."""
    with _bar() as bar:
        task = bar.add_task(what, total=total)
        yield lambda by=1, completed=None: bar.update(task, advance=None if completed else by, completed=completed)


def _bar(*more: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True, highlight=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *more)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

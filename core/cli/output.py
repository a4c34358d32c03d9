"""Output of the command line: tables, answers, progress, JSON."""

from __future__ import annotations

import json
import sys
import unicodedata
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.progress import Progress, ProgressColumn

    from ..answering.answer import Answer
    from ..ingestion.pipeline import IngestProgress, OnProgress

#: Between two columns of a table.
_GAP = "  "

Command = TypeVar("Command", bound="Callable[..., Any]")


def json_option(text: str = "Print JSON.") -> Callable[[Command], Command]:
    """The option ``--json`` of a command, which gets it as ``as_json``; ``text`` is its help."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def as_json(value: Any) -> None:
    """Print the value as JSON on stdout, control characters escaped: JSON is read by people too."""
    click.echo(escaped(json.dumps(value, indent=2, ensure_ascii=False, default=str)))


def escaped(text: str) -> str:
    """JSON with its control characters escaped."""
    return "".join(char if _is_printable(char) else _escaped(char) for char in text)


def printable(text: str) -> str:
    """The text without control characters: a document must not control the terminal."""
    return "".join(char for char in text if _is_printable(char))


def _is_printable(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char)[0] != "C"


def _escaped(char: str) -> str:
    """The character as JSON writes it in ASCII."""
    return json.dumps(char)[1:-1]


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str) -> None:
    """Print rows under their columns, or a sentence when there are none."""
    if not rows:
        click.echo(empty)
        return
    cells = [
        ["" if cell is None else printable(" ".join(str(cell).split())) for cell in row] for row in (columns, *rows)
    ]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    if sys.stdout.isatty() and sum(widths) + len(_GAP) * (len(widths) - 1) > get_terminal_size().columns:
        _folded_table(cells)
        return
    for number, row in enumerate(cells):  # for a program or a file no line is cut
        padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        click.echo(click.style(_GAP.join(padded).rstrip(), bold=number == 0 or None))


def _width(text: str) -> int:
    """Columns of a terminal that the text takes."""
    wide = sum(unicodedata.east_asian_width(char) in {"F", "W"} for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in {"Me", "Mn"} for char in text)


def _folded_table(cells: Sequence[Sequence[str]]) -> None:
    """Print a table that is too wide for the terminal, its cells folded."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns, *rows = cells
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*map(Text, row))
    Console(highlight=False).print(shown)


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
            rate = f"{now.chunks} chunks, {now.chunks / elapsed:.0f}/s" if now.chunks and elapsed > 1 else ""
            bar.update(task, completed=now.documents, rate=rate)

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

"""How far a build is, for people: a bar in a terminal, a line now and then anywhere else."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..shards.build import BuildProgress

#: Seconds between two lines where there is no terminal.
_EVERY = 15.0
#: Share of a source that must be read before a remaining time is estimated.
_ENOUGH = 0.005
_MINUTE, _HOUR = 60, 3600


class Clock:
    """Rates of this run, without what an earlier run made."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._began = now()
        self._first: tuple[float, float] | None = None

    def words(self, progress: BuildProgress) -> str:
        """Articles, chunks, chunks a second, and the estimated time left."""
        seconds = self._now() - self._began
        if self._first is None:  # the estimate begins here: before it everything was started
            self._first = (self._now(), progress.share)
        made = progress.chunks - progress.resumed
        rate = f", {made / seconds:.1f} chunks/s" if seconds > 1 and made else ""
        return f"{progress.articles:,} articles, {progress.chunks:,} chunks{rate}{self._left(progress.share)}"

    def _left(self, share: float) -> str:
        began, at = self._first or (0.0, 0.0)
        if share >= 1 or share - at < _ENOUGH:
            return ""
        return f", about {duration((self._now() - began) * (1 - share) / (share - at))} left"


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    hours, rest = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {rest} min"


@contextmanager
def show_progress(what: str) -> Iterator[Callable[[BuildProgress], None]]:
    """Follow a build on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console, clock = Console(stderr=True, highlight=False), Clock()
    if not console.is_terminal:
        last = time.monotonic()

        def line(progress: BuildProgress) -> None:
            nonlocal last
            if time.monotonic() - last >= _EVERY:
                last = time.monotonic()
                click.echo(f"{what}: {progress.share:.1%} read, {clock.words(progress)}", err=True)

        yield line
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0, words="")
        yield lambda progress: bar.update(task, completed=progress.share, words=clock.words(progress))

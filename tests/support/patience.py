"""How long tests wait, and how they tell work that grows with its input from work that explodes, on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ragstone.core import Corpus

#: Seconds after which something waits for what never comes, however busy the machine is.
HANG = 180.0
_TRIES = 5


def until(true: Callable[[], object], what: str = "what was waited for", seconds: float = HANG) -> None:
    """Wait until it is true, and fail when that never comes."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} did not come about in {seconds:.0f} s"
        time.sleep(0.02)


def is_followed(corpus: Corpus) -> bool:
    """Whether the vector index is at the corpus's last change."""
    with corpus.catalog.read() as snapshot:
        row = corpus.contents.row(snapshot)
    follower = corpus.search_cache.follower
    return follower is not None and follower.current == (row.id, row.seq)


def until_followed(corpus: Corpus) -> None:
    """Wait until the vector index is at the corpus's last change."""
    until(lambda: is_followed(corpus), "following")


@contextmanager
def without_hanging(seconds: float = HANG) -> Iterator[None]:
    """Fails when what is done within took so long that it must have waited for something that did not come."""
    begun = time.monotonic()
    yield
    took = time.monotonic() - begun
    assert took < seconds, f"it took {took:.0f} s"


def grows_linearly(work: Callable[[int], object], size: int, *, times: int = 6) -> bool:
    """Whether ``work(times * size)`` costs about ``times`` as much as ``work(size)``, and not ``times`` squared.

    Counted is this thread's time on a processor. What else the machine does can only make a ratio worse, so that one
    good ratio of several tells; work that is quadratic has none.
    """
    work(size // times)  # what is made once
    return any(_spent(work, times * size) < times**1.5 * _spent(work, size) for _ in range(_TRIES))


def _spent(work: Callable[[int], object], size: int) -> float:
    begun = time.thread_time()
    work(size)
    return time.thread_time() - begun

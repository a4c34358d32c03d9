"""Threads of the HTTP server with their queues; refuses requests when too many wait."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from flask import Flask
from waitress.task import ThreadedTaskDispatcher

from .admission import HEALTH_PATH
from .http_channel import Channel
from .settings import WebSettings

#: Key of the WSGI environment of a request that is refused because too many wait.
OVERLOADED = "ragstone.overloaded"
#: A request that was let into the queue leaves it unanswered after so many times the longest wait.
_LATE = 1.5
#: Share of the latest request in the moving average of the service time.
_LATEST = 0.1

#: Seconds between two warnings that requests wait.
_PAUSE = 60.0

_log = logging.getLogger(__name__)
_quiet = logging.getLogger(f"{__name__}.quiet")
_quiet.setLevel(logging.CRITICAL)


class Lane(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """Threads with a queue, and how long a new task would wait in it."""

    queue_logger = _quiet  # waitress would warn of each task that has to wait

    def __init__(self, threads: int, *, warns: bool = False) -> None:
        """``warns``: whether to log, at most once a minute, that tasks have to wait."""
        super().__init__()
        self._most = threads
        self._warn_at = 0.0 if warns else float("inf")
        self._mean = 0.0
        #: By thread, when the task that it serves was begun.
        self._begun: dict[int, float] = {}
        self.set_thread_count(threads)

    def add_task(self, task: Any) -> None:
        super().add_task(_Timed(task, self))
        with self.lock:
            waiting = len(self.queue) - (len(self.threads) - self.stop_count - self.active_count)
        if waiting > 0 and time.monotonic() >= self._warn_at:
            self._warn_at = time.monotonic() + _PAUSE
            _log.warning("requests wait for one of the server's threads ([plugins.web] threads): %d", waiting)

    def serve(self, task: Any) -> None:
        thread, begun = threading.get_ident(), time.monotonic()
        with self.lock:
            self._begun[thread] = begun
        try:
            task.service()
        finally:
            with self.lock:
                del self._begun[thread]
                self._mean += _LATEST * (time.monotonic() - begun - self._mean)

    @property
    def wait(self) -> float:
        """Seconds that a new task would wait: the queue's length times the moving average of the service time.

        While every thread has been busy for longer than the average, the shortest of these times takes its place: so
        a queue before threads that all hang is seen to be one before their tasks have ended.
        """
        with self.lock:
            each = self._mean
            if len(self._begun) == self._most:
                each = max(each, time.monotonic() - max(self._begun.values()))
            return len(self.queue) * each / self._most

    def take_late(self, seconds: float) -> list[Any]:
        """Take the tasks out of the queue that have waited in it for longer than that."""
        with self.lock:
            ends = time.monotonic() - seconds
            late = []
            while self.queue and self.queue[0].came < ends:
                late.append(self.queue.popleft().task)
            return late


class _Timed:
    def __init__(self, task: Any, lane: Lane) -> None:
        self.task = task
        self.came = time.monotonic()
        self._lane = lane

    def service(self) -> None:
        self._lane.serve(self.task)

    def cancel(self) -> None:
        self.task.cancel()


class Lanes:
    """The server's threads: those that answer, one for ``/health``, two for admission, one that sends refusals."""

    def __init__(self, app: Flask, options: WebSettings) -> None:
        self._app = app
        self._seconds = options.queue_seconds
        self.work = Lane(options.threads, warns=True)
        self.health, self.admission, self.refusals = Lane(1), Lane(2), Lane(1)

    def add_task(self, channel: Channel) -> None:
        """Give the channel's first request to the lane that it belongs to."""
        request = channel.requests[0]
        if request.error is not None:
            self.refusals.add_task(channel)
        elif request.path == HEALTH_PATH:
            self.health.add_task(channel)
        elif self.work.wait > self._seconds:
            self._refuse(channel)
        else:
            self.work.add_task(channel)

    def refuse_late(self) -> None:
        """Refuse the requests that have waited for too long, whatever the estimate was when they came."""
        for channel in self.work.take_late(_LATE * self._seconds):
            self._refuse(channel)
        for task in self.admission.take_late(_LATE * self._seconds):
            task.refuse(self._app)

    def shutdown(self) -> None:
        """End the threads; what is being answered has five seconds."""
        lanes = (self.admission, self.health, self.refusals, self.work)
        for lane in lanes:
            lane.set_thread_count(0)
        for lane in lanes:  # the server's sockets are closed next, which no thread may still use
            lane.shutdown()

    def _refuse(self, channel: Channel) -> None:
        channel.requests[0].found = {OVERLOADED: True}
        self.refusals.add_task(channel)

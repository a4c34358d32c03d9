"""Asynchronous work in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def finished(work: Coroutine[Any, Any, Any]) -> Any:
    """What the work gives, in an event loop of its own: Playwright leaves one running in the tests' main thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()

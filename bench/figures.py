"""Summarises durations in milliseconds by percentiles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spread(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50, p90, p99, mean and maximum."""
    p50, p90, p99 = np.percentile(milliseconds, [50, 90, 99])
    named = {"p50": p50, "p90": p90, "p99": p99, "mean": np.mean(milliseconds), "max": np.max(milliseconds)}
    return {name: round(float(value), 3) for name, value in named.items()}

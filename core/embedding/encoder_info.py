"""What ``ragstone encoder`` shows: an encoder's model, its files and its speed on this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .minilm import MiniLMEmbedding
from .model_cache import sha256_of
from .weights import ALL_MINILM_L6_V2

if TYPE_CHECKING:
    from .encoder import Encoder

#: Texts whose speed is measured.
_TEXTS = 24


def encoder_info(encoder: Encoder) -> dict[str, Any]:
    """The model and its speed on this machine, for a short question and for texts of one full window."""
    encoder.embed_query("warm up")
    started = time.perf_counter()
    rounds = 10
    for number in range(rounds):
        encoder.embed_query(f"how fast is question {number}?")
    query_ms = (time.perf_counter() - started) / rounds * 1000
    full = [" ".join(f"word{number}" for _ in range(84)) for number in range(_TEXTS)]
    started = time.perf_counter()
    encoder.embed_texts(full)
    rate = _TEXTS / (time.perf_counter() - started)
    files = encoder.model.files if isinstance(encoder.model, MiniLMEmbedding) else None
    return {
        "model": encoder.model.model_name,
        "provider": encoder.model.class_name(),
        "file": str(files.model) if files else None,
        "origin": f"{files.origin} ({files.source})" if files else None,
        "sha256": sha256_of(files.model) if files else None,
        "weights_sha256": ALL_MINILM_L6_V2.weights_sha256 if files else None,
        "precision": getattr(encoder.model, "precision", None),
        "dimension": encoder.dimension,
        "window": encoder.window,
        "query_ms": round(query_ms, 2),
        "texts_per_second": round(rate, 1),
    }

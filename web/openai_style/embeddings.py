"""``POST /v1/embeddings``: vectors of texts by the deployment's own encoder."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from ragstone.core import BadRequest, Encoder, TooLarge

from .chat_request import string

#: As many as OpenAI takes.
MOST_TEXTS = 2_048
#: Texts that are embedded at a time: between two lots, others have their turn.
_LOT = 32


def embeddings(body: dict[str, Any], encoder: Encoder, most_tokens: int) -> dict[str, Any]:
    """The answer to a request whose model is the encoder. Raises ``BadRequest``, ``TooLarge``, ``EncoderError``."""
    texts = _texts(body.get("input"))
    form = body.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        raise BadRequest("encoding_format must be float or base64")
    dimensions = body.get("dimensions")
    if dimensions is not None and (isinstance(dimensions, bool) or dimensions != encoder.dimension):
        raise BadRequest(f"this model has {encoder.dimension} dimensions, and no others")
    counts = [encoder.count_tokens(text) for text in texts]
    # two of the window's tokens are the model's own
    most = None if encoder.window is None else encoder.window - 2
    if most is not None and max(counts) > most:
        number = counts.index(max(counts))
        raise BadRequest(
            f"input {number} has {counts[number]} tokens; this model reads {most}",
            hint="cut it into pieces; Ragstone cuts nothing off unasked",
        )
    if sum(counts) > most_tokens:
        raise TooLarge(
            f"input has {sum(counts):,} tokens in all; {most_tokens:,} are allowed",
            hint="send fewer texts at a time, or raise embedding_tokens under [plugins.web]",
        )
    lots = [encoder.embed_texts(texts[start : start + _LOT]) for start in range(0, len(texts), _LOT)]
    data = [
        {"object": "embedding", "index": index, "embedding": vector.tolist() if form == "float" else _packed(vector)}
        for index, vector in enumerate(np.concatenate(lots))
    ]
    usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
    return {"object": "list", "data": data, "model": string(body, "model"), "usage": usage}


def _texts(given: object) -> list[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts:
        raise BadRequest("input must be a string or a list of strings")
    if len(texts) > MOST_TEXTS:
        raise TooLarge(f"input has {len(texts):,} texts; {MOST_TEXTS:,} are allowed")
    if any(isinstance(text, int | list) and not isinstance(text, bool) for text in texts):
        raise BadRequest(
            "input holds token numbers, which mean something else in every model",
            hint="send text; in LangChain check_embedding_ctx_length=False does that",
        )
    for number, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            raise BadRequest(f"input {number} is not a string with something in it")
    return texts


def _packed(vector: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(vector, "<f4").tobytes()).decode("ascii")

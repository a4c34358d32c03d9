"""The sentence encoder as the host uses it: any LlamaIndex embedding model, with nothing cut off."""

from __future__ import annotations

import logging
import os
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import EncoderError, is_failure
from ..runtime.budget import check_budget
from ..runtime.fair_semaphore import FairSemaphore
from ..runtime.forks import ForkSafeLock, ProcessGuard
from ..tracing import has_listeners
from .minilm import MiniLMEmbedding
from .model_cache import sha256_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    from llama_index.core.base.embeddings.base import BaseEmbedding

    Vectors = npt.NDArray[np.float32]
    Embed = Callable[[BaseEmbedding], Sequence[Sequence[float]] | Vectors]

_log = logging.getLogger(__name__)

#: Raised whenever the same chunk would be cut into other windows.
_WINDOWS_VERSION = 1
#: A heading may take this share of a window at most; the rest belongs to the text.
_HEADING_SHARE = 0.25


@dataclass(frozen=True)
class EncoderInfo:
    """What ``ragstone encoder`` shows."""

    model: str
    provider: str
    file: str | None
    origin: str | None
    sha256: str | None
    weights_sha256: str | None
    precision: str | None
    dimension: int
    window: int | None
    query_ms: float
    texts_per_second: float


class Encoder:
    """Embeds questions and chunks as unit vectors.

    A chunk longer than the model's window gets several vectors, one for each window, every window under the chunk's
    headings; a chunk is as near to a question as the nearest of its windows. Measured on chunks of 380 tokens of a
    biology book and 677 exercises, recall of the right module among five: cut off 0.849, pooled 0.864, best window
    0.882; with the headings before each window 0.886 (from 0.879 without, on the same cut).
    """

    def __init__(self, model: BaseEmbedding, *, fallback: Callable[[], BaseEmbedding] | None = None) -> None:
        """``fallback``: makes the model that takes over when this one fails, if its vectors can be compared with this
        one's (see ``family``). Raises ``EncoderError`` where the model embeds nothing."""
        self.model = model
        self._stand_in = fallback
        self._lock = ForkSafeLock()
        self._tokenizer = _tokenizer_of(model)
        self.window: int | None = getattr(model, "window", None) or getattr(model, "max_length", None)
        self._process = ProcessGuard()
        #: Turns at this machine's processors, for all that a question needs of them. One more than there are: two that
        #: compute in Python wait for each other. On two processors eight clients got 106 answers a second and not 97.
        self.cpu_slots = FairSemaphore((os.cpu_count() or 1) + 1)
        self.dimension = 0  # until the model has told it
        vector = self._vectors(lambda model: [model.get_query_embedding("dimension")], 1)[0]
        self.dimension = int(vector.shape[0])
        own = getattr(model, "fingerprint", None)
        name = own if isinstance(own, str) else f"{model.class_name()}/{model.model_name}"
        #: Changes whenever the same chunk would get other vectors; a stand-in does not change it.
        self.fingerprint = f"{name}/{self.dimension}/windows-{_WINDOWS_VERSION}-{self.window}"
        #: The same for encoders whose vectors can be compared, whatever their precision and windows.
        self.family = self._family_of(model)

    def _family_of(self, model: BaseEmbedding) -> str:
        own = getattr(model, "family", None)
        return own if isinstance(own, str) else f"{model.class_name()}/{model.model_name}/{self.dimension}"

    def count_tokens(self, text: str) -> int:
        """Tokens of the text as the model counts them; a guess from its words where the model does not tell."""
        if self._tokenizer is None:
            return len(text.split()) * 3 // 2
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @property
    def tokenizer_json(self) -> str | None:
        """The tokenizer as ``tokenizers`` writes it, to count in another process; ``None`` for a model without one."""
        return None if self._tokenizer is None else str(self._tokenizer.to_str())

    def embed_query(self, question: str) -> Vectors:
        """The question's unit vector, float32 [dimension]. Raises ``EncoderError`` if the model gives no finite one."""
        # A model of somebody else's may be a server far away: whoever waits for it keeps nobody from the processor.
        with self.cpu_slots.acquire() if isinstance(self.model, MiniLMEmbedding) else nullcontext():
            vector: Vectors = self.embed_queries([question])[0]
        return vector

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """The questions' unit vectors, float32 [len(questions), dimension]. Raises ``EncoderError`` likewise."""
        return self._embedded(lambda model: _of_questions(model, questions), len(questions))

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, float32 [len(texts), dimension]. Raises ``EncoderError`` as ``embed_query`` does."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        check_budget()
        return self._embedded(lambda model: model.get_text_embedding_batch(list(texts)), len(texts))

    def embed_chunks(self, chunks: Sequence[tuple[str, str]]) -> list[Vectors]:
        """Unit vectors of each ``(headings, text)``, float32 [windows, dimension]."""
        windows = self._windows_of(chunks)
        flat = self.embed_texts([window for parts in windows for window in parts])
        ends = np.cumsum([len(parts) for parts in windows])
        return np.split(flat, ends[:-1]) if windows else []

    def windows(self, headings: str, text: str) -> list[str]:
        """The text in pieces of equal length that fit the model's window, each under the headings."""
        return self._windows_of([(headings, text)])[0]

    def _windows_of(self, chunks: Sequence[tuple[str, str]]) -> list[list[str]]:
        if self._tokenizer is None or self.window is None:
            return [[f"{headings}\n{text}" if headings else text] for headings, text in chunks]
        room = self.window - 2
        encodings = self._tokenizer.encode_batch([text for _, text in chunks], add_special_tokens=False)
        heads = {headings: self._head(self._tokenizer, headings, int(room * _HEADING_SHARE)) for headings, _ in chunks}
        taken = {headings: self.count_tokens(head) if head else 0 for headings, head in heads.items()}
        return [
            _pieces(heads[headings], text, encoding.offsets, room - taken[headings])
            for (headings, text), encoding in zip(chunks, encodings, strict=True)
        ]

    @staticmethod
    def _head(tokenizer: Any, headings: str, room: int) -> str:
        """The headings and a line break, the far end first to go where they are too long."""
        if not headings:
            return ""
        offsets = tokenizer.encode(headings, add_special_tokens=False).offsets
        start = offsets[-room][0] if len(offsets) > room else 0
        return f"{headings[start:]}\n"

    def _embedded(self, embed: Embed, count: int) -> Vectors:
        """What the model gives, or its stand-in where it fails."""
        before = self.model
        try:
            return self._vectors(embed, count)
        except EncoderError as error:
            if not self._taken_over(before, error):
                raise
            return self._vectors(embed, count)

    def _taken_over(self, failed: BaseEmbedding, why: EncoderError) -> bool:
        """Whether another model than the one that failed is in use now. Raises ``EncoderError``."""
        with self._lock:
            if self.model is not failed:
                return True
            if self._stand_in is None:
                return False
            make, self._stand_in = self._stand_in, None
            other = make()
            if self._family_of(other) != self.family:
                _log.warning("the encoder failed (%s), and %s gives vectors of another kind", why, other.model_name)
                return False
            _log.warning("the encoder failed (%s); %s takes over until the next start", why, type(other).__name__)
            self.model = other
            return True

    def _vectors(self, embed: Embed, count: int) -> Vectors:
        """What the model gives, as unit vectors. It may be anybody's: whatever goes wrong in it is its failure."""
        self._process.check()
        model = self.model
        name = model.model_name
        try:
            vectors = np.asarray(embed(model), np.float32)
        except BaseException as error:
            if not is_failure(error):
                raise
            raise EncoderError(f"the model raised {type(error).__name__}: {error}", where=name) from error
        if (
            vectors.shape[:1] != (count,)
            or vectors.ndim != 2
            or vectors.shape[1] != (self.dimension or len(vectors[0]))
        ):
            raise EncoderError(f"the model gave {vectors.shape} numbers, not ({count}, {self.dimension})", where=name)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EncoderError("the model gave a vector that is zero or not finite", where=name)
        unit: Vectors = vectors / norms
        return unit

    def info(self, *, texts: int = 24) -> EncoderInfo:
        """What is in use and how fast it is here: a short question, and texts of one full window each."""
        self.embed_query("warm up")
        started = time.perf_counter()
        rounds = 10
        for number in range(rounds):
            self.embed_query(f"how fast is question {number}?")
        query_ms = (time.perf_counter() - started) / rounds * 1000
        full = [" ".join(f"word{number}" for _ in range(84)) for number in range(texts)]
        started = time.perf_counter()
        self.embed_texts(full)
        rate = texts / (time.perf_counter() - started)
        files = self.model.files if isinstance(self.model, MiniLMEmbedding) else None
        return EncoderInfo(
            model=self.model.model_name,
            provider=self.model.class_name(),
            file=str(files.model) if files else None,
            origin=f"{files.origin} ({files.source})" if files else None,
            sha256=sha256_of(files.model) if files else None,
            weights_sha256=files.weights_sha256 if files else None,
            precision=getattr(self.model, "precision", None),
            dimension=self.dimension,
            window=self.window,
            query_ms=round(query_ms, 2),
            texts_per_second=round(rate, 1),
        )


def _of_questions(model: BaseEmbedding, questions: Sequence[str]) -> Sequence[Sequence[float]] | Vectors:
    if type(model) is MiniLMEmbedding and not has_listeners():
        return model.encode(questions)  # without LlamaIndex's events: 0.3 ms a question, and nobody listens
    return [model.get_query_embedding(question) for question in questions]


def _pieces(head: str, text: str, offsets: Sequence[tuple[int, int]], room: int) -> list[str]:
    """The text in as few pieces of equal length as fit the room, in tokens, each under the head."""
    count = max(1, -(-len(offsets) // room))
    if count == 1:
        return [head + text]
    size = -(-len(offsets) // count)
    starts = [offsets[first][0] for first in range(0, len(offsets), size)]
    starts[0] = 0
    return [head + text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _tokenizer_of(model: BaseEmbedding) -> Any | None:
    """The model's fast tokenizer, where it has one: ours, or that of a sentence-transformers model inside."""
    own = getattr(model, "tokenizer", None)
    if own is None:
        inner = getattr(getattr(model, "_model", None), "tokenizer", None)
        own = getattr(inner, "backend_tokenizer", None)
        if own is not None:
            own = type(own).from_str(own.to_str())  # a copy: the model goes on cutting with its own
            own.no_truncation()
            own.no_padding()
    return own

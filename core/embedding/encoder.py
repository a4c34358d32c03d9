"""The host's sentence encoder: any LlamaIndex embedding model, without truncation of long texts."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

from ..errors import EncoderError, failures
from ..runtime.fair_semaphore import FairSemaphore
from ..runtime.forks import ForkSafeLock, ProcessGuard
from ..runtime.request import check_budget
from ..text.chunk_terms import analyze_chunk
from ..tracing import has_listeners
from .languages import LanguageMismatch, language_mismatch
from .minilm import MiniLMEmbedding
from .windows import ChunkVectors, WindowSplitter, tokenizer_of

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Embed = Callable[[BaseEmbedding], Sequence[Sequence[float]] | Vectors]

_log = logging.getLogger(__name__)

#: Increased whenever the same chunk would be split into other windows.
_WINDOWS_VERSION = 1


class Encoder:
    """Embeds questions and chunks as unit vectors.

    A chunk longer than the model's window gets one vector for each window, and every window begins with the chunk's
    headings; a chunk's similarity to a question is that of its most similar window. Recall at 5 of the right module, on
    chunks of 380 tokens of a biology book and 677 exercises: truncated 0.849, mean of the windows 0.864, best window
    0.882; with the headings in each window 0.886 (0.879 without, on the same windows).
    """

    def __init__(self, model: BaseEmbedding, *, fallback: Callable[[], BaseEmbedding] | None = None) -> None:
        """``fallback``: creates the model that replaces this one when it fails, if their vectors can be compared (see
        ``family``). Raises ``EncoderError`` if the model gives no vector."""
        self.model = model
        self._fallback = fallback
        self._lock = ForkSafeLock()
        self.window: int | None = getattr(model, "window", None) or getattr(model, "max_length", None)
        # English names of those that the model is made for, if its attribute ``languages`` names them.
        self._languages: tuple[str, ...] = tuple(getattr(model, "languages", ()))
        self._splitter = WindowSplitter(tokenizer_of(model), self.window)
        self._process = ProcessGuard()
        #: For all computation of a question. One more than processors, because threads that compute in Python wait for
        #: each other: on two processors eight clients got 106 answers a second instead of 97.
        self.cpu_slots = FairSemaphore((os.cpu_count() or 1) + 1)
        self.dimension = 0  # until the first vector
        vector = self._unit_vectors(lambda model: [model.get_query_embedding("dimension")], 1)[0]
        self.dimension = int(vector.shape[0])
        own = getattr(model, "fingerprint", None)
        name = own if isinstance(own, str) else f"{model.class_name()}/{model.model_name}"
        #: Changes whenever the same chunk would get other vectors; a fallback does not change it.
        self.fingerprint = self._with_windows(name)
        #: The fingerprints of encoders whose vectors can stand beside those of this one, its own among them.
        self.comparable = frozenset(map(self._with_windows, (name, *getattr(model, "comparable", ()))))
        #: Equal for encoders whose vectors can be compared, whatever their precision and windows.
        self.family = self._family_of(model)

    def _with_windows(self, name: str) -> str:
        return f"{name}/{self.dimension}/windows-{_WINDOWS_VERSION}-{self.window}"

    def _family_of(self, model: BaseEmbedding) -> str:
        own = getattr(model, "family", None)
        return own if isinstance(own, str) else f"{model.class_name()}/{model.model_name}/{self.dimension}"

    def count_tokens(self, text: str) -> int:
        """The text's tokens by the model's tokenizer; without one, an estimate from its words."""
        return self._splitter.count_tokens(text)

    def embed_query(self, question: str) -> Vectors:
        """The question's unit vector, float32 [dimension]. Raises ``EncoderError`` if the model gives no finite one."""
        # Another model may be a remote server: waiting for it needs no processor.
        with self.cpu_slots.acquire() if isinstance(self.model, MiniLMEmbedding) else nullcontext():
            vector: Vectors = self.embed_queries([question])[0]
        return vector

    def embed_queries(self, questions: Sequence[str]) -> Vectors:
        """The questions' unit vectors, float32 [len(questions), dimension]. Raises ``EncoderError``."""
        return self._embed(lambda model: _embed_questions(model, questions), len(questions))

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One unit vector for each text, float32 [len(texts), dimension]. Raises ``EncoderError``."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        check_budget()
        return self._embed(lambda model: model.get_text_embedding_batch(list(texts)), len(texts))

    def embed_chunks(self, chunks: Sequence[tuple[str, str]]) -> list[ChunkVectors]:
        """Vectors of the windows and sentences of each ``(headings, text)``. Raises ``EncoderError``.

        MiniLM gives a sentence's vector out of the run of its window: the mean of its tokens, which know the sentences
        around it. On 3,500 questions of SQuAD articles that finds the sentence with the answer as often as a vector of
        the sentence alone (0.816 and 0.767 of the first sentences, against 0.811 and 0.770). Another model embeds each
        sentence.
        """
        if not chunks:
            return []
        split = self._splitter.split(chunks)
        units = [analyze_chunk(*chunk).units for chunk in chunks]
        windows = [(window, known) for parts, known in zip(split, units, strict=True) for window in parts]
        texts = [window.text for window, _ in windows]
        spans = [[window.span(unit.start, unit.end) for unit in known] for window, known in windows]
        vectors, parts = self._embed_with_parts(texts, spans)
        flat = np.split(vectors, np.cumsum([len(each) for each in split])[:-1])
        if parts:
            of_windows = iter(parts)
            sentences = [np.sum([next(of_windows) for _ in each], axis=0) for each in split]
        else:
            pieces = [
                text[unit.start : unit.end] for (_, text), known in zip(chunks, units, strict=True) for unit in known
            ]
            sentences = np.split(self.embed_texts(pieces), np.cumsum([len(known) for known in units])[:-1])
        return [ChunkVectors(rows, _unit_rows(each)) for rows, each in zip(flat, sentences, strict=True)]

    def embed_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[Vectors, list[Vectors]]:
        """Unit vectors of the texts, and of the parts of each, from character to character. Raises ``EncoderError``.

        MiniLM's parts know the text around them; another model embeds each part alone.
        """
        vectors, found = self._embed_with_parts(texts, parts)
        return vectors, [_unit_rows(each) for each in found] or [
            self.embed_texts([text[start:end] for start, end in spans])
            for text, spans in zip(texts, parts, strict=True)
        ]

    def _embed_with_parts(
        self, texts: Sequence[str], parts: Sequence[Sequence[tuple[int, int]]]
    ) -> tuple[Vectors, list[Vectors]]:
        """Unit vectors of the texts, and of MiniLM the sums of the tokens' vectors of the parts of each text."""
        found: list[Vectors] = []

        def embed(model: BaseEmbedding) -> Sequence[Sequence[float]] | Vectors:
            found.clear()
            if not isinstance(model, MiniLMEmbedding):
                return model.get_text_embedding_batch(list(texts))
            vectors, of_parts = model.encode_parts(texts, parts)
            found.extend(of_parts)
            return vectors

        check_budget()
        return self._embed(embed, len(texts)), found

    def windows(self, headings: str, text: str) -> list[str]:
        """The text in parts of equal length that fit the model's window, each after the headings."""
        return [window.text for window in self._splitter.split([(headings, text)])[0]]

    def language_mismatch(self, texts: Sequence[str]) -> LanguageMismatch | None:
        """What of the texts is in a language that the model is not made for, if it says which ones it knows."""
        return language_mismatch(self.model.model_name, self._languages, texts)

    def _embed(self, embed: Embed, count: int) -> Vectors:
        """The model's vectors, or the fallback's if the model fails."""
        before = self.model
        try:
            return self._unit_vectors(embed, count)
        except EncoderError as error:
            if not self._switch_model(before, error):
                raise
            return self._unit_vectors(embed, count)

    def _switch_model(self, failed: BaseEmbedding, why: EncoderError) -> bool:
        """Replace the failed model by the fallback; returns whether another model is in use now. Raises
        ``EncoderError``."""
        with self._lock:
            if self.model is not failed:
                return True
            if self._fallback is None:
                return False
            make, self._fallback = self._fallback, None
            other = make()
            if self._family_of(other) != self.family:
                _log.warning("the encoder failed (%s), and %s gives vectors of another kind", why, other.model_name)
                return False
            _log.warning("the encoder failed (%s); %s takes over until the next start", why, type(other).__name__)
            self.model = other
            return True

    def _unit_vectors(self, embed: Embed, count: int) -> Vectors:
        """The model's vectors as unit vectors. Raises ``EncoderError`` for whatever a plugin's model raises."""
        self._process.check()
        model = self.model
        name = model.model_name
        try:
            vectors = np.asarray(embed(model), np.float32)
        except failures() as error:
            raise EncoderError(f"the model raised {type(error).__name__}: {error}", where=name) from error
        if vectors.ndim != 2 or vectors.shape != (count, self.dimension or vectors.shape[1]):
            raise EncoderError(f"the model gave {vectors.shape} numbers, not ({count}, {self.dimension})", where=name)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EncoderError("the model gave a vector that is zero or not finite", where=name)
        unit: Vectors = vectors / norms
        return unit


def _unit_rows(vectors: Vectors) -> Vectors:
    tiny = np.finfo(np.float32).tiny
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), tiny), np.float32)


def _embed_questions(model: BaseEmbedding, questions: Sequence[str]) -> Sequence[Sequence[float]] | Vectors:
    if type(model) is MiniLMEmbedding and not has_listeners():
        # Without LlamaIndex's events, which nothing handles: 0.3 ms a question less.
        return model.encode_questions(questions)
    return [model.get_query_embedding(question) for question in questions]

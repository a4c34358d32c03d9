"""all-MiniLM-L6-v2 in ONNX Runtime, as a LlamaIndex embedding model."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from ..errors import EncoderError
from ..runtime.forks import ForkSafeLock
from .model_cache import ModelFiles, Precision, inference_session
from .weights import ALL_MINILM_L6_V2, model_files

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    #: Start and end of parts of a text, in characters.
    Spans = Sequence[tuple[int, int]]
    #: First and last token of each part of a text, [parts, 2], the last one exclusive.
    TokenSpans = npt.NDArray[np.int64]
    #: Numbers of parts, and a vector for each.
    PartSums = tuple[npt.NDArray[np.int64], Vectors]

_log = logging.getLogger(__name__)

#: Texts that LlamaIndex hands over at once: enough for every thread, few enough to report progress.
_BATCH_TEXTS = 2048
#: Increased whenever the same text would give another vector in that precision.
_ENCODING_VERSIONS = {"fp32": 1, "int8": 3}
#: Increased whenever vectors can no longer be compared with earlier ones.
_FAMILY_VERSION = 1


class _Window(NamedTuple):
    """A part of a text that is one input of the model."""

    #: The index of the text, and of the window's first token in it.
    row: int
    first: int
    ids: list[int]


class MiniLMEmbedding(BaseEmbedding):
    """Gives unit vectors of 384 float32 numbers, without truncation.

    A text longer than the model's window is split into windows of equal length; its vector is the mean over the tokens
    of all windows. Questions may have a model of another precision. The files are loaded with the first vector. Safe to
    use from several threads.
    """

    languages: ClassVar[tuple[str, ...]] = ("English",)

    dimension: int = ALL_MINILM_L6_V2.dimension
    #: Maximum tokens of a run, with [CLS] and [SEP].
    window: int = ALL_MINILM_L6_V2.window
    precision: str = "fp32"
    threads: int = 0

    _files: ModelFiles = PrivateAttr()
    _questions: MiniLMEmbedding | None = PrivateAttr()
    _loaded: Any = PrivateAttr(default=None)
    _lock: ForkSafeLock = PrivateAttr(default_factory=ForkSafeLock)
    _tokenizer: Any = PrivateAttr()
    _parallel_runs: int = PrivateAttr()

    def __init__(
        self,
        files: ModelFiles,
        *,
        precision: Precision = "fp32",
        threads: int = 0,
        questions: MiniLMEmbedding | None = None,
    ) -> None:
        """``threads``: maximum number of threads; 0: one for each processor. ``questions``: the model for questions,
        if it is another one."""
        from tokenizers import Tokenizer

        super().__init__(
            model_name=ALL_MINILM_L6_V2.name,
            embed_batch_size=_BATCH_TEXTS,
            precision=precision,
            threads=threads,
        )
        self._files, self._questions = files, questions
        self._parallel_runs = threads or os.cpu_count() or 1
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def find(
        cls,
        cache: Path,
        *,
        folder: Path | None = None,
        precision: Precision = "fp32",
        threads: int = 0,
        questions: Precision | None = None,
    ) -> MiniLMEmbedding:
        """The encoder with the files that ``model_files`` finds, and with questions in a precision of their own, if it
        can be had. Raises ``EncoderError``."""
        files = model_files(ALL_MINILM_L6_V2, precision, folder=folder, cache=cache)
        if questions in {None, precision}:
            return cls(files, precision=precision, threads=threads)
        try:
            other = cls.find(cache, folder=folder, precision=questions, threads=threads)
        except EncoderError as error:  # such as on a machine that has only the files of the first precision
            _log.warning("no %s model for questions (%s); they are embedded in %s", questions, error, precision)
            other = None
        return cls(files, precision=precision, threads=threads, questions=other)

    @classmethod
    def class_name(cls) -> str:
        return "MiniLMEmbedding"

    @property
    def files(self) -> ModelFiles:
        return self._files

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would give another vector."""
        return self._fingerprint_in(self.precision)

    @property
    def comparable(self) -> tuple[str, ...]:
        """The fingerprints of every precision: their vectors can be compared (cosine of fp32 and int8 0.994)."""
        return tuple(self._fingerprint_in(precision) for precision in _ENCODING_VERSIONS)

    @property
    def family(self) -> str:
        """Equal for every precision, whose vectors can be compared."""
        return f"{self.model_name}/{ALL_MINILM_L6_V2.weights_sha256[:12]}/{self.dimension}/v{_FAMILY_VERSION}"

    def _fingerprint_in(self, precision: str) -> str:
        version = _ENCODING_VERSIONS[precision]
        return f"{self.model_name}/{precision}/{ALL_MINILM_L6_V2.weights_sha256[:12]}/{self.dimension}/v{version}"

    @property
    def tokenizer(self) -> Any:
        """The ``tokenizers.Tokenizer``, without truncation and padding."""
        return self._tokenizer

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, float32 [len(texts), dimension]. A text without any token gets the vector of an empty one."""
        return self.encode_parts(texts, [])[0]

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """As ``encode``, in the precision of questions."""
        return (self._questions or self).encode(questions)

    def encode_parts(self, texts: Sequence[str], parts: Sequence[Spans]) -> tuple[Vectors, list[Vectors]]:
        """As ``encode``, and for each text the vectors of its parts, float32 [len(parts), dimension]: the sums of their
        tokens' vectors, zero where a part has no token. They come out of the same runs of the model."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        windows = [window for row, encoding in enumerate(encodings) for window in self._windows(row, encoding.ids)]
        sums = np.zeros((len(texts), self.dimension), np.float32)
        spans: list[TokenSpans] = []
        for encoding, of_text in zip(encodings, parts, strict=True) if parts else ():
            starts = np.array([start for start, _ in encoding.offsets], np.int64)
            spans.append(np.searchsorted(starts, np.array(of_text, np.int64).reshape(-1, 2)))
        of_parts = [np.zeros((len(each), self.dimension), np.float32) for each in spans]
        for window, (mean, part_sums) in zip(windows, self._runs(windows, spans), strict=True):
            sums[window.row] += mean * max(1, len(window.ids))
            if part_sums is not None:
                numbers, vectors = part_sums
                of_parts[window.row][numbers] += vectors
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(norms, np.finfo(np.float32).tiny), np.float32), of_parts

    @property
    def _session(self) -> Any:
        if self._loaded is None:
            with self._lock:
                self._loaded = self._loaded or inference_session(self._files.model)
        return self._loaded

    def _windows(self, row: int, ids: list[int]) -> list[_Window]:
        inner = self.window - 2
        count = max(1, -(-len(ids) // inner))
        size = -(-len(ids) // count)
        return [_Window(row, start * size, ids[start * size : (start + 1) * size]) for start in range(count)]

    def _runs(self, windows: list[_Window], spans: list[TokenSpans]) -> Iterable[tuple[Vectors, PartSums | None]]:
        """Of each window the mean, and the sums of its parts. Each window is a run of its own: the vectors then depend
        neither on the other texts nor on the number of threads. Padded together, four windows of 250 tokens took 2 %
        more processor time, sentences of 25 tokens a fifth less."""
        if self._parallel_runs == 1 or len(windows) == 1:
            return (self._run(window, spans) for window in windows)
        with ThreadPoolExecutor(self._parallel_runs) as pool:
            return list(pool.map(lambda window: self._run(window, spans), windows))

    def _run(self, window: _Window, spans: list[TokenSpans]) -> tuple[Vectors, PartSums | None]:
        first, last = (self._tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        ids = np.array([[first, *window.ids, last]], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        if not spans:
            return self._session.run(["mean"], inputs)[0][0], None
        means, tokens = self._session.run(["mean", "token_vectors"], inputs)
        return means[0], _part_sums(spans[window.row], window, tokens[0])

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [row.tolist() for row in self.encode(texts)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        row: list[float] = self.encode_questions([query])[0].tolist()
        return row

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def _part_sums(spans: TokenSpans, window: _Window, vectors: Vectors) -> PartSums:
    """The sums of a window's token vectors over each part that has tokens in it."""
    within = np.clip(spans - window.first, 0, len(window.ids)) + 1  # behind [CLS]
    numbers = np.flatnonzero(within[:, 1] > within[:, 0])
    return numbers, np.array([vectors[start:end].sum(axis=0) for start, end in within[numbers]]).reshape(
        -1, vectors.shape[1]
    )

"""all-MiniLM-L6-v2 in ONNX Runtime, as a LlamaIndex embedding model."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from pydantic import PrivateAttr

from .onnx_session import onnx_runtime
from .weights import ALL_MINILM_L6_V2, model_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from .model_cache import ModelFiles, Precision

    #: Windows, each with the number of its text.
    Batch = list[tuple[int, list[int]]]

#: Tokens in the runs of the model that are done side by side. Small runs keep the activations in the processor's
#: cache: on two cores batches of 4 x 256 tokens gave 95 texts/s, of 32 x 256 tokens 65.
_TOKENS = 1024
#: Fewer tokens than this are not shared out: four sentences of an answer are, a question is not.
_LEAST = 64
#: The widest text of a run may be so many times as long as the narrowest.
_LIKE_LENGTH = 1.6
#: Texts that are sorted by length together: enough to fill every run, few enough to report progress.
_TEXTS_A_CALL = 2048
#: Raised whenever the same text would give another vector in that precision.
_ENCODING_VERSIONS = {"fp32": 1, "int8": 3}
#: Raised whenever vectors can no longer be compared with those of before.
_FAMILY_VERSION = 1


class MiniLMEmbedding(BaseEmbedding):
    """Unit vectors of 384 float32 numbers. A text longer than the model's window is embedded whole.

    A long text is cut into windows of equal length; its vector is the mean over all its tokens, each seen within its
    own window. Safe to use from several threads.
    """

    dimension: int = ALL_MINILM_L6_V2.dimension
    #: Word pieces that the model reads at once, the two marks at its ends included.
    window: int = ALL_MINILM_L6_V2.window
    precision: str = "fp32"
    threads: int = 0

    _files: ModelFiles = PrivateAttr()
    _session: Any = PrivateAttr()
    _tokenizer: Any = PrivateAttr()
    _side_by_side: int = PrivateAttr()

    def __init__(self, files: ModelFiles, *, precision: Precision = "fp32", threads: int = 0) -> None:
        """``threads``: how many the model may use; 0: as many as there are processors."""
        from tokenizers import Tokenizer

        super().__init__(
            model_name=ALL_MINILM_L6_V2.name,
            embed_batch_size=_TEXTS_A_CALL,
            precision=precision,
            threads=threads,
        )
        onnxruntime = onnx_runtime()
        self._files = files
        self._side_by_side = threads or os.cpu_count() or 1
        options = onnxruntime.SessionOptions()
        # One thread a run, and the runs of many texts side by side: to share out a question of fourteen tokens between
        # two threads took a fifth more of the processors' time and brought its vector no sooner, and sixty passages
        # took a quarter longer.
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(files.model),
            options,
            providers=["CPUExecutionProvider"],
            # The fused operator is plain loops: in int8, runs of 4 x 256 tokens take 95 ms with it and 79 without.
            disabled_optimizers=["SkipLayerNormFusion"],
        )
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def find(
        cls, cache: Path, *, folder: Path | None = None, precision: Precision = "fp32", threads: int = 0
    ) -> MiniLMEmbedding:
        """The encoder, its files looked for as ``model_files`` does. Raises ``EncoderError``."""
        files = model_files(ALL_MINILM_L6_V2, precision, folder=folder, cache=cache)
        return cls(files, precision=precision, threads=threads)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "MiniLMEmbedding"

    @property
    def files(self) -> ModelFiles:
        """The files that are in use."""
        return self._files

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would give another vector."""
        version = _ENCODING_VERSIONS[self.precision]
        return f"{self.model_name}/{self.precision}/{self._files.weights_sha256[:12]}/{self.dimension}/v{version}"

    @property
    def family(self) -> str:
        """The same for every precision: vectors of one family can be compared (cosine of fp32 and int8 0.994)."""
        return f"{self.model_name}/{self._files.weights_sha256[:12]}/{self.dimension}/v{_FAMILY_VERSION}"

    @property
    def tokenizer(self) -> Any:
        """The ``tokenizers.Tokenizer``, which neither cuts nor pads."""
        return self._tokenizer

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors, float32 [len(texts), dimension]. A text without any token gets the vector of an empty one."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        windows = [(row, window) for row, encoding in enumerate(encodings) for window in self._windows(encoding.ids)]
        windows.sort(key=lambda item: len(item[1]))
        sums = np.zeros((len(texts), self.dimension), np.float32)
        share = -(-sum(len(window) + 2 for _, window in windows) // self._side_by_side)
        # What is quantised as it comes has one scale a run: beside other windows a window's vector moved by up to 0.03.
        tokens = min(max(_LEAST, share), max(self.window, _TOKENS // self._side_by_side))
        batches = _batches(windows, 0 if self.precision == "int8" else tokens)
        for batch, means in zip(batches, self._runs(batches), strict=True):
            rows = [row for row, _ in batch]
            lengths = np.array([max(1, len(window)) for _, window in batch], np.float32)
            np.add.at(sums, rows, means * lengths[:, None])
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(norms, np.finfo(np.float32).tiny), np.float32)

    def _windows(self, ids: list[int]) -> list[list[int]]:
        inner = self.window - 2
        count = max(1, -(-len(ids) // inner))
        size = -(-len(ids) // count)
        return [ids[start * size : (start + 1) * size] for start in range(count)]

    def _runs(self, batches: list[Batch]) -> Iterable[npt.NDArray[np.float32]]:
        if self._side_by_side == 1 or len(batches) == 1:
            return map(self._run, batches)
        with ThreadPoolExecutor(self._side_by_side) as pool:
            return list(pool.map(self._run, batches))

    def _run(self, batch: Batch) -> npt.NDArray[np.float32]:
        first, last = self._ends
        windows = [window for _, window in batch]
        width = max(len(window) for window in windows) + 2
        ids = np.zeros((len(windows), width), np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window) + 2] = [first, *window, last]
            mask[row, : len(window) + 2] = 1
        means: npt.NDArray[np.float32] = self._session.run(["mean"], {"input_ids": ids, "attention_mask": mask})[0]
        return means

    @property
    def _ends(self) -> tuple[int, int]:
        return self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [row.tolist() for row in self.encode(texts)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def _batches(windows: Batch, tokens: int) -> list[Batch]:
    """Neighbours of like length, as many as fit into a run of so many tokens, or one: padding is computed like text."""
    batches: list[Batch] = []
    for item in windows:  # sorted by length, so the newest is the widest of its batch and the first the narrowest
        width = len(item[1]) + 2
        if (
            batches
            and (len(batches[-1]) + 1) * width <= tokens
            and width <= _LIKE_LENGTH * (len(batches[-1][0][1]) + 2)
        ):
            batches[-1].append(item)
        else:
            batches.append([item])
    return batches

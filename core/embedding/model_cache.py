"""Published models, and a cache of the ONNX models built from their weights, with a record of their origin."""

from __future__ import annotations

import atexit
import hashlib
import json
import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import EncoderError
from .graph import BUILDER_VERSION, build_graph, weights_file

_log = logging.getLogger(__name__)

Precision = Literal["fp32", "int8"]
Origin = Literal["settings", "cache", "hub", "package"]

WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
_RECORD_FILE = "made-of.json"


@dataclass(frozen=True)
class PublishedModel:
    """A model as published by its authors; the hashes are those of the files at this hub revision."""

    name: str
    hub_id: str
    revision: str
    weights_sha256: str
    tokenizer_sha256: str
    package: str
    package_folder: tuple[str, ...]
    dimension: int
    window: int


@dataclass(frozen=True)
class ModelFiles:
    """The verified files of a model that can be loaded."""

    model: Path
    tokenizer: Path
    origin: Origin
    source: str


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class ModelFolder:
    """A folder that may contain the published files."""

    folder: Path
    origin: Origin
    source: str

    def check(self, published: PublishedModel) -> None:
        """Raise ``EncoderError`` unless its files are the published ones."""
        for name, expected in (
            (WEIGHTS_FILE, published.weights_sha256),
            (TOKENIZER_FILE, published.tokenizer_sha256),
        ):
            path = self.folder / name
            try:
                actual = sha256_of(path)
            except OSError as error:
                raise EncoderError(
                    f"no readable {name} there: {error.strerror}",
                    where=str(self.folder),
                    hint=f"{published.hub_id} at revision {published.revision} has it",
                ) from error
            if actual != expected:
                raise EncoderError(
                    f"{name} is not the published file: its SHA-256 is {actual}, not {expected}",
                    where=str(self.folder),
                    hint=f"download it again from {published.hub_id} at revision {published.revision}",
                )


class ModelCache:
    """A cache folder for one published model in its converted forms."""

    def __init__(self, folder: Path, published: PublishedModel) -> None:
        self.folder = folder
        self.published = published
        self.miss_reason = "nothing there yet"

    def _model(self, precision: Precision) -> Path:
        return self.folder / f"model-{precision}.v{BUILDER_VERSION}.onnx"

    def _parts(self, precision: Precision) -> tuple[Path, ...]:
        """The model's files; a quantized one contains its weights."""
        model = self._model(precision)
        return (model,) if precision == "int8" else (weights_file(model), model)

    def load(self, precision: Precision) -> ModelFiles | None:
        """The cached model if it exists, was built from the published weights and is unchanged since then."""
        model, tokenizer = self._model(precision), self.folder / TOKENIZER_FILE
        try:
            record = json.loads((self.folder / _RECORD_FILE).read_text("utf-8"))
            if record["weights_sha256"] != self.published.weights_sha256:
                self.miss_reason = "made of other weights"
                return None
            expected = {part: record["files"][part.name] for part in self._parts(precision)}
            expected[tokenizer] = self.published.tokenizer_sha256
            if any(sha256_of(path) != sha256 for path, sha256 in expected.items()):
                self.miss_reason = "its files were changed"
                _log.warning("the encoder's files in %s were changed; they are rebuilt", self.folder)
                return None
            return ModelFiles(model, tokenizer, "cache", str(record["source"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not isinstance(error, FileNotFoundError):
                self.miss_reason = f"unreadable ({error})"
            return None

    def make(self, precision: Precision, weights: ModelFolder) -> ModelFiles:
        """Convert the weights and cache the result; in a temporary folder if the cache cannot be written."""
        from filelock import FileLock

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / ".lock", timeout=300):
                if self.load(precision) is None:
                    self._convert(precision, weights, self.folder)
            folder = self.folder
        except OSError as error:
            _log.warning("the cache %s cannot be written (%s); the model is made for this run", self.folder, error)
            folder = self._make_temporary(precision, weights, error)
        model = folder / self._model(precision).name
        return ModelFiles(model, folder / TOKENIZER_FILE, weights.origin, weights.source)

    def _make_temporary(self, precision: Precision, weights: ModelFolder, why: OSError) -> Path:
        """Convert into a temporary folder, which is removed at exit. Raises ``EncoderError`` if that fails too."""
        try:
            folder = Path(tempfile.mkdtemp(prefix="ragstone-encoder-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            self._convert(precision, weights, folder)
        except OSError as error:
            raise EncoderError(
                f"the model can be written neither there ({why.strerror}) nor to {tempfile.gettempdir()} "
                f"({error.strerror})",
                where=str(self.folder),
                hint="make space and try again",
            ) from error
        return folder

    def _convert(self, precision: Precision, weights: ModelFolder, folder: Path) -> None:
        from safetensors.numpy import load_file

        _log.info("making the %s model from %s", precision, weights.source)
        record: dict[str, Any] = {
            "weights_sha256": self.published.weights_sha256,
            "source": weights.source,
            "files": {},
        }
        try:
            old = json.loads((folder / _RECORD_FILE).read_text("utf-8"))
            if old.get("weights_sha256") == self.published.weights_sha256:
                record["files"] = dict(old["files"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # there is no valid record yet; it is written below
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            exact = Path(scratch, self._model("fp32").name)
            build_graph(load_file(weights.folder / WEIGHTS_FILE), exact)
            if precision == "int8":
                _quantise(exact, Path(scratch, self._model(precision).name))
            made = [Path(scratch, part.name) for part in self._parts(precision)]
            record["files"].update({part.name: sha256_of(part) for part in made})
            tokenizer = Path(scratch, TOKENIZER_FILE)
            tokenizer.write_bytes((weights.folder / TOKENIZER_FILE).read_bytes())
            written = Path(scratch, _RECORD_FILE)
            written.write_text(json.dumps(record, indent=2), "utf-8")
            # The record is moved last: without it the other files are ignored.
            for path in (*made, tokenizer, written):
                os.replace(path, folder / path.name)  # noqa: PTH105 - clearer than Path.replace


def _quantise(source: Path, target: Path) -> None:
    """Dynamic quantization to 8 bits with one scale for each output channel (arXiv:2004.09602, section 4.1).

    Weights use 7 of the 8 bits: without VNNI, x86 processors add two products in 16 bits, and 8-bit weights overflow
    (cosine to fp32 over 200 paragraphs: minimum 0.975 with 8 bits and 0.989 with 7, mean 0.992 and 0.994).
    """
    onnx_runtime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # It recommends, on the root logger, a preprocessing that only exported graphs need.
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.ERROR)
    try:
        quantize_dynamic(str(source), str(target), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    finally:
        root.setLevel(before)


def onnx_runtime() -> Any:
    """The module ``onnxruntime``.

    From 1.29 on its wheels report loaded models and their performance to Microsoft, and store a machine id in the
    user's cache folder, unless this variable is set at the first import
    (https://github.com/microsoft/onnxruntime/pull/27379).
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


def inference_session(model: Path) -> Any:
    """A session of ONNX Runtime with the model."""
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    # One thread for each run, and parallel runs: two threads for a question of fourteen tokens used a fifth more
    # processor time and were no faster; sixty chunks took a quarter longer.
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(model),
        options,
        providers=["CPUExecutionProvider"],
        # The fused operator is not vectorized: in int8, runs of 4 x 256 tokens take 95 ms with it and 79 without.
        disabled_optimizers=["SkipLayerNormFusion"],
    )

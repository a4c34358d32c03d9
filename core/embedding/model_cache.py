"""Published models, and the cached ONNX models made of their weights, each with a record of what made it."""

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

from filelock import FileLock

from ..errors import EncoderError
from .graph import BUILDER_VERSION, build_graph, weights_file
from .onnx_session import onnx_runtime

_log = logging.getLogger(__name__)

Precision = Literal["fp32", "int8"]
Origin = Literal["settings", "cache", "hub", "package"]

WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
_RECORD_FILE = "made-of.json"


@dataclass(frozen=True)
class PublishedModel:
    """A model as its authors published it; the hashes are those of the files at this hub revision."""

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
    """A model that can be loaded, every file of it checked."""

    model: Path
    tokenizer: Path
    origin: Origin
    source: str
    weights_sha256: str


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hexadecimal, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class ModelFolder:
    """A folder that should hold the published files."""

    folder: Path
    origin: Origin
    source: str

    def check(self, published: PublishedModel) -> None:
        """Raise ``EncoderError`` unless they are the published ones."""
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
                    hint=f"take it anew from {published.hub_id} at revision {published.revision}",
                )


class ModelCache:
    """The converted models in the cache."""

    def __init__(self, folder: Path, published: PublishedModel) -> None:
        self.folder = folder
        self.published = published
        self.miss_reason = "nothing there yet"

    def _model(self, precision: Precision) -> Path:
        return self.folder / f"model-{precision}.v{BUILDER_VERSION}.onnx"

    def _parts(self, precision: Precision) -> tuple[Path, ...]:
        """The model's files; quantised, its weights lie within."""
        model = self._model(precision)
        return (model,) if precision == "int8" else (weights_file(model), model)

    def load(self, precision: Precision) -> ModelFiles | None:
        """The model, if it is there, was made of the published weights and is still what was written then."""
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
                _log.warning("the encoder's files in %s were changed; they are made anew", self.folder)
                return None
            return ModelFiles(model, tokenizer, "cache", str(record["source"]), record["weights_sha256"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not isinstance(error, FileNotFoundError):
                self.miss_reason = f"unreadable ({error})"
            return None

    def make(self, precision: Precision, found: ModelFolder) -> ModelFiles:
        """Convert the found weights and keep the result. Where the cache cannot be written, a passing folder does."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / ".lock", timeout=300):
                if self.load(precision) is None:
                    self._convert(precision, found, self.folder)
            folder = self.folder
        except OSError as error:
            _log.warning("the cache %s cannot be written (%s); the model is made for this run", self.folder, error)
            folder = self._make_in_passing(precision, found, error)
        return ModelFiles(
            folder / self._model(precision).name,
            folder / TOKENIZER_FILE,
            found.origin,
            found.source,
            self.published.weights_sha256,
        )

    def _make_in_passing(self, precision: Precision, found: ModelFolder, why: OSError) -> Path:
        """The folder of a model that goes when the process ends. Raises ``EncoderError`` where that has no room too."""
        try:
            folder = Path(tempfile.mkdtemp(prefix="ragstone-encoder-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            self._convert(precision, found, folder)
        except OSError as error:
            raise EncoderError(
                f"the model can be written neither there ({why.strerror}) nor to {tempfile.gettempdir()} "
                f"({error.strerror})",
                where=str(self.folder),
                hint="make space and try again",
            ) from error
        return folder

    def _convert(self, precision: Precision, found: ModelFolder, folder: Path) -> None:
        from safetensors.numpy import load_file

        _log.info("making the %s model from %s", precision, found.source)
        record: dict[str, Any] = {"weights_sha256": self.published.weights_sha256, "source": found.source, "files": {}}
        try:
            old = json.loads((folder / _RECORD_FILE).read_text("utf-8"))
            if old.get("weights_sha256") == self.published.weights_sha256:
                record["files"] = dict(old["files"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no record yet, or one that says nothing: it is written below
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            exact = Path(scratch, self._model("fp32").name)
            build_graph(load_file(found.folder / WEIGHTS_FILE), exact)
            if precision == "int8":
                _quantise(exact, Path(scratch, self._model(precision).name))
            made = [Path(scratch, part.name) for part in self._parts(precision)]
            record["files"].update({part.name: sha256_of(part) for part in made})
            tokenizer = Path(scratch, TOKENIZER_FILE)
            tokenizer.write_bytes((found.folder / TOKENIZER_FILE).read_bytes())
            written = Path(scratch, _RECORD_FILE)
            written.write_text(json.dumps(record, indent=2), "utf-8")
            # The record goes last: until it is there, nothing before it counts.
            for source in (*made, tokenizer, written):
                os.replace(source, folder / source.name)  # noqa: PTH105 - Path.replace says the same, less plainly


def _quantise(source: Path, target: Path) -> None:
    """Dynamic quantisation to 8 bits, each output channel with a scale of its own (arXiv:2004.09602, section 4.1).

    Weights use 7 of the 8 bits: without VNNI, x86 processors add two products in 16 bits, and full weights overflow
    (200 paragraphs, cosine to fp32 at least 0.975 and 0.989, on the average 0.992 and 0.994).
    """
    onnx_runtime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # It asks on the root logger for a pre-processing that only graphs from exporters need.
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.ERROR)
    try:
        quantize_dynamic(str(source), str(target), per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    finally:
        root.setLevel(before)

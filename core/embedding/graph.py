"""Builds the ONNX graph of a BERT sentence encoder from its published weights.

The architecture is BERT (Devlin et al. 2019, arXiv:1810.04805) as sentence-transformers uses it: post-layer-norm
blocks, exact GELU, the mean of the last layer's token vectors. Building the graph here needs neither torch nor an
exported model file, and the source shows exactly what runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

#: Increased whenever the graph below changes, so that cached model files of an older builder are replaced.
BUILDER_VERSION = 4

_OPSET = 20  # the first with Gelu as one operator
_IR_VERSION = 10  # of opset 20; supported by every ONNX Runtime from 1.17 on
_HEADS = 12  # of attention: the shapes of the weights do not determine them
_LAYER_NORM_EPSILON = 1e-12  # layer_norm_eps of the published config.json
#: Constants of at least so many bytes are stored in a second file. ONNX Runtime maps it, so that only the used parts of
#: the 47 MB of word vectors are in memory: 66 MB less after loading, 88 MB less at the peak.
_EXTERNAL_BYTES = 4096


class _Graph:
    """Collects nodes and constants; each method adds an operator and returns its output's name."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: np.ndarray) -> str:
        from onnx import numpy_helper

        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind: str, *inputs: str, name: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray, *, name: str) -> str:
        """``x @ weight.T + bias``, as torch's Linear stores it."""
        product = self.op("MatMul", x, self.constant(f"{name}.weight", weight.T), name=f"{name}.matmul")
        return self.op("Add", product, self.constant(f"{name}.bias", bias), name=name)

    def layer_norm(self, x: str, weights: Mapping[str, np.ndarray], key: str) -> str:
        scale = self.constant(f"{key}.weight", weights[f"{key}.weight"])
        bias = self.constant(f"{key}.bias", weights[f"{key}.bias"])
        return self.op("LayerNormalization", x, scale, bias, name=key, axis=-1, epsilon=_LAYER_NORM_EPSILON)

    def heads_first(self, x: str, size: int, *, name: str, perm: tuple[int, ...]) -> str:
        """[batch, tokens, heads * size] → the axes of [batch, tokens, heads, size] in the order of ``perm``."""
        shape = self.constant(f"shape.heads.{_HEADS}.{size}", np.array([0, 0, _HEADS, size], np.int64))
        split = self.op("Reshape", x, shape, name=f"{name}.split")
        return self.op("Transpose", split, name=name, perm=list(perm))


def build_graph(weights: Mapping[str, np.ndarray], target: Path) -> None:
    """Write the encoder's graph to ``target``, and its weights to ``weights_file(target)``.

    Inputs: ``input_ids`` and ``attention_mask``, int64 [batch, tokens]. Outputs: ``mean``, float32 [batch, dimension],
    the masked mean of the last layer's token vectors, not normalized; ``token_vectors``, float32 [batch, tokens,
    dimension], these vectors, zero for padding. Raises ``KeyError`` for a missing weight.
    """
    import onnx
    from onnx import TensorProto, helper

    graph = _Graph()
    hidden = _embed(graph, weights)
    mask_bias = _mask_bias(graph)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        hidden = _block(graph, weights, f"encoder.layer.{layer}", hidden, mask_bias)
        layer += 1
    if layer == 0:
        raise KeyError("encoder.layer.0.output.dense.weight")
    _mean(graph, hidden)

    dimension = int(weights["embeddings.word_embeddings.weight"].shape[1])
    tokens = ["batch", "tokens"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "sentence-encoder",
            [
                helper.make_tensor_value_info("input_ids", TensorProto.INT64, tokens),
                helper.make_tensor_value_info("attention_mask", TensorProto.INT64, tokens),
            ],
            [
                helper.make_tensor_value_info("mean", TensorProto.FLOAT, ["batch", dimension]),
                helper.make_tensor_value_info("token_vectors", TensorProto.FLOAT, [*tokens, dimension]),
            ],
            list(graph.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="ragstone",
        producer_version=str(BUILDER_VERSION),
    )
    onnx.checker.check_model(model)
    location = weights_file(target).name
    onnx.save(model, str(target), save_as_external_data=True, location=location, size_threshold=_EXTERNAL_BYTES)


def weights_file(graph: Path) -> Path:
    """The graph's second file, in the same folder. It is mapped into memory: replace it, never overwrite it."""
    return graph.with_suffix(".weights")


def _embed(graph: _Graph, weights: Mapping[str, np.ndarray]) -> str:
    """Word, position and (always the first) token-type embeddings, summed and normalised."""
    words = graph.constant("word_embeddings", weights["embeddings.word_embeddings.weight"])
    # Every token is of type 0, so that vector is added to the positions in advance.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", "input_ids", name="length", start=1, end=2)
    zero = graph.constant("zero", np.array([0], np.int64))
    table = graph.constant("positions", positions)
    rows = graph.op("Slice", table, zero, length, zero, name="positions.used")
    looked_up = graph.op("Gather", words, "input_ids", name="words", axis=0)
    return graph.layer_norm(graph.op("Add", looked_up, rows, name="embeddings"), weights, "embeddings.LayerNorm")


def _mask_bias(graph: _Graph) -> str:
    """0 for tokens, a very negative number for padding: [batch, 1, 1, tokens]."""
    floats = graph.op("Cast", "attention_mask", name="mask", to=1)
    one = graph.constant("one", np.array(1, np.float32))
    lowest = graph.constant("lowest", np.array(np.finfo(np.float32).min / 2, np.float32))
    absent = graph.op("Sub", one, floats, name="mask.absent")
    bias = graph.op("Mul", absent, lowest, name="mask.scaled")
    axes = graph.constant("axes.1.2", np.array([1, 2], np.int64))
    return graph.op("Unsqueeze", bias, axes, name="mask.bias")


def _block(graph: _Graph, weights: Mapping[str, np.ndarray], key: str, x: str, mask_bias: str) -> str:
    """One transformer block: self-attention and a feed-forward net, each with a residual and a layer norm."""

    def dense(name: str, inputs: str) -> str:
        full = f"{key}.{name}"
        return graph.linear(inputs, weights[f"{full}.weight"], weights[f"{full}.bias"], name=full)

    dimension = int(weights[f"{key}.attention.self.query.weight"].shape[0])
    size = dimension // _HEADS
    query = graph.heads_first(dense("attention.self.query", x), size, name=f"{key}.q", perm=(0, 2, 1, 3))
    keys = graph.heads_first(dense("attention.self.key", x), size, name=f"{key}.k", perm=(0, 2, 3, 1))
    values = graph.heads_first(dense("attention.self.value", x), size, name=f"{key}.v", perm=(0, 2, 1, 3))

    scale = graph.constant(f"scale.{size}", np.array(1 / np.sqrt(size), np.float32))
    scores = graph.op("MatMul", query, keys, name=f"{key}.scores")
    scaled = graph.op("Mul", scores, scale, name=f"{key}.scores.scaled")
    masked = graph.op("Add", scaled, mask_bias, name=f"{key}.scores.masked")
    attention = graph.op("Softmax", masked, name=f"{key}.attention.weights", axis=-1)
    context = graph.op("MatMul", attention, values, name=f"{key}.context.heads")
    tokens_first = graph.op("Transpose", context, name=f"{key}.context.tokens", perm=[0, 2, 1, 3])
    flat = graph.constant(f"shape.flat.{dimension}", np.array([0, 0, dimension], np.int64))
    merged = graph.op("Reshape", tokens_first, flat, name=f"{key}.context")

    attended = graph.op("Add", dense("attention.output.dense", merged), x, name=f"{key}.attended")
    normed = graph.layer_norm(attended, weights, f"{key}.attention.output.LayerNorm")
    wide = graph.op("Gelu", dense("intermediate.dense", normed), name=f"{key}.gelu", approximate="none")
    out = graph.op("Add", dense("output.dense", wide), normed, name=f"{key}.residual")
    return graph.layer_norm(out, weights, f"{key}.output.LayerNorm")


def _mean(graph: _Graph, hidden: str) -> None:
    """Mean over the tokens without padding."""
    column = graph.op("Unsqueeze", "mask", graph.constant("axis.2", np.array([2], np.int64)), name="mask.column")
    kept = graph.op("Mul", hidden, column, name="token_vectors")
    axis = graph.constant("axis.1", np.array([1], np.int64))
    total = graph.op("ReduceSum", kept, axis, name="hidden.sum", keepdims=0)
    count = graph.op("ReduceSum", column, axis, name="mask.count", keepdims=0)
    graph.op("Div", total, count, name="mean")

"""Builds the ONNX graph of a BERT sentence encoder from its published weights.

The architecture is BERT (Devlin et al. 2019, arXiv:1810.04805) as sentence-transformers uses it: post-layer-norm
blocks, exact GELU, the mean of the last layer's token vectors. Building the graph here needs neither torch nor an
exported model file, and the source shows exactly what runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

#: Increased whenever the graph below changes what it computes, so that cached files of an older builder are replaced.
BUILDER_VERSION = 4

_HEADS = 12  # of attention: the shapes of the weights do not determine them
#: Constants of at least so many bytes are stored in a second file. ONNX Runtime maps it, so that only the used parts of
#: the 47 MB of word vectors are in memory: 66 MB less after loading, 88 MB less at the peak.
_EXTERNAL_BYTES = 4096

# In ONNX's text format. Opset 20 is the first with Gelu as one operator; its IR version is supported by every ONNX
# Runtime from 1.17 on. The epsilon is layer_norm_eps of the published config.json.
_BEGIN = """
<ir_version: 10, opset_import: ["": 20], producer_name: "ragstone", producer_version: "BUILDER_VERSION">
sentence_encoder (int64[batch, tokens] input_ids, int64[batch, tokens] attention_mask)
    => (float[batch, DIMENSION] mean, float[batch, tokens, DIMENSION] token_vectors)
    <int64[1] zero = {0}, float one = {1}, int64[1] axis_1 = {1}, int64[1] axis_2 = {2}, int64[2] axes_1_2 = {1, 2}>
{
    length = Shape <start = 1, end = 2> (input_ids)
    used_positions = Slice (positions, zero, length, zero)
    words = Gather <axis = 0> (word_embeddings, input_ids)
    embeddings = Add (words, used_positions)
    layer0_x = LayerNormalization <axis = -1, epsilon = 1e-12> (
        embeddings, embeddings_LayerNorm_weight, embeddings_LayerNorm_bias
    )
    # 0 for tokens, a very negative number for padding: [batch, 1, 1, tokens]
    mask = Cast <to = 1> (attention_mask)
    absent = Sub (one, mask)
    scaled_mask = Mul (absent, lowest)
    mask_bias = Unsqueeze (scaled_mask, axes_1_2)
"""
#: One transformer block, with ``@`` before its own names: self-attention and a feed-forward net, each with a residual
#: and a layer norm. Queries, keys and values are split into heads, which become the second axis.
_BLOCK = """
    @q_product = MatMul (@x, @attention_self_query_weight)
    @q_sum = Add (@q_product, @attention_self_query_bias)
    @q_split = Reshape (@q_sum, split)
    @q = Transpose <perm = [0, 2, 1, 3]> (@q_split)
    @k_product = MatMul (@x, @attention_self_key_weight)
    @k_sum = Add (@k_product, @attention_self_key_bias)
    @k_split = Reshape (@k_sum, split)
    @k = Transpose <perm = [0, 2, 3, 1]> (@k_split)
    @v_product = MatMul (@x, @attention_self_value_weight)
    @v_sum = Add (@v_product, @attention_self_value_bias)
    @v_split = Reshape (@v_sum, split)
    @v = Transpose <perm = [0, 2, 1, 3]> (@v_split)
    @scores = MatMul (@q, @k)
    @scaled = Mul (@scores, scale)
    @masked = Add (@scaled, mask_bias)
    @attention = Softmax <axis = -1> (@masked)
    @context = MatMul (@attention, @v)
    @context_tokens = Transpose <perm = [0, 2, 1, 3]> (@context)
    @context_merged = Reshape (@context_tokens, merged)
    @attended_product = MatMul (@context_merged, @attention_output_dense_weight)
    @attended_sum = Add (@attended_product, @attention_output_dense_bias)
    @attended = Add (@attended_sum, @x)
    @normed = LayerNormalization <axis = -1, epsilon = 1e-12> (
        @attended, @attention_output_LayerNorm_weight, @attention_output_LayerNorm_bias
    )
    @wide_product = MatMul (@normed, @intermediate_dense_weight)
    @wide = Add (@wide_product, @intermediate_dense_bias)
    @gelu = Gelu <approximate = "none"> (@wide)
    @narrow_product = MatMul (@gelu, @output_dense_weight)
    @narrow = Add (@narrow_product, @output_dense_bias)
    @residual = Add (@narrow, @normed)
    NEXT_x = LayerNormalization <axis = -1, epsilon = 1e-12> (
        @residual, @output_LayerNorm_weight, @output_LayerNorm_bias
    )
"""
#: The mean over the tokens without padding.
_END = """
    mask_column = Unsqueeze (mask, axis_2)
    token_vectors = Mul (@x, mask_column)
    total = ReduceSum <keepdims = 0> (token_vectors, axis_1)
    count = ReduceSum <keepdims = 0> (mask_column, axis_1)
    mean = Div (total, count)
}
"""


def build_graph(weights: Mapping[str, np.ndarray], target: Path) -> None:
    """Write the encoder's graph to ``target``, and its weights to ``weights_file(target)``.

    Inputs: ``input_ids`` and ``attention_mask``, int64 [batch, tokens]. Outputs: ``mean``, float32 [batch, dimension],
    the masked mean of the last layer's token vectors, not normalized; ``token_vectors``, float32 [batch, tokens,
    dimension], these vectors, zero for padding. Raises ``KeyError`` or what ONNX's checker raises for a missing weight.
    """
    import onnx
    from onnx import numpy_helper

    dimension = weights["encoder.layer.0.attention.self.query.weight"].shape[0]
    layers = sum(key.endswith(".attention.self.query.weight") for key in weights)
    # As torch's Linear stores a matrix, ``x @ weight.T + bias`` is its result.
    constants = {
        key.replace("encoder.layer.", "layer").replace(".", "_"): value.T if value.ndim == 2 else value
        for key, value in weights.items()
        if key.startswith(("encoder.layer.", "embeddings.LayerNorm."))
    } | {
        "word_embeddings": weights["embeddings.word_embeddings.weight"],
        # Every token is of type 0, so that vector is added to the positions in advance.
        "positions": weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0],
        "scale": np.array(1 / np.sqrt(dimension // _HEADS), np.float32),
        "split": np.array([0, 0, _HEADS, dimension // _HEADS], np.int64),
        "merged": np.array([0, 0, dimension], np.int64),
        "lowest": np.array(np.finfo(np.float32).min / 2, np.float32),
    }
    blocks = [_BLOCK.replace("@", f"layer{n}_").replace("NEXT", f"layer{n + 1}") for n in range(layers)]
    begin = _BEGIN.replace("DIMENSION", str(dimension)).replace("BUILDER_VERSION", str(BUILDER_VERSION))
    model = onnx.parser.parse_model("".join([begin, *blocks, _END.replace("@", f"layer{layers}_")]))
    for node in model.graph.node:
        node.name = node.output[0]
    model.graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()
    )
    onnx.checker.check_model(model)
    location = weights_file(target).name
    onnx.save(model, str(target), save_as_external_data=True, location=location, size_threshold=_EXTERNAL_BYTES)


def weights_file(graph: Path) -> Path:
    """The graph's second file, in the same folder. It is mapped into memory: replace it, never overwrite it."""
    return graph.with_suffix(".weights")

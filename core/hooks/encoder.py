"""The sentence encoder of a deployment: a plugin's, or the host's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import EncoderError, SettingsError, failures
from ..runtime.forks import ForkSafeLock, lazily
from ..settings import Settings
from .manager import Plugins, reason_of
from .results import one

if TYPE_CHECKING:
    from ..embedding import Encoder, MiniLMEmbedding
    from ..embedding.model_cache import Precision


class Encoders:
    """The sentence encoder of a deployment, in each precision that is asked for. Safe to use from several threads."""

    def __init__(self, plugins: Plugins, settings: Settings) -> None:
        self._plugins = plugins
        self._settings = settings
        #: Held while an encoder is made.
        self.lock = self._lock = ForkSafeLock()
        self._from_plugin: Encoder | None = None

    @lazily
    def encoder(self) -> Encoder:
        """The first plugin's that embeds something, else the host's own. Raises ``EncoderError``, ``SettingsError``."""
        return self._given_or_own("fp32")

    @lazily
    def int8_encoder(self) -> Encoder:
        """The same, but the host's own in int8 where the settings name no precision."""
        if self._settings.encoder.precision is not None:
            return self.encoder
        return self._given_or_own("int8")

    def _given_or_own(self, precision: Precision) -> Encoder:
        """A plugin's encoder, which is asked for again as long as none has one; else the host's own."""
        from ..embedding import Encoder

        self._from_plugin = self._from_plugin or self._first_that_embeds()
        return self._from_plugin or Encoder(self._own_model(precision))

    def _first_that_embeds(self) -> Encoder | None:
        """The encoder of the first plugin that embeds something; ``None`` leaves it to the host's own.

        When a plugin's fails later, the host's own takes over, if its vectors can be compared. Raises ``EncoderError``,
        ``SettingsError``.
        """
        from llama_index.core.base.embeddings.base import BaseEmbedding

        from ..embedding import Encoder

        plugins, settings = self._plugins, self._settings.encoder
        is_own = settings.provider == "minilm"
        for plugin, model in plugins.call(
            "ragstone_embed_model", one(BaseEmbedding), (SettingsError,), settings=settings
        ):
            try:
                made = Encoder(model, fallback=(lambda: self._own_model("fp32")) if is_own else None)
                made.embed_chunks([("heading", "text")])
            except EncoderError as error:
                plugins.disable(plugin, f"its encoder cannot be used: {error}")
            except failures() as error:
                plugins.disable(plugin, reason_of("its encoder", error))
            else:
                return made
        if not is_own:
            raise EncoderError(
                f"no plugin provides the encoder {settings.provider!r}",
                where="[encoder] provider",
                hint=plugins.failure_of(settings.provider),
            )
        return None

    def _own_model(self, precision: Precision) -> MiniLMEmbedding:
        """The host's own model, in that precision where the settings name none. Raises ``EncoderError``."""
        from ..embedding import MiniLMEmbedding

        settings = self._settings.encoder
        return MiniLMEmbedding.find(
            self._settings.cache_dir / "encoder",
            folder=settings.folder,
            precision=settings.precision or precision,
            threads=settings.threads,
            questions=None if settings.precision else "int8",
        )

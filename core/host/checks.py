"""The health checks of a host: its encoder, its catalog, its vector indexes, and those of the plugins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import EncoderError, StorageError
from ..health import Check
from ..hooks.calls import Hooks

if TYPE_CHECKING:
    from ..catalog import Catalog
    from .pipeline import Pipeline


class HostChecks:
    """Got from ``Host.checks``; calling it runs all checks. ``parts`` gives them one by one."""

    def __init__(self, hooks: Hooks, catalog: Callable[[], Catalog], pipeline: Callable[[], Pipeline]) -> None:
        self._hooks = hooks
        self._get_catalog = catalog
        self._get_pipeline = pipeline
        self._more: dict[str, Callable[[], Sequence[Check]]] = {}

    def __call__(self) -> tuple[Check, ...]:
        """The host's own checks and the plugins'."""
        return tuple(check for look in self.parts().values() for check in look())

    def add(self, name: str, look: Callable[[], Sequence[Check]]) -> None:
        self._more[name] = look

    def parts(self) -> dict[str, Callable[[], Sequence[Check]]]:
        """The checks by the part that they check, for a caller that limits the time of each."""
        return {"encoder": self._encoder, "catalog": self._catalog, **self._more, "plugins": self._plugins}

    def _encoder(self) -> Sequence[Check]:
        """Whether questions can be embedded."""
        try:
            try:
                encoders = self._get_pipeline().encoders()
            except StorageError:  # which the check of the catalog reports
                encoders = (self._hooks.encoder,)
            return [Check("encoder", True, ", ".join(each.fingerprint for each in encoders))]
        except EncoderError as error:
            return [Check.failed("encoder", error, fatal=True)]

    def _catalog(self) -> Sequence[Check]:
        """Whether the catalog can be read from its database, not from memory."""
        try:
            catalog = self._get_catalog()
            catalog.probe()
            with catalog.read() as snapshot:
                count = len(snapshot.corpora())
                return [Check("catalog", True, f"{count} {'corpus' if count == 1 else 'corpora'}")]
        except StorageError as error:
            return [Check.failed("catalog", error, fatal=True)]

    def _plugins(self) -> Sequence[Check]:
        try:
            return list(self._hooks.checks())
        except StorageError as error:  # no plugin's fault
            return [Check("plugins", False, error.what)]

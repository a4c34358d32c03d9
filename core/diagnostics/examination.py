"""The checks of ``ragstone doctor`` in their order. Parts whose requirements fail are skipped."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path

from ..errors import RagstoneError, SettingsError
from ..health import Check
from ..host.host import Host
from ..runtime.background import in_background
from ..settings import PluginsTable, Settings
from ..settings_file import config_path, read_settings
from . import machine, parts

_log = logging.getLogger(__name__)

#: Seconds for one check. Making the encoder's model takes a Raspberry Pi twenty, a locked database twenty.
LONGEST = 60.0


class Examination:
    """The checks of one deployment. They raise nothing, make neither a data folder nor a catalog, and change no stored
    data; the encoder's model is built if it is not cached."""

    def __init__(self, config: Path | None) -> None:
        """``config``: as for ``read_settings``."""
        self._config = config
        self._file: Path | None = None
        self._settings: Settings | None = None
        self._host: Host | None = None
        self._known: set[str] = set()

    def checks(self) -> Iterator[Check]:
        yield from run_check("settings", self._read_settings, fatal=True)
        settings = self._settings
        yield from run_check("clock", partial(machine.clock, settings))
        if settings is None:
            return
        yield from run_check("permissions", partial(machine.permissions, settings, self._file))
        yield from run_check("disk", partial(machine.space, settings))
        yield from run_check("plugins", partial(self._load, settings), fatal=True)
        host = self._host
        if host is None:
            return
        try:
            yield from self._parts(host)
        finally:
            list(run_check("closing", partial(_close, host)))

    def _parts(self, host: Host) -> Iterator[Check]:
        encoder = run_check("encoder", host.checks.parts()["encoder"], fatal=True)
        yield from encoder
        if self._has_catalog(host.settings):
            catalog = run_check("catalog", partial(self._open, host), fatal=True)
            yield from catalog
            if all(check.ok for check in catalog):
                yield from run_check("chunks", partial(parts.checksums, host))
                if all(check.ok for check in encoder):  # a corpus is compared with the encoder's fingerprint
                    yield from run_check("corpora", partial(parts.corpora, host))
                    yield from run_check("languages", partial(parts.languages, host))
                yield from run_check("checks of plugins", partial(parts.plugin_checks, host, thorough=True))
        else:
            yield Check("catalog", True, "none yet: it is made with the first document")
        yield from run_check("vector index", partial(parts.vector_index, host))
        yield from run_check("language model", partial(parts.language_model, host), fatal=True)
        yield from run_check("plugins", partial(parts.plugins, host, self._known))

    def _read_settings(self) -> Iterator[Check]:
        found = config_path(self._config)
        self._file = None if found is None else found.absolute()
        try:
            self._settings = read_settings(self._config)
        except SettingsError as error:
            yield self._failed("settings", error)
        else:
            detail = "as in the file" if self._file is not None else "no file: the defaults, and the environment"
            yield Check("settings", True, detail, where=None if self._file is None else str(self._file))

    def _load(self, settings: Settings) -> Iterator[Check]:
        """Load the plugins; if their settings are wrong, use a host without plugins for the remaining checks."""
        try:
            host = Host(settings)
            parts.try_hooks(host)
        except SettingsError as error:
            yield self._failed("settings of plugins", error)
            self._host = Host(settings.model_copy(update={"plugins": PluginsTable(enabled=()), "prompts": {}}))
            self._known = {"", *(state.name for state in self._host.plugins)}
        else:
            self._host = host
            yield from parts.plugins(host, self._known)

    def _failed(self, name: str, error: SettingsError) -> Check:
        in_the_file = self._file is not None and error.where != "the environment"
        place = f"edit {shlex.quote(str(self._file))}" if in_the_file else "correct it in the environment"
        mend = f"{place}: {error.hint}" if error.hint else place
        return Check(name, False, error.what, True, mend, error.where)

    @staticmethod
    def _has_catalog(settings: Settings) -> bool:
        files = ("catalog.sqlite", "catalog.sqlite.id")  # the second one shows that a catalog is lost
        return settings.database is not None or any((settings.data_dir / name).exists() for name in files)

    @staticmethod
    def _open(host: Host) -> Iterator[Check]:
        host.start()
        faults = list(parts.catalog_files(host))
        yield from faults or host.checks.parts()["catalog"]()


def _close(host: Host) -> list[Check]:
    with suppress(RagstoneError):
        host.close()
    return []


def run_check(
    name: str, check: Callable[[], Iterable[Check]], *, fatal: bool = False, seconds: float = LONGEST
) -> list[Check]:
    """The results of the check; one failed ``Check`` if it raises, calls ``sys.exit`` or exceeds ``seconds``.

    ``fatal``: whether that failure prevents all answers. The check has a thread of its own, because reading a disk that
    is not available can block for ever.
    """
    with redirect_stdout(sys.stderr):  # a plugin's prints must not mix with the results
        future = in_background(lambda: list(check()), f"ragstone-doctor-{name}")
        try:
            error = future.exception(seconds)
        except TimeoutError:
            return [Check(name, False, f"did not finish within {seconds:g} s", fatal, "is a disk or server away?")]
    if error is None:
        return future.result()
    if isinstance(error, RagstoneError):
        return [Check.failed(name, error, fatal=fatal)]
    _log.info("where it happened", exc_info=error)
    detail = f"{type(error).__name__}: {error}"
    return [Check(name, False, detail, fatal, "ragstone -v doctor shows where it happened")]

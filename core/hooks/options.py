"""The plugins' options: each table of the settings checked against the model that its plugin gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import SettingsError, is_failure
from ..settings_file import check_options
from .manager import Plugins, reason_of
from .results import model_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel


def checked_options(plugins: Plugins, raw: Mapping[str, Any]) -> dict[str, BaseModel]:
    """The options by plugin. ``raw``: the tables ``[plugins.NAME]``. Raises ``SettingsError``."""
    found: dict[str, BaseModel] = {}
    for plugin, model in plugins.call("ragstone_settings", model_class):
        try:
            found[plugin] = check_options(plugin, model, raw.get(plugin, {}))
        except SettingsError as error:
            if plugin in raw:
                raise
            plugins.disable(plugin, str(error))  # a required option is not set
        except BaseException as error:
            if not is_failure(error):
                raise
            plugins.disable(plugin, reason_of("its settings model", error))
    known = {state.name for state in plugins}
    for name, table in raw.items():
        if name not in known:
            raise SettingsError(
                f"there is no plugin {name!r}" if isinstance(table, dict) else f"unknown key {name}",
                where="[plugins]",
                hint=f"known: {', '.join(sorted(known))}; also enabled, disabled",
            )
    return found

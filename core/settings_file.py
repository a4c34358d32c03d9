"""Reads a deployment's settings, from ``ragstone.toml`` and the environment variables ``RAGSTONE_*``.

The environment wins over the file; nested keys are joined by two underscores
(``RAGSTONE_PLUGINS__BOOK_CHAT__TOP_K=8``). A plugin's table ``[plugins.NAME]`` is validated by the model from its hook
``ragstone_settings``.
"""

from __future__ import annotations

import difflib
import logging
import os
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from .errors import SettingsError
from .llm.keys import OWN_VARIABLE
from .settings import PluginsTable, Settings

if TYPE_CHECKING:
    from pydantic_settings import PydanticBaseSettingsSource

_log = logging.getLogger(__name__)

_PREFIX = "RAGSTONE_"
#: Variables that other modules, tests and scripts read.
_OTHER_VARIABLES = frozenset(
    {"RAGSTONE_ADMIN_KEY", "RAGSTONE_CONFIG", "RAGSTONE_DATA", "RAGSTONE_SCREENSHOTS", OWN_VARIABLE}
)
_FILE_NAME = "ragstone.toml"

Model = TypeVar("Model", bound=BaseModel)


@cache
def _environment_settings() -> type[Settings]:
    """Settings whose arguments are overridden by environment variables."""
    from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

    class EnvironmentSettings(Settings, BaseSettings):
        model_config = SettingsConfigDict(
            extra="forbid",
            frozen=True,
            hide_input_in_errors=True,
            env_prefix=_PREFIX,
            env_nested_delimiter="__",
            env_ignore_empty=True,
        )

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic-settings'
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return env_settings, init_settings  # the file is given as keyword arguments

    PluginsTable.model_fields["disabled"].metadata.append(NoDecode)  # names with commas, as ``enabled`` takes them
    return EnvironmentSettings


def read_settings(config: Path | str | None = None) -> Settings:
    """The deployment's settings.

    ``config``: the settings file; without one ``RAGSTONE_CONFIG``, else ``ragstone.toml`` in the working folder, else
    the defaults. Raises ``SettingsError``, which names the file, the key and the nearest known one.
    """
    path = config_path(config)
    raw = _read_toml(path) if path else {}
    if isinstance(raw.get("plugins"), list) and any(name.startswith(f"{_PREFIX}PLUGINS__") for name in os.environ):
        raw["plugins"] = {"enabled": raw["plugins"]}  # a table, which environment variables can override
    _warn_of_unknown_variables()
    # Without variables pydantic-settings is not imported: that takes as long as all of pydantic.
    has_variables = any(name.upper().startswith(_PREFIX) for name in os.environ.keys() - _OTHER_VARIABLES)
    try:
        return _environment_settings()(**raw) if has_variables else Settings(**raw)
    except ValidationError as error:
        raise _settings_error(error, Settings, str(path) if path else "the environment") from error
    except ValueError as error:  # pydantic-settings cannot parse a variable
        raise SettingsError(str(error), where="the environment") from error


def check_options(name: str, model: type[Model], raw: Any) -> Model:
    """Validate a plugin's options by its model. Raises ``SettingsError``."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise _settings_error(error, model, f"[plugins.{name}]") from error


def config_path(config: Path | str | None) -> Path | None:
    """The settings file that ``read_settings`` reads; ``None`` without one."""
    named = config or os.environ.get("RAGSTONE_CONFIG")
    if named:
        return Path(named).expanduser()
    here = Path(_FILE_NAME)
    return here if here.is_file() else None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 at byte {error.start}", where=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        hint = None
        if "plugins" in str(error).lower() or "overwrite" in str(error):
            hint = 'beside tables such as [plugins.book_chat], write the list as [plugins] enabled = ["book_chat"]'
        raise SettingsError(f"is not valid TOML: {error}", where=str(path), hint=hint) from error


def _warn_of_unknown_variables() -> None:
    known = {f"{_PREFIX}{field.upper()}" for field in Settings.model_fields} | _OTHER_VARIABLES
    for name in os.environ:
        if name.startswith(_PREFIX) and name.split("__")[0] not in known:
            near = difflib.get_close_matches(name, known, n=1)
            _log.warning("%s is not a setting%s", name, f"; did you mean {near[0]}?" if near else "")


def _settings_error(error: ValidationError, model: type[BaseModel], where: str) -> SettingsError:
    """A message for the first fault, with the most similar known key for an unknown one."""
    faults = error.errors(include_url=False, include_input=False)
    # A misspelled key is reported as unknown and as missing: the former is more helpful.
    fault = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    key = ".".join(str(part) for part in fault["loc"])
    variable = f"{_PREFIX}{'__'.join(str(part) for part in fault['loc']).upper()}"
    if model is Settings and variable in os.environ:
        where = "the environment"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if fault["type"] == "extra_forbidden":
        *outer, last = (str(part) for part in fault["loc"])
        known = _fields(model, outer)
        near = difflib.get_close_matches(last, known, n=1, cutoff=0.5)
        hint = f"did you mean {'.'.join([*outer, near[0]])}?" if near else f"known: {', '.join(sorted(known))}"
        return SettingsError(f"unknown key {key}{more}", where=where, hint=hint)
    message = f"{fault['msg'].removeprefix('Value error, ')}{more}"
    return SettingsError(f"{key}: {message}" if key else message, where=where)


def _fields(model: type[BaseModel], path: list[str]) -> list[str]:
    current: Any = model
    for part in path:
        field = getattr(current, "model_fields", {}).get(part)
        current = field.annotation if field is not None else None
    if not isinstance(current, type) or not issubclass(current, BaseModel):
        return []
    kinds = [current, *(kind for kind in _subclasses(current) if path)]
    return list(dict.fromkeys(name for kind in kinds for name in kind.model_fields))


def _subclasses(kind: type[Model]) -> Iterator[type[Model]]:
    """All subclasses: the providers of ``[llm]`` derive their own models from its base."""
    for derived in kind.__subclasses__():
        yield derived
        yield from _subclasses(derived)

"""Addresses and their owners: a collision names both parties and disables only the later one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

from flask import Blueprint, Flask, current_app, request
from werkzeug.routing import Map

from ragstone.core import Host
from ragstone.core.errors import failures

_log = logging.getLogger(__name__)

_PLUGINS = "ragstone.plugins"
#: Functions that run for every page as an app keeps them, how a blueprint adds one, and how one for its own pages.
_FUNCTIONS = {
    "before_request_funcs": ("before_app_request", "before_request"),
    "after_request_funcs": ("after_app_request", "after_request"),
    "teardown_request_funcs": ("teardown_app_request", "teardown_request"),
    "error_handler_spec": ("app_errorhandler", "errorhandler"),
    "template_context_processors": ("app_context_processor", "context_processor"),
    "url_value_preprocessors": ("app_url_value_preprocessor", "url_value_preprocessor"),
    "url_default_functions": ("app_url_defaults", "url_defaults"),
}


class Mounts:
    """The addresses of an app and their owners."""

    def __init__(self, app: Flask, host: Host) -> None:
        self._app = app
        self._host = host
        self._owners: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}

    def owner(self, method: str, rule: str) -> str | None:
        return self._owners.get((method, _shape(rule)))

    def claim(self, owner: str) -> None:
        """Record ``owner`` as the owner of the app's addresses and blueprints that have none so far."""
        for _, key in _keys(self._app.url_map):
            self._owners.setdefault(key, owner)
        for name in self._app.blueprints:
            self._names.setdefault(name, owner)

    def register(self, plugin: str, pages: Blueprint) -> None:
        """Put a plugin's pages on the app, or disable the plugin with a reason that names both parties."""
        if not isinstance(pages, Blueprint):
            self._refuse(plugin, f"its pages are {type(pages).__name__} {repr(pages)[:60]}, not a flask.Blueprint")
            return
        trial = Flask(self._app.import_name, static_folder=None)
        try:
            trial.register_blueprint(pages)
            if fault := self._clash(plugin, pages, trial) or self._server_change(plugin, trial):
                self._refuse(plugin, fault)
                return
            self._app.register_blueprint(pages)
        except failures() as error:
            _log.exception("the pages of plugin %s cannot be used", plugin)
            self._refuse(plugin, f"its pages cannot be used: {type(error).__name__}: {error}")
            return
        self._app.extensions.setdefault(_PLUGINS, {})[pages.name] = plugin
        self.claim(f"plugin {plugin}")

    def _clash(self, plugin: str, pages: Blueprint, trial: Flask) -> str | None:
        if owner := self._names.get(pages.name):
            return f"plugin {plugin} and {owner} both name their blueprint {pages.name!r}"
        for rule, key in _keys(trial.url_map):
            if owner := self._owners.get(key):
                return f"plugin {plugin} and {owner} both want {key[0]} {rule}"
        return None

    def _server_change(self, plugin: str, trial: Flask) -> str | None:
        """Return what a plugin's blueprint changes in pages of others, which would fail with it."""
        plain = Flask(self._app.import_name, static_folder=None)
        for attribute, (for_all, for_own) in _FUNCTIONS.items():
            if (getattr(trial, attribute).get(None) or None) != (getattr(plain, attribute).get(None) or None):
                return f"plugin {plugin} has a function for every page of the server ({for_all}), not ({for_own})"
        changed = [key for key, value in plain.config.items() if trial.config.get(key) != value]
        changed += [name for name in ("wsgi_app", "session_interface") if name in vars(trial)]
        if "jinja_env" in vars(trial):
            for kind in ("filters", "tests", "globals"):
                known, given = getattr(self._app.jinja_env, kind), getattr(trial.jinja_env, kind)
                usual = getattr(plain.jinja_env, kind)
                changed += [
                    name
                    for name in given.keys() & known.keys()
                    if name not in usual or (kind != "globals" and given[name] is not usual[name])
                ]
        return f"plugin {plugin} changes {changed[0]} of the whole server" if changed else None

    def _refuse(self, plugin: str, reason: str) -> None:
        _log.error("plugin %s has no pages: %s", plugin, reason)
        self._host.plugins.disable(plugin, reason)


def plugin_of_page() -> str | None:
    """Return the plugin whose page the current request is for."""
    owners: dict[str, str] = current_app.extensions.get(_PLUGINS, {})
    return owners.get(request.blueprints[-1]) if request.blueprints else None


def _keys(addresses: Map) -> Iterator[tuple[str, tuple[str, str]]]:
    for rule in addresses.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield rule.rule, (method, _shape(rule.rule))


def _shape(rule: str) -> str:
    """Return ``rule`` without its variables' names: ``/a/<int:x>`` and ``/a/<int:y>`` are one address."""
    return re.sub(r"<(?:([^<>:]+):)?[^<>:]+>", lambda found: f"<{found[1] or 'string'}>", rule)

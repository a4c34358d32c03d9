"""Who owns which address: a collision names both parties and costs only the later one."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from flask import Flask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Blueprint
    from werkzeug.routing import Map

    from ragstone.core import Host

_log = logging.getLogger(__name__)

_PLUGINS = "ragstone.plugins"


class Mounts:
    """The addresses of an app and their owners."""

    def __init__(self, app: Flask, host: Host) -> None:
        self._app = app
        self._host = host
        self._owners: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}

    def owner(self, method: str, rule: str) -> str | None:
        """Return who answers ``method`` at ``rule``, if anybody does."""
        return self._owners.get((method, _shape(rule)))

    def claim(self, owner: str) -> None:
        """Write down the app's addresses and blueprints that nobody has claimed so far as ``owner``'s."""
        for _, key in _keys(self._app.url_map):
            self._owners.setdefault(key, owner)
        for name in self._app.blueprints:
            self._names.setdefault(name, owner)

    def register(self, plugin: str, pages: Blueprint) -> None:
        """Put a plugin's pages on the app, or disable the plugin and say with whom it collides."""
        trial = Flask(self._app.import_name, static_folder=None)
        try:
            trial.register_blueprint(pages)
            if clash := self._clash(plugin, pages, trial):
                self._refuse(plugin, clash)
                return
            self._app.register_blueprint(pages)
        except Exception as error:
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

    def _refuse(self, plugin: str, reason: str) -> None:
        _log.error("plugin %s has no pages: %s", plugin, reason)
        self._host.disable(plugin, reason)


def plugin_of(app: Flask, blueprint: str) -> str | None:
    """The plugin whose blueprint it is."""
    owners: dict[str, str] = app.extensions.get(_PLUGINS, {})
    return owners.get(blueprint)


def _keys(addresses: Map) -> Iterator[tuple[str, tuple[str, str]]]:
    for rule in addresses.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield rule.rule, (method, _shape(rule.rule))


def _shape(rule: str) -> str:
    """Return ``rule`` without its variables' names: ``/a/<int:x>`` and ``/a/<int:y>`` are one address."""
    return re.sub(r"<(?:([^<>:]+):)?[^<>:]+>", lambda found: f"<{found[1] or 'string'}>", rule)

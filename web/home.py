"""The pages that belong to no plugin: home, an assistant without a page of its own, health, the icon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, current_app, g, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ragstone.core import Assistant, Host, RagstoneError
from ragstone.core.answering import Conversation, EmptyState, find_chunks
from ragstone.core.pages import ViewOptions

from . import openapi
from .admission import HEALTH_PATH
from .errors import PLUGIN, reads_pages
from .health import KEY_LIMIT, Health
from .json_body import json_response
from .keys.access import access
from .keys.authentication import is_unknown
from .mounts import plugin_of_page

#: Chunks of one assistant that a search shows.
_MOST_FOUND = 3


@dataclass(frozen=True)
class Entry:
    """An assistant as the pages list it: its page, and whether the request is for a page of it."""

    assistant: Assistant
    url: str
    current: bool

    @cached_property
    def empty(self) -> EmptyState | None:
        """What to do while it has nothing to answer from."""
        return self.assistant.empty_state


def _entries(host: Host) -> tuple[Entry, ...]:
    """The assistants that the request may ask."""
    of = plugin_of_page()
    named = (request.view_args or {}).get("name") if request.endpoint == "ragstone.assistant" else None
    return tuple(
        Entry(made, page or url_for("ragstone.assistant", name=name), name == named or made.plugin == of)
        for name, made in host.hooks.assistants.items()
        for page in [made.profile.paths.page]
        if access().may_ask(name)
    )


def _found(assistant: Assistant, words: str) -> dict[str, Any]:
    """The first chunks of an assistant for these words, each once; or the problem."""
    g.setdefault(PLUGIN, assistant.plugin)
    try:
        findings = find_chunks(assistant, words)
    except RagstoneError as error:
        return {"problem": error.to_reader(), "passages": (), "enough": False}
    once = {chunk.text: chunk for chunk in reversed(findings.chunks)}  # two study plans may share a page
    chunks = [chunk for chunk in findings.chunks if once[chunk.text] is chunk]
    return {"problem": None, "passages": chunks[:_MOST_FOUND], "enough": findings.enough}


def blueprint(host: Host) -> Blueprint:
    """Return the pages of the web front itself."""
    pages = Blueprint("ragstone", __name__)
    reports = Health(host)

    @pages.app_context_processor
    def header() -> dict[str, Any]:
        return {"site_assistants": lambda: _entries(host)}

    @pages.get("/")
    @ViewOptions(any_assistant=True)
    def home() -> str:
        return render_template("ragstone/home.html")

    @pages.get("/search")
    @ViewOptions(any_assistant=True)
    def search() -> str:
        """Show the chunks that each assistant has for a question, whichever of them one would have to ask."""
        words = request.args.get("q", "").strip()
        found = [(entry, _found(entry.assistant, words)) for entry in _entries(host) if words and not entry.empty]
        found.sort(key=lambda pair: not pair[1]["enough"])
        return render_template("ragstone/search.html", words=words, found=found)

    @pages.route("/assistants/<name>/", methods=["GET", "POST"])
    @ViewOptions(any_assistant=True)
    def assistant(name: str) -> tuple[str, int] | BaseResponse:
        if not access().may_ask(name):
            abort(403, "This key is not for this assistant.")
        asked = host.assistant(name)
        if page := asked.profile.paths.page:  # a question goes along, also one of a form
            along = f"?{urlencode(list(request.args.items(multi=True)))}" if request.args else ""
            return redirect(f"{page}{along}", 307 if request.method == "POST" else 302)
        filters = {key: request.values[key] for key in asked.profile.filters.by_name if request.values.get(key)}
        g.setdefault(PLUGIN, asked.plugin)
        talk = Conversation.ask(asked, request.values, filters)
        return render_template("ragstone/assistant.html", assistant=asked, filters=filters, talk=talk), talk.status

    @pages.get(HEALTH_PATH)
    @ViewOptions(openapi=openapi.HEALTH)
    def health() -> Response:
        report, status = reports.report()
        # without a key where one is needed, or with one for some books: the status alone, which a monitor needs
        if is_unknown(0 if reports.hangs else KEY_LIMIT) or access().books is not None:
            report = {"status": report["status"]}
        if reads_pages():
            response = Response(render_template("ragstone/health.html", report=report), status)
            response.headers["Cache-Control"] = "no-store"
        else:
            response = json_response(report, status)
        response.vary.add("Accept")
        return response

    @pages.get("/openapi.json")
    @ViewOptions(any_assistant=True, openapi=openapi.ITSELF)
    def description() -> Response:
        return jsonify(openapi.describe(current_app, metadata.version("ragstone")))

    @pages.get("/favicon.ico")
    def favicon() -> Response:
        return current_app.send_static_file("ragstone/favicon.svg")

    return pages

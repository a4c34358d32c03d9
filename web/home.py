"""The pages that belong to no plugin: home, an assistant without a page of its own, health, the icon."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, current_app, g, jsonify, redirect, render_template, request

from ragstone.core import Question, RagstoneError
from ragstone.core.pages import ViewOptions

from . import openapi
from .admission import HEALTH_PATH
from .errors import PLUGIN
from .health import KEY_LIMIT, Health
from .json_body import json_response
from .keys.access import access
from .keys.authentication import is_unknown

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as BaseResponse

    from ragstone.core import Host


def blueprint(host: Host) -> Blueprint:
    """Return the pages of the web front itself."""
    pages = Blueprint("ragstone", __name__)
    reports = Health(host)

    @pages.get("/")
    @ViewOptions(any_assistant=True)
    def home() -> str:
        mine = tuple(made for name, made in host.assistants.items() if access().may_ask(name))
        return render_template("ragstone/home.html", assistants=mine)

    @pages.get("/assistants/<name>/")
    @ViewOptions(any_assistant=True)
    def assistant(name: str) -> tuple[str, int] | BaseResponse:
        asked = host.assistant(name)
        if not access().may_ask(name):
            abort(403, "This key is not for this assistant.")
        if asked.profile.page:
            return redirect(asked.profile.page)
        filters = {key: request.args[key] for key in asked.profile.filters if request.args.get(key)}
        question, answer, problem, status = request.args.get("q", "").strip(), None, None, 200
        if question:
            g.setdefault(PLUGIN, asked.plugin)
            try:
                answer = asked.ask(Question(question, filters=filters))
            except RagstoneError as error:
                problem, status = error.to_problem(), error.status
        page = render_template(
            "ragstone/assistant.html",
            assistant=asked,
            filters=filters,
            question=question,
            answer=answer,
            problem=problem,
        )
        return page, status

    @pages.get(HEALTH_PATH)
    @ViewOptions(openapi=openapi.HEALTH)
    def health() -> Response:
        report, status = reports.report()
        # without a key where one is needed: the status alone, which a monitor needs
        unknown = is_unknown(0 if reports.hangs else KEY_LIMIT)
        return json_response({"status": report["status"]} if unknown else report, status)

    @pages.get("/openapi.json")
    @ViewOptions(any_assistant=True, openapi=openapi.ITSELF)
    def description() -> Response:
        return jsonify(openapi.describe(current_app, metadata.version("ragstone")))

    @pages.get("/favicon.ico")
    def favicon() -> Response:
        return current_app.send_static_file("ragstone/favicon.svg")

    return pages

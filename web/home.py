"""The pages that belong to no plugin: home, an assistant without a page of its own, health, the icon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, current_app, g, jsonify, redirect, render_template, request

from ragstone.core import RagstoneError

from . import openapi
from .errors import PLUGIN
from .keys.access import access
from .keys.checking import is_unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.wrappers import Response as BaseResponse

    from ragstone.core import Check, Host


def blueprint(host: Host) -> Blueprint:
    """Return the pages of the web front itself."""
    pages = Blueprint("ragstone", __name__)

    @pages.get("/")
    def home() -> str:
        mine = tuple(made for name, made in host.assistants.items() if access().may_ask(name))
        return render_template("ragstone/home.html", assistants=mine)

    @pages.get("/assistants/<name>/")
    def assistant(name: str) -> tuple[str, int] | BaseResponse:
        asked = host.assistant(name)
        if not access().may_ask(name):
            abort(403, "This key is not for this assistant.")
        if asked.page:
            return redirect(asked.page)
        narrow = {key: request.args[key] for key in asked.narrowings if request.args.get(key)}
        question, answer, problem, status = request.args.get("q", "").strip(), None, None, 200
        if question:
            g.setdefault(PLUGIN, host.plugin_of(name))
            try:
                answer = asked.ask(question, narrow=narrow)
            except RagstoneError as error:
                problem, status = error.to_problem(), error.status
        page = render_template(
            "ragstone/assistant.html",
            assistant=asked,
            narrow=narrow,
            question=question,
            answer=answer,
            problem=problem,
        )
        return page, status

    @pages.get("/health")
    def health() -> Response:
        report, status = health_of(host)
        # who has no key where one is needed hears what a monitor must know
        response = jsonify({"status": report["status"]} if is_unknown() else report)
        response.status_code = status
        response.headers["Cache-Control"] = "no-store"
        return response

    health.__dict__.update(openapi=openapi.HEALTH)

    @pages.get("/openapi.json")
    def description() -> Response:
        return jsonify(openapi.describe(current_app, host.version))

    description.__dict__.update(openapi=openapi.ITSELF)

    @pages.get("/favicon.ico")
    def favicon() -> Response:
        return current_app.send_static_file("ragstone/favicon.svg")

    for view in (home, assistant, description):
        view.__dict__.update(for_all=True)

    return pages


def _shown(check: Check) -> dict[str, Any]:
    """Return a check as JSON: its first line alone, for others may name files of this machine."""
    first = check.detail.splitlines()[:1]
    told = {"name": check.name, "ok": check.ok, "fatal": check.fatal, "detail": "".join(first)}
    return told if check.mend is None else {**told, "mend": check.mend}


def health_of(host: Host) -> tuple[dict[str, Any], int]:
    """Return the host's health as JSON, and its status: 200, or 503 with the reason why it cannot answer."""
    reasons: list[str] = []

    def told(tell: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        try:
            return tell()
        except RagstoneError as error:
            reasons.append(error.to_problem()["detail"])
            return []

    checks = told(lambda: [_shown(check) for check in host.checks()])
    corpora = told(lambda: [{"name": c.name, "documents": c.documents, "chunks": c.chunks} for c in host.corpora()])
    reasons += [f"{c['name']}: {c['detail']}" for c in checks if c["fatal"] and not c["ok"]]
    report: dict[str, Any] = {"status": "unavailable" if reasons else "ok"}
    if reasons:
        report["reason"] = "; ".join(reasons)
    report["version"] = host.version
    report["plugins"] = [
        {"name": p.name, "version": p.version, "state": p.state, "reason": p.reason} for p in host.plugins
    ]
    report["corpora"] = corpora
    report["checks"] = checks
    return report, 503 if reasons else 200

"""The tutor's pages, the only package of the plugin that imports Flask."""

from __future__ import annotations

from flask import Blueprint

from ragstone.core import Host

from ..plans import PAGES
from . import chat, editor, learners, lessons, plan, plans


def blueprint(host: Host) -> Blueprint:
    """The pages over an open host."""
    pages = Blueprint(
        "concept_tutor", __name__, url_prefix=PAGES, template_folder="../templates", static_folder="../static"
    )
    for part in (plans, plan, editor, learners, lessons, chat):
        part.install(pages, host)
    return pages

"""The memory's page: the place in a file that a citation opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template

from .assistant import NAME, PREFIX
from .indexing.memory import memory_of
from .places import source_page
from .recall.output import place

if TYPE_CHECKING:
    from ragstone.core import Host


def blueprint(host: Host) -> Blueprint:
    """Return the memory's pages over an open host."""
    pages = Blueprint("iris_memory", __name__, url_prefix=PREFIX, template_folder="templates", static_folder="static")

    @pages.get("/source/<chunk_id>")
    def source(chunk_id: str) -> str:
        page = source_page(memory_of(host).corpus, chunk_id)
        return render_template(
            "iris_memory/source.html", assistant=host.assistant(NAME), page=page, place=place(page.chunk)
        )

    return pages

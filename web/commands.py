"""``ragstone serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragstone.core.cli import Deployment


@click.command()
@click.option("--host", "address", metavar="ADDRESS", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on (default: 8000; 0 takes a free one).")
@click.option("--open/--no-open", "show", default=False, help="Open the page in the browser.")
@click.pass_obj
def serve(deployment: Deployment, address: str | None, port: int | None, show: bool) -> None:
    """Serve the pages and the JSON endpoints until Ctrl+C."""
    from .serve import serve_until_stopped  # Flask and all pages, which every other command would wait for

    serve_until_stopped(deployment.host(), address, port, show=show)

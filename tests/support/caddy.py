"""The proxy of deploy/server: Caddy with the very Caddyfile, on loopback."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.composed import SERVER, compose
from tests.support.needs import missing
from tests.support.services import Process, free_port


@contextmanager
def proxy(folder: Path, *workers: str) -> Iterator[str]:
    """The address of a running proxy in front of workers (``127.0.0.1:PORT``); without TLS, which is Caddy's own."""
    if shutil.which("caddy") is None:
        missing("caddy (Debian: caddy)")
    proxy = compose()["services"]["proxy"]
    assert proxy["environment"]["RAGSTONE_WORKERS"] == "web-1:8000 web-2:8000"
    address, admin = f"http://127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    folder.mkdir(parents=True, exist_ok=True)
    places = {name: str(folder / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    process = Process(
        [str(SERVER / "Caddyfile") if word == "/etc/caddy/Caddyfile" else word for word in proxy["command"]],
        {
            "PATH": os.environ["PATH"],
            **places,
            "RAGSTONE_NAME": address,
            "RAGSTONE_WORKERS": " ".join(workers),
            "PROXY_ADMIN": admin,
        },
        folder / "proxy.log",
        # What the service's health check asks.
        proxy["healthcheck"]["test"][-1].replace("127.0.0.1:2019", admin),
    )
    process.start()
    try:
        yield address
    finally:
        process.stop()

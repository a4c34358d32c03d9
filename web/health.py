"""The health report: what ``/health`` answers, within two seconds whatever hangs."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from importlib import metadata
from typing import Any

from ragstone.core import Check, Host, RagstoneError
from ragstone.core.runtime import in_background

_log = logging.getLogger(__name__)

#: Seconds that a part of the report may take, for which a report is given again, and that a key may be looked up for.
LIMIT, KEPT, KEY_LIMIT = 1.5, 1.0, 0.4
_CORPORA = "corpora"
#: Parts without which nothing can be answered.
_FATAL = frozenset({"encoder", "catalog", _CORPORA})


class Health:
    """The health reports of a host. Thread-safe; each part of a report is looked at by at most one thread at a time."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._report: tuple[dict[str, Any], int] | None = None
        self._until = 0.0
        #: What is being looked at, and since when.
        self._looks: dict[str, tuple[Future[Any], float]] = {}
        #: Whether a part of the latest report did not come back in time.
        self.hangs = False

    def report(self) -> tuple[dict[str, Any], int]:
        """The report as JSON, and its HTTP status: 200, or 503 with the reason. At most ``KEPT`` seconds old."""
        with self._lock:
            if self._report is None or time.monotonic() >= self._until:
                self._report = self._made()
                self._until = time.monotonic() + KEPT
            return self._report

    def _made(self) -> tuple[dict[str, Any], int]:
        host, parts = self._host, {**self._host.checks.parts(), _CORPORA: self._host.corpora}
        for name, look in parts.items():
            if name not in self._looks or self._looks[name][0].done():  # one that came too late is out of date
                self._looks[name] = (in_background(look, "ragstone-health"), time.monotonic())
        reasons: list[str] = []
        checks: list[dict[str, Any]] = []
        corpora: list[dict[str, Any]] = []
        self.hangs = False
        for name in parts:
            try:
                result = self._result(name)
            except RagstoneError as error:
                reasons.append(error.to_problem()["detail"])
                continue
            if name == _CORPORA and not isinstance(result, Check):
                corpora = [{"name": each.name, "documents": each.documents, "chunks": each.chunks} for each in result]
            else:
                checks += [_shown(check) for check in ([result] if isinstance(result, Check) else result)]
        failed = (check for check in checks if check["fatal"] and not check["ok"])
        reasons += [
            f"{check['name']}: {check['detail']}" + (f" ({check['mend']})" if "mend" in check else "")
            for check in failed
        ]
        report: dict[str, Any] = {"status": "unavailable" if reasons else "ok"}
        if reasons:
            report["reason"] = "; ".join(reasons)
        report["version"] = metadata.version("ragstone")
        report["plugins"] = [
            {"name": p.name, "version": p.version, "state": p.state, "reason": p.reason} for p in host.plugins
        ]
        report["corpora"] = corpora
        report["checks"] = checks
        return report, 503 if reasons else 200

    def _result(self, name: str) -> Any:
        """What came of one part; as a failed check why nothing did. Raises ``RagstoneError``."""
        look, begun = self._looks[name]
        try:
            return look.result(max(begun + LIMIT - time.monotonic(), 0))
        except RagstoneError:
            raise
        except Exception as error:
            if not look.done():
                self.hangs = True
                return Check(name, False, f"did not come back within {LIMIT:g} s", fatal=name in _FATAL)
            _log.error("the check %s failed", name, exc_info=error)
            return Check(name, False, "the check failed; the log says more", fatal=name in _FATAL)


def _shown(check: Check) -> dict[str, Any]:
    """A check as JSON: its first line alone, for others may name files of this machine."""
    first = check.detail.splitlines()[:1]
    shown = {"name": check.name, "ok": check.ok, "fatal": check.fatal, "detail": "".join(first)}
    return shown if check.mend is None else {**shown, "mend": check.mend}

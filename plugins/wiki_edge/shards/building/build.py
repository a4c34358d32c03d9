"""From a source to a shard: the plan's parts, built one after the other or by many workers, then merged."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.core import BadRequest, Host
from ragstone.core.answering import check_type
from ragstone.core.runtime import file_lock, storage_errors

from ..verification import sum_of
from ..writer import UNKNOWN_LICENSE
from .merge import Merged, merge
from .plan import BuildOptions, Plan, make_plan, read_plan, reader_of
from .work import BuildProgress, PartCounts, work
from .work_folder import AGAIN, PURPOSE, BuildReport, publish, set_purpose, work_folder

_DUMP_DATE = re.compile(r"-(20\d\d)(\d\d)(\d\d)-")


def build_shard(
    options: BuildOptions,
    host: Host,
    *,
    restart: bool = False,
    on_progress: Callable[[BuildProgress], None] = lambda _: None,
) -> BuildReport:
    """Build the shard, or resume the build that was begun with the same options: plan, work and merge.

    Raises ``BadRequest`` for other options than those of the unfinished build, ``SourceError``, ``StorageError`` and
    its kin, ``EncoderError``.
    """
    check_type(options, "options", BuildOptions, "BuildOptions")
    check_type(host, "host", Host, "an open Host")
    check_type(restart, "restart", bool, "True or False")
    check_type(on_progress, "on_progress", Callable, "a function")  # type: ignore[arg-type]
    with work_folder(options.out, options.id, restart=restart) as folder:
        plan = make_plan(options, host, folder, _planning(on_progress))
        counts = PartCounts(plan)
        work(plan, host, on_progress)
        return _merged(counts, host, folder, options.out, on_progress)


def plan_build(
    options: BuildOptions, host: Host, folder: Path, on_progress: Callable[[BuildProgress], None] = lambda _: None
) -> Plan:
    """The plan in a folder of its own, which is made where there is none. Raises as ``build_shard``."""
    with storage_errors(folder, hint=AGAIN):
        folder.mkdir(parents=True, exist_ok=True)
        others = [path.name for path in folder.iterdir() if path.name not in (PURPOSE, "lock")]
        if others and not (folder / PURPOSE).exists():
            raise BadRequest("holds other files", where=str(folder), hint="name a new folder for the plan")
        with file_lock(folder / "lock", "the plan is being made by another process"):
            return make_plan(options, host, folder, _planning(on_progress))


def work_plan(folder: Path, host: Host, on_progress: Callable[[BuildProgress], None] = lambda _: None) -> Plan:
    """Build the parts of the plan in the folder, beside other workers, until all are built. Raises as
    ``build_shard``."""
    with storage_errors(folder, hint=AGAIN):
        plan = read_plan(folder)
        work(plan, host, on_progress)
        return plan


def merge_plan(
    folder: Path, host: Host, out: Path | None = None, on_progress: Callable[[BuildProgress], None] = lambda _: None
) -> BuildReport:
    """The shard of the plan's finished parts, in ``out`` or where the plan says. Raises as ``build_shard``."""
    with storage_errors(folder, hint=AGAIN):
        plan = read_plan(folder)
        reader_of(plan, host)  # the shard names the source and the encoder
        out = out or plan.options.out
        with work_folder(out, plan.options.id) as scratch:
            set_purpose(scratch, {"merge": plan.purpose}, f"finish it, or remove {scratch}")
            counts = PartCounts(plan)
            counts.resumed = 0  # nothing is built here
            return _merged(counts, host, scratch, out, on_progress)


def _planning(on_progress: Callable[[BuildProgress], None]) -> Callable[[int], None]:
    return lambda parts: on_progress(BuildProgress(all_parts=parts, step="planning"))


def _merged(
    counts: PartCounts, host: Host, scratch: Path, out: Path, on_progress: Callable[[BuildProgress], None]
) -> BuildReport:
    """Merge the parts in the folder ``scratch`` and put the shard in its place."""

    def make() -> tuple[dict[str, Any], dict[str, Any]]:
        counts.look()
        plan, now = counts.plan, replace(counts.progress(), step="merging")
        merged = merge(plan, scratch, counts.wanted, lambda part: on_progress(replace(now, parts=part)))
        on_progress(replace(now, step="indexing"))
        noted = {"articles": merged.articles, "left_out": merged.left_out, "rest": merged.rest}
        return _entry(plan, merged, host), noted

    return publish(scratch, out, make, counts.resumed)


def _entry(plan: Plan, merged: Merged, host: Host) -> dict[str, Any]:
    """The finished shard's entry, but for its files."""
    options, about = plan.options, plan.about
    return {
        "id": options.id,
        "kind": options.kind,
        "dim": plan.dimension,
        "size": merged.rows,
        "license": options.license or about.get("license") or UNKNOWN_LICENSE,
        "language": options.language or about.get("language"),
        "domain": options.domain,
        "source": _source(plan, merged.newest),
        "encoder": {"model": host.hooks.encoder.model.model_name, "fingerprint": host.hooks.encoder.family},
    }


def _source(plan: Plan, newest: tuple[str, str | None] | None) -> dict[str, str]:
    """What the shard was built from: a dump's date is in its name, or else that of its newest article."""
    about = plan.about
    named = _DUMP_DATE.search(plan.files[0].name)
    date = about.get("date") or ("-".join(named.groups()) if named else newest[0] if newest else None)
    found = {"name": plan.options.source.resolve().name, "date": date}
    found["revision"] = about.get("revision") or (newest[1] if newest else None)
    if len(plan.files) == 1:
        found["sha256"] = sum_of(plan.files[0]).sha256
    return {name: value for name, value in found.items() if value}

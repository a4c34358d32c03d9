"""Builds in parts: the same bytes by any workers, leases, sources cut into spans, and articles without vectors."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ragstone.core import BadRequest, Encoder, Host, NotFound, SourceError, StorageError
from ragstone.core.cli import main
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import BuildOptions, build_shard, searcher_of, verify_shards
from ragstone.plugins.wiki_edge.readers.sources import open_source
from ragstone.plugins.wiki_edge.shards.building import leases
from ragstone.plugins.wiki_edge.shards.building.build import merge_plan, plan_build, work_plan
from tests.plugins.wiki_edge.readers.dumps import multistream, page, plain
from tests.support.needs import needed
from tests.support.patience import HANG

needed("mwparserfromhell")

_PART_MB = 0.002
_ARTICLES = 30


def _text(number: int) -> str:
    return f"Robot {number} carries box{number}. " + " ".join(f"Step {at} of {number}." for at in range(20))


def _lines(path: Path, ids: list[str] | None = None) -> Path:
    names = ids or [str(number) for number in range(_ARTICLES)]
    records = [{"_id": name, "title": f"T {at}", "text": _text(at)} for at, name in enumerate(names)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def _sums(report: Any) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in report.folder.iterdir() if path.name[0] != "."}


def _ids(report: Any) -> list[str]:
    return [json.loads(line)["id"] for line in (report.folder / "metadata.jsonl").read_text("utf-8").splitlines()]


def test_any_number_of_workers_gives_the_same_bytes(fast_host: Host, tmp_path: Path) -> None:
    source = _lines(tmp_path / "corpus.jsonl")
    options = BuildOptions(source, tmp_path / "out", "x", part_mb=_PART_MB)
    whole = build_shard(options, fast_host)
    plan = tmp_path / "plan"
    known = plan_build(options, fast_host, plan)
    assert len(known.parts) > 3
    threads = [threading.Thread(target=work_plan, args=(plan, fast_host)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({json.loads(record.read_bytes())["worker"] for record in plan.glob("parts/*/part.json")}) == 2
    assert list((plan / leases.LEASES).iterdir()) == []
    report = merge_plan(plan, fast_host, tmp_path / "merged")
    assert _sums(report) == _sums(whole)
    assert (report.articles, report.chunks) == (whole.articles, whole.chunks)
    assert verify_shards(tmp_path / "merged") == []


_HOLDING = """
import socket, sys, time
from pathlib import Path
from ragstone.plugins.wiki_edge.shards.building import leases

socket.gethostname = lambda: sys.argv[2]
leases.EXPIRY_S, leases._RENEWED_S = 1.0, 0.2
mine = leases.Leases(Path(sys.argv[1]))
taken = mine.take(range(3))
print(taken[0], flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("where", [socket.gethostname(), "another-machine"])
def test_a_dead_worker_s_part_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setattr(leases, "EXPIRY_S", 1.0)
    monkeypatch.setattr(leases, "_RENEWED_S", 0.2)
    (tmp_path / leases.LEASES).mkdir()
    mine = leases.Leases(tmp_path)
    with subprocess.Popen([sys.executable, "-c", _HOLDING, str(tmp_path), where], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"0\n"
        assert mine.take([0]) is None
        time.sleep(1.5)  # it is renewed
        assert mine.take([0]) is None
        other.kill()
        other.wait()
    taken = mine.take([0])
    assert (taken is None) == (where == "another-machine"), "here it is taken over at once"
    while taken is None:
        time.sleep(0.05)
        taken = mine.take([0])
    with taken[1]:
        assert leases.Leases(tmp_path).take([0]) is None
    assert list((tmp_path / leases.LEASES).iterdir()) == []


def test_a_lease_is_given_back_after_an_error(tmp_path: Path) -> None:
    (tmp_path / leases.LEASES).mkdir()
    first, second = leases.Leases(tmp_path), leases.Leases(tmp_path)
    taken = first.take(range(3))
    assert taken is not None
    with pytest.raises(ValueError, match="a fault"), taken[1]:
        other = second.take(range(3))
        assert (taken[0], other and other[0]) == (0, 1)
        raise ValueError("a fault")
    again = second.take(range(3))
    assert again is not None
    assert again[0] == 0


def test_a_part_that_another_worker_has_just_finished_is_not_built_again(
    fast_host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = BuildOptions(_lines(tmp_path / "corpus.jsonl"), tmp_path / "out", "x", part_mb=_PART_MB)
    plan = plan_build(options, fast_host, tmp_path / "plan")
    work_plan(plan.folder, fast_host)
    part, aside = plan.folder / "parts" / "000001", tmp_path / "aside"
    part.rename(aside)
    plain_take = leases.Leases.take

    def take(self: leases.Leases, parts: Iterable[int]) -> Any:
        aside.rename(part)
        return plain_take(self, parts)

    monkeypatch.setattr(leases.Leases, "take", take)
    monkeypatch.setattr(f"{leases.__package__}.parts.PartBuilder.build", lambda *_: pytest.fail("it is built"))
    work_plan(plan.folder, fast_host)
    assert {int(built.name) for built in (plan.folder / "parts").iterdir()} == set(range(len(plan.parts)))
    assert list((plan.folder / leases.LEASES).iterdir()) == []


def _packed(tmp_path: Path) -> dict[str, Path]:
    pages = [page(at, f"Title {at}", _text(at)) for at in range(_ARTICLES)]
    found = {"streams": multistream(tmp_path / "a.xml.bz2", pages), "plain": plain(tmp_path / "b.xml", pages)}
    raw = found["plain"].read_bytes()
    found["lines"] = _lines(tmp_path / "c.jsonl")
    for name, content in (("one.xml.bz2", bz2.compress(raw)), ("d.xml.gz", gzip.compress(raw))):
        found[name] = tmp_path / name
        found[name].write_bytes(content)
    found["lines.gz"] = tmp_path / "e.jsonl.gz"
    found["lines.gz"].write_bytes(gzip.compress(found["lines"].read_bytes()))
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    records = pa.Table.from_pylist([json.loads(line) for line in found["lines"].read_text().splitlines()])
    for name, rows in (("groups", 4), ("one group", 1000)):
        found[name] = tmp_path / f"{name}.parquet"
        pq.write_table(records, found[name], row_group_size=rows)
    return found


@pytest.mark.parametrize(
    "name", ["streams", "plain", "one.xml.bz2", "d.xml.gz", "lines", "lines.gz", "groups", "one group"]
)
def test_the_spans_of_a_source_are_the_source(tmp_path: Path, name: str) -> None:
    path, beside = _packed(tmp_path)[name], tmp_path / "beside"
    whole = [one.id for one in open_source(path).pages()]
    spans = list(open_source(path, beside=beside).spans(200 if name.endswith(("bz2", "xml.gz")) else 1500))
    assert len(spans) > 3
    assert beside.exists() == (name in {"one.xml.bz2", "d.xml.gz", "lines.gz"})
    found: list[str] = []
    for span in spans:
        found += [one.id for one in open_source(path, beside=beside).pages(span)]
    assert found == whole == [str(number) for number in range(_ARTICLES)]


def test_a_line_that_is_no_json_is_named_in_any_part(fast_host: Host, tmp_path: Path) -> None:
    source = _lines(tmp_path / "corpus.jsonl")
    lines = source.read_text("utf-8").splitlines(keepends=True)
    source.write_text("".join([*lines[:20], "fault\n", *lines[20:]]), "utf-8")
    with pytest.raises(SourceError, match=r"corpus\.jsonl:21.*part \d+ of \d+"):
        build_shard(BuildOptions(source, tmp_path / "out", "x", part_mb=_PART_MB), fast_host)


def test_an_id_of_an_earlier_part_and_the_limit(fast_host: Host, tmp_path: Path) -> None:
    names = [str(number) for number in range(_ARTICLES)]
    names[20] = names[21] = "1"
    source = _lines(tmp_path / "corpus.jsonl", names)

    def built(**chosen: Any) -> Any:
        return build_shard(BuildOptions(source, tmp_path / "out", "x", part_mb=_PART_MB, **chosen), fast_host)

    report = built()
    assert _ids(report) == [f"{name}#0" for number, name in enumerate(names) if number not in (20, 21)]
    assert report.left_out == {"with an id that stands twice": 2}
    limited = built(limit=7)
    assert _ids(limited) == [f"{number}#0" for number in range(7)]
    assert (limited.articles, limited.left_out) == (7, {})
    assert verify_shards(tmp_path / "out") == []


def test_a_name_that_is_no_text_is_reported(fast_host: Host, tmp_path: Path) -> None:
    source = _lines(tmp_path / os.fsdecode(b"caf\xe9.jsonl"))
    for options in (
        BuildOptions(source, tmp_path / "out", "x"),
        BuildOptions(_lines(tmp_path / "corpus.jsonl"), tmp_path / "out", "x", match="\udce9"),
        BuildOptions(_lines(tmp_path / "corpus.jsonl"), tmp_path / os.fsdecode(b"\xe9"), "x"),
    ):
        with pytest.raises(BadRequest, match="is not UTF-8"):
            build_shard(options, fast_host)


def test_what_a_plan_cannot_be_is_reported(fast_host: Host, tmp_path: Path) -> None:
    source, plan = _lines(tmp_path / "corpus.jsonl"), tmp_path / "plan"
    options = BuildOptions(source, tmp_path / "out", "x", part_mb=_PART_MB)
    for call in (work_plan, merge_plan):
        with pytest.raises(BadRequest, match="holds no plan"):
            call(tmp_path, fast_host)
    with pytest.raises(BadRequest, match="holds other files"):
        plan_build(options, fast_host, tmp_path)
    plan_build(options, fast_host, plan)
    with pytest.raises(BadRequest, match="begun with another part_mb"):
        plan_build(BuildOptions(source, tmp_path / "out", "x", part_mb=1), fast_host, plan)
    earlier = tmp_path / "earlier"
    shutil.copytree(plan, earlier)
    for name in ("plan.json", "purpose.json"):  # of a version whose parts had other files
        text = (earlier / name).read_text("utf-8")
        (earlier / name).write_text(re.sub(r'("parts_version": ?)2', r"\g<1>1", text), "utf-8")
    with pytest.raises(BadRequest, match="begun with another parts_version"):
        plan_build(options, fast_host, earlier)
    with pytest.raises(BadRequest, match="made with another parts_version"):
        work_plan(earlier, fast_host)
    with pytest.raises(BadRequest, match=r"parts are not built yet.*ragstone wiki work"):
        merge_plan(plan, fast_host)
    work_plan(plan, fast_host)
    shutil.rmtree(plan / "parts" / "000002")
    with pytest.raises(BadRequest, match=r"1 of .* the first is 3"):
        merge_plan(plan, fast_host)
    work_plan(plan, fast_host)
    lines = plan / "parts" / "000003" / "metadata.jsonl"
    lines.write_bytes(lines.read_bytes().replace(b"Robot", b"Rabot"))
    with pytest.raises(StorageError, match=r"part 4 is damaged: metadata\.jsonl has another SHA-256"):
        merge_plan(plan, fast_host)
    _lines(source, [f"other {number}" for number in range(_ARTICLES)])
    for call in (work_plan, merge_plan):
        with pytest.raises(BadRequest, match="made with another source"):
            call(plan, fast_host)


@pytest.mark.parametrize(
    "edit",
    [
        lambda parts: parts.pop(0),
        lambda parts: parts[0].update(number=7),
        lambda parts: parts[0].update(file=7),
        lambda parts: parts[1].update(stop=10**30),
        lambda parts: parts[1].update(start=-5),
    ],
)
def test_a_plan_that_was_edited_is_refused(fast_host: Host, tmp_path: Path, edit: Callable[[Any], object]) -> None:
    plan = tmp_path / "plan"
    plan_build(BuildOptions(_lines(tmp_path / "a.jsonl"), tmp_path / "out", "x", part_mb=_PART_MB), fast_host, plan)
    known = json.loads((plan / "plan.json").read_bytes())
    edit(known["parts"])
    (plan / "plan.json").write_text(json.dumps(known), "utf-8")
    with pytest.raises(StorageError, match="the plan is damaged"):
        work_plan(plan, fast_host)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    source, plan = _lines(tmp_path / "my corpus.jsonl"), tmp_path / "plan"

    def run(*arguments: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as ended:
            main(["wiki", *arguments])
        output = capsys.readouterr()
        return ended.value.code, output.out + output.err

    assert run("work", str(plan))[0] == 2
    code, output = run("plan", str(source), "--out", str(plan), "--first", "3")
    assert (code, "need each other" in output) == (2, True)
    code, output = run("work", str(tmp_path / "my corpus.jsonl"))
    assert (code, "is no folder" in output) == (2, True)
    monkeypatch.setattr("ragstone.core.errors.find_spec", lambda _: None)
    code, output = run("work", str(plan), "--ray", "local")
    assert "pip install 'ragstone[ray]'" in output


@pytest.mark.slow
def test_articles_beyond_the_first_are_found_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, counts = _lines(tmp_path / "corpus.jsonl"), tmp_path / "views.txt"
    counts.write_text("T_3 100\nT 4\t900\nNobody 5000\nT 5 1\n\nT 6 100\n", "utf-8")
    options = BuildOptions(source, tmp_path / "wiki", "x", part_mb=_PART_MB, first=3, counts=counts)
    embedded: list[list[str]] = []
    plain_method = Encoder.embed_texts

    def counted(self: Encoder, texts: list[str]) -> Any:
        embedded.append(list(texts))
        return plain_method(self, texts)

    monkeypatch.setattr(Encoder, "embed_texts", counted)
    with open_host(tmp_path / "host", options={"wiki_edge": {"wiki": str(tmp_path / "wiki")}}) as host:
        report = build_shard(options, host)
        assert (report.articles, report.chunks, report.rest) == (_ARTICLES, 2, _ARTICLES - 2)
        assert _ids(report) == ["3#0", "4#0"]
        assert report.entry.size == 2
        assert verify_shards(tmp_path / "wiki") == []
        plan = tmp_path / "plan"
        plan_build(options, host, plan)
        work_plan(plan, host)
        assert _sums(merge_plan(plan, host, tmp_path / "other")) == _sums(report)
        embedded.clear()
        searcher = searcher_of(host)
        hits = searcher.search("Who carries box17?", k=3)
        assert hits[0]["metadata"]["id"] == "17#0"
        assert hits[0]["cosine"] is not None
        assert any("box17" in text for texts in embedded for text in texts)
        assert max(map(len, embedded)) <= 8
        embedded.clear()
        assert searcher.search("Who carries box17?", k=3) == hits
        assert searcher.chunk(f"x:{hits[0]['metadata']['id']}").text == _text(17)
        vector = host.hooks.encoder.embed_query("box17")
        assert {hit["metadata"]["id"] for hit in searcher.nearest(vector, k=5)} == {"3#0", "4#0"}
        while searcher.search("Who carries box17?", k=3) and embedded:  # until all that it finds have vectors
            embedded.clear()
        for path in (report.folder / "rest.jsonl", report.folder / "rest-terms.npy"):
            path.write_bytes(path.read_bytes()[:-1])
        assert {fault.file for fault in verify_shards(tmp_path / "wiki")} == {"x/rest.jsonl", "x/rest-terms.npy"}


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("A 1\nB\n", "views.txt:2"), ("A 1\n 7\n", "no title and count")]
)
def test_a_list_of_counts_that_is_none(fast_host: Host, tmp_path: Path, text: str, message: str) -> None:
    def build(**lists: Any) -> None:
        build_shard(BuildOptions(_lines(tmp_path / "corpus.jsonl"), tmp_path / "out", "x", **lists), fast_host)

    with pytest.raises(NotFound):
        build(first=3, counts=tmp_path / "views.txt")
    for endless in ({"first": 3, "counts": Path("/dev/zero")}, {"titles": Path("/dev/zero")}):
        with pytest.raises(SourceError, match="is not a file"):
            build(**endless)
    (tmp_path / "views.txt").write_text(text, "utf-8")
    with pytest.raises(BadRequest, match=message):
        build(first=3, counts=tmp_path / "views.txt")


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What works on Ray, whose processes find the tests' modules: they are given functions of these by name."""
    needed("ray")
    paths = [str(Path(__file__).parents[5]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    from ragstone.plugins.wiki_edge.shards.building import ray_work

    return ray_work


@pytest.mark.slow
def test_ray_gives_the_same_bytes(ray: ModuleType, tmp_path: Path) -> None:
    from faults.part_kills import open_small

    source, plan = _lines(tmp_path / "corpus.jsonl"), tmp_path / "plan"
    options = BuildOptions(source, tmp_path / "out", "x", part_mb=_PART_MB)
    host = open_small(tmp_path, is_real=False)
    try:
        whole = build_shard(options, host)
        plan_build(options, host, plan)
        report = ray.work_on_ray(plan, ray.RayOptions("local", partial(open_small, tmp_path, is_real=False)), host)
        assert (report.failures.total(), report.restarts) == (0, 0)
        assert _sums(merge_plan(plan, host)) == _sums(whole)
    finally:
        host.close()


def _dies() -> Host:
    os._exit(1)


def _hangs() -> Host:
    time.sleep(HANG)
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("open_host", [_dies, _hangs])
def test_ray_names_the_part_that_fails_again_and_again(
    ray: ModuleType, open_host: Callable[[], Host], tmp_path: Path
) -> None:
    from faults.part_kills import open_small

    plan = tmp_path / "plan"
    with closing(open_small(tmp_path, is_real=False)) as host:
        options = BuildOptions(_lines(tmp_path / "corpus.jsonl"), tmp_path / "out", "x", part_mb=_PART_MB)
        plan_build(options, host, plan)
        with pytest.raises(ray.RayFailed, match=rf"part \d+ of \d+ .*failed {ray.MOST_FAILURES} times") as failed:
            ray.work_on_ray(plan, ray.RayOptions("local", open_host, seconds=3.0), host)
    assert "ragstone wiki work" in (failed.value.hint or "")
    assert not [*(plan / "parts").iterdir()]

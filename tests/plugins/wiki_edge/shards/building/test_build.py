"""Building: the shard as the specification has it, resumed after kills, refused with words."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from ragstone.core import (
    BadRequest,
    Encoder,
    EncoderError,
    Host,
    MissingExtra,
    SourceError,
    StorageBusy,
    StorageError,
    StorageFull,
    hookimpl,
)
from ragstone.core.cli import main
from ragstone.core.runtime import OwnedFolders
from ragstone.core.testing import open_host
from ragstone.plugins.wiki_edge import BuildOptions, Manifest, ShardEntry, build_shard, verify_shards
from ragstone.plugins.wiki_edge.readers import article_reader
from ragstone.plugins.wiki_edge.readers.sources import open_source
from ragstone.plugins.wiki_edge.shards.building import work_folder
from tests.plugins.wiki_edge.readers.dumps import multistream, page, plain
from tests.support.commands import run
from tests.support.needs import needed
from tests.support.patience import HANG, until

from .killed import PART_MB

needed("mwparserfromhell")

_REPOSITORY = Path(__file__).parents[5]


def words(number: int, count: int) -> str:
    return " ".join(f"This is sentence {at} of article {number} about robots." for at in range(count // 9))


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    texts = [words(number, 100 + number * 120 % 2000) for number in range(60)]
    return multistream(tmp_path / "dump.xml.bz2", [page(at, f"Title {at}", text) for at, text in enumerate(texts)])


def rows_of(report: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (report.folder / "metadata.jsonl").read_text("utf-8").splitlines()]


def test_a_shard_is_as_the_specification_says(fast_host: Host, tmp_path: Path, dump: Path) -> None:
    order = BuildOptions(dump, tmp_path / "out", "wiki-simple-v1", domain="household")
    report = build_shard(order, fast_host)
    assert report.folder == tmp_path / "out" / "wiki-simple-v1"
    assert report.articles == 60
    entry = Manifest.read(tmp_path / "out" / "manifest.json").shard("wiki-simple-v1")
    assert entry == report.entry
    assert entry is not None
    assert (entry.kind, entry.dim, entry.size, entry.revision) == ("wiki", 256, report.chunks, 1)
    assert (entry.license, entry.language, entry.domain) == ("CC-BY-SA-4.0", "en", "household")
    assert entry.encoder is not None
    assert entry.encoder.fingerprint == fast_host.hooks.encoder.family
    assert entry.source is not None
    assert entry.source.name == "dump.xml.bz2"
    vectors = np.load(report.folder / "embeddings.npy", mmap_mode="r")
    assert vectors.shape == (report.chunks, 256)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5
    rows = rows_of(report)
    assert len({row["id"] for row in rows}) == len(rows) == report.chunks
    assert list(rows[0]) == ["id", "title", "url", "text", "license", "domain", "revision"]
    assert rows[0] | {"text": ""} == {
        "id": "0#0",
        "title": "Title 0",
        "url": "https://en.wikipedia.org/wiki/Title_0",
        "text": "",
        "license": "CC-BY-SA-4.0",
        "domain": "household",
        "revision": "7",
    }
    expected = fast_host.hooks.encoder.embed_texts([f"{row['title']}\n{row['text']}" for row in rows])
    assert np.allclose(vectors, expected, atol=1e-6)
    assert verify_shards(tmp_path / "out") == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".r")) == [
        "manifest.json",
        "wiki-simple-v1",
    ]


def test_another_shard_joins_the_manifest_and_a_new_build_is_the_next_revision(
    fast_host: Host, tmp_path: Path, dump: Path
) -> None:
    out = tmp_path / "out"
    for shard_id in ("a", "b", "a", "a"):
        report = build_shard(BuildOptions(dump, out, shard_id, limit=3), fast_host)
    manifest = Manifest.read(out / "manifest.json")
    assert [(entry.id, entry.revision) for entry in manifest.shards] == [("a", 3), ("b", 1)]
    assert report.folder.name == "a@3"
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == ["a@2", "a@3", "b"]
    assert verify_shards(out) == []


def test_articles_are_chosen(fast_host: Host, tmp_path: Path, dump: Path) -> None:
    titles = tmp_path / "titles.txt"
    titles.write_text("Title_7\nTitle 8\n  Title 17 \nNobody\n", "utf-8")

    def built(**chosen: Any) -> list[str]:
        report = build_shard(BuildOptions(dump, tmp_path / "out", "chosen", **chosen), fast_host)
        return list(dict.fromkeys(row["title"] for row in rows_of(report)))

    assert built(titles=titles) == ["Title 7", "Title 8", "Title 17"]
    assert built(match=r"e 1\d$") == [f"Title {number}" for number in range(10, 20)]
    assert built(match="7", titles=titles, limit=1) == ["Title 7"]
    with pytest.raises(SourceError, match="no article"):
        built(match="Nothing of the kind")
    assert not list((tmp_path / "out").glob(".building*"))


def test_what_is_left_out_is_counted(fast_host: Host, tmp_path: Path) -> None:
    pages = [page(1, "A", "Text."), page(1, "B", "Other text."), page(3, "C", "{{stub}}"), page(4, "D", "More text.")]
    report = build_shard(BuildOptions(plain(tmp_path / "dump.xml", pages), tmp_path / "out", "x"), fast_host)
    assert [row["id"] for row in rows_of(report)] == ["1#0", "4#0"]
    assert report.left_out == {"with an id that stands twice": 1, "without text": 1}


@pytest.mark.slow
def test_kill_9_costs_a_part_at_most(fast_host: Host, tmp_path: Path, dump: Path) -> None:
    whole = build_shard(BuildOptions(dump, tmp_path / "whole", "killed", language="en", part_mb=PART_MB), fast_host)
    chunks = Counter(row["id"].partition("#")[0] for row in rows_of(whole))
    largest = 3 * max(chunks.values())
    out, log = tmp_path / "out", tmp_path / "log"
    command = [sys.executable, "-m", "tests.plugins.wiki_edge.shards.building.killed", str(dump), str(out), str(log)]
    chance, kills, done = random.Random(3), 0, False
    while not done:
        with subprocess.Popen(command, cwd=_REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            if kills < 5:
                before = _batches(log)
                while process.poll() is None and _batches(log) <= before + chance.randrange(3):
                    time.sleep(0.005)
                time.sleep(chance.random() * 0.05)
                process.kill()
                kills += 1
                process.wait()
            done = process.stdout.read() == "done\n"
    assert kills == 5
    for name in ("metadata.jsonl", "embeddings.npy"):
        assert (out / "killed" / name).read_bytes() == (whole.folder / name).read_bytes()
    assert verify_shards(out) == []
    embedded = sum(map(int, log.read_text().split()))
    assert whole.chunks <= embedded <= whole.chunks + kills * largest
    assert not list(out.glob(".building*"))


def _batches(log: Path) -> int:
    return len(log.read_text().split()) if log.exists() else 0


class Stopped(Exception):
    """Stands for the end of the process."""


def test_a_stop_before_and_after_each_last_step(
    fast_host: Host, tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = BuildOptions(dump, tmp_path / "out", "x", limit=5)
    embedded: list[int] = []
    _ = fast_host.hooks.encoder  # which is tried when it is made
    plain_method = Encoder.embed_texts

    def counted(self: Encoder, texts: list[str]) -> Any:
        embedded.append(len(texts))
        return plain_method(self, texts)

    monkeypatch.setattr(Encoder, "embed_texts", counted)

    def stop(*_: Any, **__: Any) -> Any:
        raise Stopped

    for place, name in (
        (work_folder, "make_side_files"),
        (work_folder, "sums_in"),
        (ShardEntry, "as_json"),
        (Path, "rename"),
        (work_folder, "sync_folder"),
        (Manifest, "write"),
        (work_folder, "_remove_old"),
        (OwnedFolders, "remove"),
    ):
        with monkeypatch.context() as patch, pytest.raises(Stopped):
            patch.setattr(place, name, stop)
            build_shard(order, fast_host)
    report = build_shard(order, fast_host)
    assert sum(embedded) == report.chunks == report.resumed
    assert verify_shards(tmp_path / "out") == []
    assert report.entry.revision == 1


def test_other_options_are_refused_until_restart(
    fast_host: Host, tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = BuildOptions(dump, tmp_path / "out", "x", limit=30, part_mb=PART_MB)
    _broken_off(order, fast_host, monkeypatch, after=2)
    with pytest.raises(BadRequest, match="begun with another domain, limit") as error:
        build_shard(BuildOptions(dump, tmp_path / "out", "x", limit=31, domain="home", part_mb=PART_MB), fast_host)
    assert "--restart" in str(error.value)
    report = build_shard(BuildOptions(dump, tmp_path / "out", "x", limit=31), fast_host, restart=True)
    assert (report.articles, report.resumed) == (31, 0)


def test_a_changed_source_is_another_source(
    fast_host: Host, tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = BuildOptions(dump, tmp_path / "out", "x", part_mb=PART_MB)
    _broken_off(order, fast_host, monkeypatch, after=1)
    multistream(dump, [page(at, f"Title {at}", "Other.") for at in range(9)])
    with pytest.raises(BadRequest, match="another source"):
        build_shard(order, fast_host)


@pytest.mark.slow
def test_damaged_part_files_are_seen(
    fast_host: Host, tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = BuildOptions(dump, tmp_path / "out", "x", part_mb=PART_MB)
    _broken_off(order, fast_host, monkeypatch, after=2)
    part = tmp_path / "out" / ".building-x" / "parts" / "000001"
    os.truncate(part / "embeddings.npy", 128 + 10)  # ten bytes behind the header
    with pytest.raises(StorageError, match=r"part 2 is damaged.*--restart"):
        build_shard(order, fast_host)
    (part / "part.json").write_bytes((part / "part.json").read_bytes()[:50])
    with pytest.raises(StorageError, match=r"its record cannot be read.*--restart"):
        build_shard(order, fast_host)
    shutil.rmtree(part)
    assert build_shard(order, fast_host).articles == 60
    assert verify_shards(tmp_path / "out") == []
    _broken_off(order, fast_host, monkeypatch, after=1)
    plan = tmp_path / "out" / ".building-x" / "plan.json"
    plan.write_bytes(plan.read_bytes()[:50])
    with pytest.raises(StorageError, match="the plan is damaged"):
        build_shard(order, fast_host)
    assert build_shard(order, fast_host, restart=True).articles == 60


def test_an_unfinished_build_of_an_earlier_version_is_not_thrown_away(
    fast_host: Host, tmp_path: Path, dump: Path
) -> None:
    work = work_folder.work_folders(tmp_path / "out").make(".building-x")
    (work / "journal.jsonl").write_text('{"options": {"source": []}}\n{"rows": 3}\n')
    order = BuildOptions(dump, tmp_path / "out", "x", limit=1)
    with pytest.raises(BadRequest, match=r"earlier version.*--restart"):
        build_shard(order, fast_host)
    assert (work / "journal.jsonl").exists()
    assert build_shard(order, fast_host, restart=True).articles == 1


def _broken_off(order: BuildOptions, host: Host, monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Let the encoder fail after so many batches."""
    _ = host.hooks.encoder  # which is tried when it is made
    plain_method = Encoder.embed_texts
    left = [after]

    def failing(self: Encoder, texts: list[str]) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise EncoderError("no more")
        return plain_method(self, texts)

    with monkeypatch.context() as patch, pytest.raises(EncoderError):
        patch.setattr(Encoder, "embed_texts", failing)
        build_shard(order, host)


@pytest.mark.slow
def test_a_full_disk_stops_the_build_and_later_it_goes_on(
    fast_host: Host, tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [25]
    sync = os.fsync

    def full(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    order = BuildOptions(dump, tmp_path / "out", "x", part_mb=PART_MB)
    with monkeypatch.context() as patch, pytest.raises(StorageFull, match="goes on where it was"):
        patch.setattr(os, "fsync", full)
        build_shard(order, fast_host)
    assert not (tmp_path / "out" / "manifest.json").exists()
    report = build_shard(order, fast_host)
    assert 3 <= report.resumed < report.chunks
    assert verify_shards(tmp_path / "out") == []


@pytest.mark.parametrize(
    ("name", "raw", "module", "extra"),
    [
        ("a.xml", b"<mediawiki/>", "mwparserfromhell", "dump"),
        ("a.zim", b"ZIM\x04", "lxml", "zim"),
        ("a.parquet", b"PAR1", "pyarrow", "parquet"),
    ],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, raw: bytes, module: str, extra: str
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("ragstone.core.errors.find_spec", lambda asked: None if asked == module else found(asked))
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(MissingExtra, match=re.escape(f"pip install 'ragstone[{extra}]'")):
        open_source(tmp_path / name)
    result = {"kind": "MissingExtra", "extra": extra, "missing": [module]}
    assert "pip install" in str(article_reader._error(result))


def test_what_a_killed_build_has_half_written_goes_with_its_folder(fast_host: Host, tmp_path: Path, dump: Path) -> None:
    work = work_folder.work_folders(tmp_path / "out").make(".building-x")
    (work / ".ragstone-finished.json-0123456789abcdef").write_bytes(b"{")
    build_shard(BuildOptions(dump, tmp_path / "out", "x", limit=1), fast_host)
    assert not work.exists()


def test_two_builds_of_one_shard_do_not_meet(fast_host: Host, tmp_path: Path, dump: Path) -> None:
    work = work_folder.work_folders(tmp_path / "out").make(".building-x")
    with FileLock(work / "lock"), pytest.raises(StorageBusy, match="another process"):
        build_shard(BuildOptions(dump, tmp_path / "out", "x"), fast_host)


@pytest.mark.slow
def test_a_page_that_ends_the_parser_costs_that_page(
    fast_host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages' process is another one, so it is made to fail by what it reads."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys\n"
        "if any('readers.worker' in part for part in sys.orig_argv):\n"
        "    import mwparserfromhell, os, time\n"
        "    parse = mwparserfromhell.parse\n"
        "    def faulty(text, **named):\n"
        "        if 'KILL' in text: os.kill(os.getpid(), 9)\n"
        "        if 'HANG' in text: time.sleep(600)\n"
        "        return parse(text, **named)\n"
        "    mwparserfromhell.parse = faulty\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(article_reader, "SILENCE", 10.0)
    output = {3: "KILL", 5: "HANG"}
    pages = [page(at, f"T {at}", f"Text {output.get(at, '')} of {at}.") for at in range(8)]
    report = build_shard(BuildOptions(plain(tmp_path / "dump.xml", pages), tmp_path / "out", "x"), fast_host)
    assert [row["id"] for row in rows_of(report)] == [f"{at}#0" for at in (0, 1, 2, 4, 6, 7)]
    assert report.left_out == {"on which the parser failed": 2}


def test_a_pattern_that_never_ends_is_given_up(
    fast_host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(article_reader, "SILENCE", 2.0)
    pages = [page(1, "Short", "Text."), page(2, "a" * 60 + "!", "Text.")]
    with pytest.raises(SourceError, match="silent for 2 s"):
        build_shard(
            BuildOptions(plain(tmp_path / "dump.xml", pages), tmp_path / "out", "x", match="(a+)+$|Short"), fast_host
        )


@pytest.mark.slow
def test_seeking_may_take_long(fast_host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where reading goes on in the middle of a dump of one stream, the next page may be an hour away."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys\n"
        "if any('readers.worker' in part for part in sys.orig_argv):\n"
        "    import pathlib, time\n"
        "    opened = pathlib.Path.open\n"
        "    def slowly(self, *a, **k):\n"
        "        if self.suffix == '.xml': time.sleep(2)\n"
        "        return opened(self, *a, **k)\n"
        "    pathlib.Path.open = slowly\n"
    )
    monkeypatch.syspath_prepend(str(site))
    dump = plain(tmp_path / "dump.xml", [page(1, "A", "Text.")])
    monkeypatch.setattr(article_reader, "SILENCE", 11.0)  # less than the six times that the file is opened
    assert build_shard(BuildOptions(dump, tmp_path / "out", "x"), fast_host).articles == 1


def test_progress_is_honest(fast_host: Host, tmp_path: Path) -> None:
    source = tmp_path / "corpus.jsonl"
    records = [{"_id": str(at), "title": f"T {at}", "text": words(at, 200)} for at in range(100)]
    source.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    result: list[Any] = []
    options = BuildOptions(source, tmp_path / "out", "x", part_mb=0.01)
    report = build_shard(options, fast_host, on_progress=result.append)
    embedding = [one for one in result if one.step == "embedding"]
    assert len({one.share for one in embedding}) == embedding[-1].all_parts + 1 > 8
    for one in embedding:
        assert one.share == pytest.approx(one.articles / 100, abs=0.05)
    assert [one.chunks for one in embedding] == sorted(one.chunks for one in embedding)
    assert (result[-1].articles, result[-1].chunks) == (100, report.chunks)
    assert result[-1].parts == result[-1].all_parts


@pytest.mark.slow
def test_ctrl_c_leaves_no_process_and_goes_on_later(tmp_path: Path, dump: Path) -> None:
    out, log = tmp_path / "out", tmp_path / "log"
    command = [sys.executable, "-m", "tests.plugins.wiki_edge.shards.building.killed", str(dump), str(out), str(log)]
    with subprocess.Popen(
        command, cwd=_REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        until(log.exists)
        process.send_signal(signal.SIGINT)
        process.wait(HANG)
    until(lambda: not _readers(out))
    subprocess.run(command, cwd=_REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    assert verify_shards(out) == []


def _readers(out: Path) -> list[int]:
    """Processes that read for a build into that folder: they hold its list of ids open."""
    psutil = needed("psutil")
    found = []
    for process in psutil.process_iter():
        try:
            if any(str(out) in file.path for file in process.open_files()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
@pytest.mark.data
def test_the_real_encoder_and_the_enwiki_excerpt(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = data / "mediawiki" / "dumps" / "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
    command = ["wiki", "build", str(source), "--out", str(tmp_path / "out"), "--id", "en", "--limit", "2", "--json"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["articles"], output["entry"]["dim"], output["entry"]["language"]) == (2, 384, "en")
    assert output["entry"]["source"]["revision"].isdigit()
    rows = [json.loads(line) for line in (tmp_path / "out" / "en" / "metadata.jsonl").read_text("utf-8").splitlines()]
    assert {row["title"] for row in rows} == {"Anarchism", "Autism"}
    assert rows[1]["url"].startswith("https://en.wikipedia.org/wiki/Anarchism#")
    assert all(row["revision"] for row in rows)
    assert verify_shards(tmp_path / "out") == []


@pytest.mark.data
def test_the_ray_charles_file_becomes_a_shard(data: Path, tmp_path: Path, fast_host: Host) -> None:
    needed("lxml")
    needed("zstandard")
    source = data / "zim" / "wikipedia_en_ray_charles_2015-06.zim"
    report = build_shard(BuildOptions(source, tmp_path / "out", "ray", kind="episodic"), fast_host)
    assert (report.articles, report.entry.license, report.entry.kind) == (84, "CC-BY-SA-3.0", "episodic")
    assert verify_shards(tmp_path / "out") == []


@pytest.mark.data
def test_a_folder_of_files_is_read_in_order(tmp_path: Path, fast_host: Host) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b", "a", "c"):
        record = {"_id": name, "title": name, "text": f"Text of {name}."}
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    (folder / "README.md").write_text("No source.", "utf-8")
    report = build_shard(BuildOptions(folder, tmp_path / "out", "x"), fast_host)
    assert [row["id"] for row in rows_of(report)] == ["a#0", "b#0", "c#0"]
    assert report.entry.license == "unknown"


def test_the_questions_of_a_folder_of_beir_are_no_articles(tmp_path: Path, fast_host: Host) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    for name, text in (("corpus", "Casters roll."), ("queries", "What rolls?")):
        record = {"_id": name, "title": "", "text": text}
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    report = build_shard(BuildOptions(folder, tmp_path / "out", "x"), fast_host)
    assert [row["id"] for row in rows_of(report)] == ["corpus#0"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.bz2", "--id", "x"], "no such file"),
        (["{dump}", "--id", "../x"], "cannot be the name of a folder"),
        (["{dump}", "--id", ".x"], "cannot be the name of a folder"),
        (["{dump}", "--id", "x", "--match", "(a"], "no regular expression"),
        (["{dump}", "--id", "x", "--titles", "nowhere"], "no such list"),
        (["{dump}", "--id", "x", "--license", " "], "--license is empty"),
        (["{odd}", "--id", "x"], "no source of articles that is known"),
        (["{empty}", "--id", "x"], "holds no source"),
    ],
)
def test_what_cannot_be_is_reported(
    tmp_path: Path, dump: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "odd").write_bytes(b"\x7fELF and so on")
    (tmp_path / "empty").mkdir()
    known = {"dump": str(dump), "odd": str(tmp_path / "odd"), "empty": str(tmp_path / "empty")}
    filled = [part.format(**known) if "{" in part else part for part in arguments]
    with pytest.raises(SystemExit) as ended:
        main(["wiki", "build", *filled, "--out", str(tmp_path / "out")])
    assert ended.value.code in (1, 2)
    assert message in capsys.readouterr().err
    assert {path.name for path in tmp_path.glob("out/*")} <= {".ragstone-id"}  # and nothing is left behind


def test_the_report_counts_with_nouns_and_a_file_is_no_folder(
    tmp_path: Path, fast_host: Host, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "corpus.jsonl"
    source.write_text(json.dumps({"_id": "1", "title": "Whisk", "text": "A whisk blends."}) + "\n", "utf-8")
    shown = run(fast_host, "wiki", "build", str(source), "--out", str(tmp_path / "out"), "--id", "x")
    assert ": 1 article, 1 chunk, revision 1." in shown
    with pytest.raises(SystemExit):
        main(["wiki", "build", str(source), "--out", str(source), "--id", "x"])
    assert "is a file" in capsys.readouterr().err


class _NotesReader(BaseReader):
    def lazy_load_data(self, file: Path, **_: Any) -> Iterator[Document]:
        for number, line in enumerate(file.read_text("utf-8").splitlines()):
            if line == "fault":
                raise ValueError("a fault")
            yield Document(text=line, metadata={"title": f"Note {number}", "licence": "CC0", "private": [1]})


class _Notes:
    @hookimpl
    def ragstone_readers(self) -> dict[str, BaseReader]:
        return {".notes": _NotesReader()}


def test_another_plugins_reader_feeds_a_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "robots.notes"
    source.write_text("".join(f"Robot {number} lifts boxes.\n" for number in range(20)), "utf-8")
    options = BuildOptions(source, tmp_path / "out", "notes", match="Note 1", limit=9, part_mb=0.0001)
    with open_host(tmp_path / "host", plugins={"notes": _Notes()}) as host:
        _broken_off(options, host, monkeypatch, after=1)
        report = build_shard(options, host)
        assert (report.articles, report.entry.license) == (9, "unknown")
        assert 0 < report.resumed < 9
        rows = rows_of(report)
        assert [row["title"] for row in rows] == ["Note 1", *(f"Note {number}" for number in range(10, 18))]
        assert list(rows[0].items()) == [
            ("id", "robots.notes:1#0"),
            ("title", "Note 1"),
            ("url", ""),
            ("text", "Robot 1 lifts boxes."),
            ("license", "CC0"),
        ]
        assert verify_shards(tmp_path / "out") == []
        source.write_text("Text.\nfault\n", "utf-8")
        with pytest.raises(SourceError, match=r"robots\.notes: its reader raised ValueError: a fault"):
            build_shard(BuildOptions(source, tmp_path / "out", "other"), host)

"""Archives that would write elsewhere, write too much, or are not whole, are refused; nothing changes anywhere."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.plugins.wiki_edge import ShardError, install_shards, verify_shards
from ragstone.plugins.wiki_edge.shards.staging import Limits, unpack

from .samples import ID, NAME, make


def _info(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, link
    return info


def _tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _file(name: str, content: bytes = b"x") -> bytes:
    return _tar((_info(name, size=len(content)), content))


def _special(kind: bytes, link: str = "") -> bytes:
    return _tar((_info("it", kind, link=link), b""))


def _patched(raw: bytes, at: int, content: bytes) -> bytes:
    """A tar's first header changed, its sum made right again."""
    header = bytearray(raw[:512])
    header[at : at + len(content)] = content
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + raw[512:]


def _pax(size: int, content: bytes) -> bytes:
    """A tar whose extended header claims that size."""
    return _patched(_tar((_info("pax", tarfile.XHDTYPE, size=len(content)), content)), 124, b"%011o\0" % size)


def _zeros(size: int) -> bytes:
    """A gzip of a tar that is nothing but zeros in one file, made in little memory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [packer.compress(_info("zeros", size=size).tobuf())]
    out += [packer.compress(bytes(2**20)) for _ in range(size >> 20)]
    return b"".join([*out, packer.flush()])


GOOD_TAR = _tar(*((_info(name, size=600), bytes(600)) for name in ("a", "b", "c")))
GZIPPED = gzip.compress(GOOD_TAR)


class Case(NamedTuple):
    name: str
    make: Callable[[], bytes]
    reason: str


CASES = [
    Case("tar: ../", lambda: _file("../evil"), "outside the destination"),
    Case("tar: ../ in the middle", lambda: _file("a/../../evil"), "outside the destination"),
    Case("tar: absolute", lambda: _file("/tmp/evil"), "has an absolute name"),
    Case("tar: a backslash", lambda: _file("..\\evil-not"), "holds no manifest"),
    Case("tar: no UTF-8", lambda: _patched(_file("abc"), 0, b"\xff\xfe"), "is damaged"),
    Case("tar: too deep", lambda: _file("/".join("abcdefghij")), "too deep"),
    Case("tar: too long", lambda: _file("x" * 256), "File name too long"),
    Case("tar: a symbolic link", lambda: _special(tarfile.SYMTYPE, "/etc/passwd"), "neither a file nor a folder"),
    Case("tar: a hard link", lambda: _special(tarfile.LNKTYPE, "../x"), "neither a file nor a folder"),
    Case("tar: a device", lambda: _special(tarfile.CHRTYPE), "neither a file nor a folder"),
    Case("tar: a disk", lambda: _special(tarfile.BLKTYPE), "neither a file nor a folder"),
    Case("tar: a pipe", lambda: _special(tarfile.FIFOTYPE), "neither a file nor a folder"),
    Case("tar: a sparse file", lambda: _special(tarfile.GNUTYPE_SPARSE), "neither a file nor a folder"),
    Case("tar: of another kind", lambda: _special(b"Z"), "neither a file nor a folder|holds no manifest"),
    Case(
        "tar: a link, then a file through it",
        lambda: _tar((_info("d", tarfile.SYMTYPE, link="/tmp"), b""), (_info("d/evil", size=1), b"x")),
        "neither a file nor a folder",
    ),
    Case("tar: file and folder", lambda: _tar((_info("a"), b""), (_info("a/b"), b"")), "cannot be unpacked"),
    Case("tar: folder and file", lambda: _tar((_info("a/b"), b""), (_info("a"), b"")), "cannot be unpacked"),
    Case("tar: a size below zero", lambda: _patched(_file("a"), 124, b"\xff" * 12), "too much|damaged"),
    Case("tar: a size of a terabyte", lambda: _patched(_file("a"), 124, b"%011o\0" % 2**32), "unpacks to too much"),
    Case("tar: a header of gigabytes", lambda: _pax(2**32, b"x"), "header claims to be longer than any name|too much"),
    Case("tar: headers without end", lambda: _tar(*[(_info("h", tarfile.XHDTYPE), b"")] * 3000), "is damaged"),
    Case("tar: a sum that is wrong", lambda: GOOD_TAR[:100] + b"!" + GOOD_TAR[101:], "is damaged, or no archive"),
    Case("tar: cut", lambda: GOOD_TAR[:700], "is damaged"),
    Case("tar: too many members", lambda: _tar(*((_info(f"m{n}"), b"") for n in range(60))), "is one more than 50"),
    Case("tar.gz: a bomb", lambda: _zeros(2**27), "unpacks to too much"),
    Case("tar.gz: a bomb after its end", lambda: gzip.compress(GOOD_TAR + bytes(2**25)), "unpacks to too much"),
    Case("tar.gz: cut", lambda: GZIPPED[:-12], "is damaged"),
    Case("tar.gz: its sum is wrong", lambda: GZIPPED[:-8] + bytes(8), "CRC check failed"),
    Case("tar.gz: changed", lambda: GZIPPED[:40] + b"\xff\xff\xff" + GZIPPED[43:], "damaged|CRC"),
    Case("tar.xz", lambda: b"\xfd7zXZ\x00 and so on", "is damaged, or no archive"),
    Case("a zip", lambda: b"PK\x03\x04 and so on", r"a tar or a tar\.gz can be installed"),
    Case("a text", lambda: b"This is no archive.", "is damaged, or no archive"),
    Case("nothing", lambda: b"", "is damaged, or no archive"),
    Case("tar: no manifest", lambda: GOOD_TAR, "holds no manifest.json at its top"),
    Case("tar: two manifests", lambda: _tar((_info(f"a/{NAME}"), b""), (_info(f"b/{NAME}"), b"")), "holds 2 manifests"),
]  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_a_hostile_archive_changes_nothing(case: Case, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    archive, root = home / "archive", home / "root"
    archive.write_bytes(case.make())
    with pytest.raises(ShardError) as error:
        install_shards(archive, root, limits=Limits(members=50))
    assert re.search(case.reason, str(error.value))
    assert str(archive) in str(error.value)
    assert sorted(path.name for path in root.iterdir()) == [".ragstone-id", ".ragstone-lock"]
    assert sorted(path.name for path in home.iterdir()) == ["archive", "root"]
    assert "home" in [path.name for path in tmp_path.iterdir()]
    assert not any("evil" in path.name for path in tmp_path.rglob("*"))


def test_no_regular_file_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ShardError, match="is not a regular file"):
        install_shards(tmp_path / "pipe", tmp_path / "root")


def test_a_bomb_is_stopped_before_it_fills_the_disk(tmp_path: Path) -> None:
    archive, folder = tmp_path / "archive", tmp_path / "out"
    archive.write_bytes(_patched(gzip.decompress(_zeros(2**25)), 124, b"%011o\0" % 2**20)[: 2**21])
    folder.mkdir()
    with pytest.raises(ShardError):
        unpack(archive, folder, Limits(bytes=2**19))
    assert sum(path.stat().st_size for path in folder.rglob("*")) <= 2**19


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Good archives of one small shard."""
    folder = make(tmp_path_factory.mktemp("packed") / "shards", rows=2, dim=4)
    return {
        suffix: Path(shutil.make_archive(str(folder.parent / "archive"), suffix, folder)).read_bytes()
        for suffix in ("tar", "gztar")
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_archive_is_refused_or_whole(
    packed: dict[str, bytes], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("changed")
    raw = bytearray(packed[data.draw(st.sampled_from(sorted(packed)))])
    for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), max_size=4)):
        raw[at] = byte
    (folder / "archive").write_bytes(raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))])
    try:
        install_shards(folder / "archive", folder / "root")
    except ShardError as error:
        assert str(folder / "archive") in str(error) or NAME in str(error)
    else:
        assert verify_shards(folder / "root") == []
    assert sorted(path.name for path in folder.iterdir()) == ["archive", "root"]


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz"])
@pytest.mark.parametrize("prefix", ["", "release/"], ids=["at the top", "in a folder"])
def test_good_archives_are_installed(tmp_path: Path, suffix: str, prefix: str) -> None:
    folder, archive = make(tmp_path / "new"), tmp_path / f"archive{suffix}"
    with tarfile.open(archive, "w:gz" if suffix.endswith("gz") else "w") as tar:
        tar.add(folder, prefix or ".")
    assert [(one.id, one.what) for one in install_shards(archive, tmp_path / "root")] == [(ID, "installed")]
    assert verify_shards(tmp_path / "root") == []

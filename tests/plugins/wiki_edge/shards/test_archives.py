"""Archives that would write elsewhere, write too much, or are not whole, are refused; nothing changes anywhere."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import struct
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.plugins.wiki_edge.shards.archives import Limits, unpack
from ragstone.plugins.wiki_edge.shards.errors import ShardError
from ragstone.plugins.wiki_edge.shards.installation import install
from ragstone.plugins.wiki_edge.shards.manifest import NAME
from ragstone.plugins.wiki_edge.shards.verification import verify

from .samples import ID, make

if TYPE_CHECKING:
    from collections.abc import Callable


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


def _zip(*names: str, mode: int = 0, content: bytes = b"x", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            archive.writestr(info, content)
    return buffer.getvalue()


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


def _encrypted() -> bytes:
    raw = bytearray(_zip("it"))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + at] |= 1
    return bytes(raw)


def _overlapping() -> bytes:
    """Many entries of the directory that lead to one and the same member."""
    raw = _zip("a0", content=bytes(range(256)) * 64)
    start, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    entries = b"".join(raw[start:end].replace(b"a0", b"a%d" % number) for number in range(9))
    size, at = len(entries), start
    return raw[:start] + entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, size, at, 0)


GOOD_TAR = _tar(*((_info(name, size=600), bytes(600)) for name in ("a", "b", "c")))
GZIPPED = gzip.compress(GOOD_TAR)


class Case(NamedTuple):
    name: str
    make: Callable[[], bytes]
    reason: str


CASES = [
    Case("tar: ../", lambda: _file("../evil"), "leaves the folder"),
    Case("tar: ../ in the middle", lambda: _file("a/../../evil"), "leaves the folder"),
    Case("tar: absolute", lambda: _file("/tmp/evil"), "is absolute"),
    Case("tar: a backslash", lambda: _file("..\\evil"), "holds a backslash"),
    Case("tar: no printable name", lambda: _file("a\x1b[2Jb"), "not printable"),
    Case("tar: no UTF-8", lambda: _patched(_file("abc"), 0, b"\xff\xfe"), "cannot be unpacked"),
    Case("tar: too deep", lambda: _file("/".join("abcdefghi")), "too long, too deep"),
    Case("tar: too long", lambda: _file("x" * 256), "too long, too deep"),
    Case("tar: ./ alone as a file", lambda: _file("./"), "name"),
    Case("tar: a symbolic link", lambda: _special(tarfile.SYMTYPE, "/etc/passwd"), "is a link to '/etc/passwd'"),
    Case("tar: a hard link", lambda: _special(tarfile.LNKTYPE, "../x"), "is a link to '../x'"),
    Case("tar: a device", lambda: _special(tarfile.CHRTYPE), "is a device"),
    Case("tar: a disk", lambda: _special(tarfile.BLKTYPE), "is a device"),
    Case("tar: a pipe", lambda: _special(tarfile.FIFOTYPE), "is a device"),
    Case("tar: a sparse file", lambda: _special(tarfile.GNUTYPE_SPARSE), "neither file nor folder"),
    Case("tar: of another kind", lambda: _special(b"Z"), "neither file nor folder"),
    Case(
        "tar: a link, then a file through it",
        lambda: _tar((_info("d", tarfile.SYMTYPE, link="/tmp"), b""), (_info("d/evil", size=1), b"x")),
        "is a link",
    ),
    Case("tar: a name twice", lambda: _tar(*[(_info("a", size=1), b"x")] * 2), "'a' stands twice"),
    Case("tar: alike names", lambda: _tar((_info("É", size=1), b"x"), (_info("é", size=1), b"y")), "stands twice"),
    Case("tar: file and folder", lambda: _tar((_info("a"), b""), (_info("a/b"), b"")), "a file and a folder at once"),
    Case("tar: folder and file", lambda: _tar((_info("a/b"), b""), (_info("a"), b"")), "a file and a folder at once"),
    Case("tar: a size below zero", lambda: _patched(_file("a"), 124, b"\xff" * 12), "cannot be unpacked|damaged"),
    Case("tar: a size of a terabyte", lambda: _patched(_file("a"), 124, b"%011o\0" % 2**32), "as only a bomb does"),
    Case("tar: a header of gigabytes", lambda: _pax(2**32, b"x"), "header is longer than any name"),
    Case("tar: headers without end", lambda: _tar(*[(_info("h", tarfile.XHDTYPE), b"")] * 3000), "cannot be|damaged"),
    Case("tar: a sum that is wrong", lambda: GOOD_TAR[:100] + b"!" + GOOD_TAR[101:], "is damaged or no archive"),
    Case("tar: cut", lambda: GOOD_TAR[:700], "'a' is cut off: 412 of 600 bytes are missing"),
    Case("tar: too many members", lambda: _tar(*((_info(f"m{n}"), b"") for n in range(60))), "more than 50 members"),
    Case("tar.gz: a bomb", lambda: _zeros(2**27), "as only a bomb does"),
    Case("tar.gz: zeros without end", lambda: gzip.compress(GOOD_TAR + bytes(2**22)), "more than zeros stands"),
    Case("tar.gz: cut", lambda: GZIPPED[:-12], "is cut off"),
    Case("tar.gz: its sum is wrong", lambda: GZIPPED[:-8] + bytes(8), "is damaged"),
    Case("tar.gz: changed", lambda: GZIPPED[:40] + b"\xff\xff\xff" + GZIPPED[43:], "damaged|cut"),
    Case("tar.xz", lambda: b"\xfd7zXZ\x00 and so on", "compressed by another program"),
    Case("tar.bz2", lambda: b"BZh91AY&SY", "compressed by another program"),
    Case("zip: ../", lambda: _zip("../evil"), "leaves the folder"),
    Case("zip: absolute", lambda: _zip("/evil"), "is absolute"),
    Case("zip: a backslash", lambda: _zip("..\\evil"), "holds a backslash"),
    Case("zip: a zero byte", lambda: _zip("evilxtxt").replace(b"evilxtxt", b"evil\0txt"), "zero byte"),
    Case("zip: a link", lambda: _zip("it", mode=0o120777), "is a link"),
    Case("zip: a device", lambda: _zip("it", mode=0o020666), "neither file nor folder"),
    Case("zip: alike names", lambda: _zip("a/B", "A/b"), "stands twice"),
    Case("zip: encrypted", _encrypted, "is encrypted"),
    Case("zip: bzip2", lambda: _zip("it", method=zipfile.ZIP_BZIP2), "another method than deflate"),
    Case("zip: a bomb", lambda: _zip("it", content=bytes(2**25)), "as only a bomb does"),
    Case("zip: overlapping members", _overlapping, "overlap"),
    Case("zip: cut", lambda: _zip("it")[:-5], "is damaged or no archive"),
    Case("zip: its sum is wrong", lambda: _zip("it").replace(struct.pack("<I", zlib.crc32(b"x")), b"0000"), "damaged"),
    Case("a text", lambda: b"This is no archive.", "is damaged or no archive"),
    Case("nothing", lambda: b"", "is damaged or no archive"),
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
        install(archive, root, limits=Limits(members=50))
    assert re.search(case.reason, str(error.value))
    assert str(archive) in str(error.value)
    assert sorted(path.name for path in root.iterdir()) == [".ragstone-id", ".ragstone-lock"]
    assert sorted(path.name for path in home.iterdir()) == ["archive", "root"]
    assert "home" in [path.name for path in tmp_path.iterdir()]
    assert not any("evil" in path.name for path in tmp_path.rglob("*"))


def test_no_regular_file_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ShardError, match="is not a regular file"):
        install(tmp_path / "pipe", tmp_path / "root")


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
        for suffix in ("tar", "gztar", "zip")
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        install(folder / "archive", folder / "root")
    except ShardError as error:
        assert str(folder / "archive") in str(error) or NAME in str(error)
    else:
        assert verify(folder / "root") == []
    assert sorted(path.name for path in folder.iterdir()) == ["archive", "root"]


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".zip"])
@pytest.mark.parametrize("prefix", ["", "release/"], ids=["at the top", "in a folder"])
def test_good_archives_are_installed(tmp_path: Path, suffix: str, prefix: str) -> None:
    folder, archive = make(tmp_path / "new"), tmp_path / f"archive{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, f"{prefix}{path.relative_to(folder)}")
    else:
        with tarfile.open(archive, "w:gz" if suffix.endswith("gz") else "w") as tar:
            tar.add(folder, prefix or ".")
    assert [(one.id, one.what) for one in install(archive, tmp_path / "root")] == [(ID, "installed")]
    assert verify(tmp_path / "root") == []


def test_zstd_is_read_where_python_knows_it(tmp_path: Path) -> None:
    zstd = pytest.importorskip("compression.zstd", reason="Python knows zstd from 3.14 on")
    archive = tmp_path / "archive.tar.zst"
    archive.write_bytes(zstd.compress(_tar()))
    with pytest.raises(ShardError, match="holds no manifest"):
        install(archive, tmp_path / "root")


def test_zstd_is_refused_with_words_where_python_does_not(tmp_path: Path) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python knows zstd")
    (tmp_path / "archive.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd and so on")
    with pytest.raises(ShardError, match="compressed by zstd"):
        install(tmp_path / "archive.tar.zst", tmp_path / "root")

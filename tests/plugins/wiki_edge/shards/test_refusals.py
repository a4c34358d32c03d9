"""Every damage is named with its file, its line or row and the reason, and what was installed before keeps serving."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from ragstone.plugins.wiki_edge import Manifest, ShardError, install_shards, verify_shards

from .samples import (
    DIM,
    EMBEDDINGS,
    ID,
    METADATA,
    NAME,
    ROWS,
    SIGNATURE,
    edit,
    edit_line,
    edit_object,
    keygen,
    make,
    sign,
    unit_rows,
    with_sums,
)


class Damage(NamedTuple):
    """What is done to a good folder, and what must be said of it."""

    name: str
    do: Callable[[Path], object]
    file: str
    reason: str
    line: int | None = None
    row: int | None = None


def _saved(change: Callable[[NDArray[np.float32]], Any]) -> Callable[[Path], object]:
    return lambda folder: np.save(folder / EMBEDDINGS, change(unit_rows()), allow_pickle=True)


def _row(row: int, values: float | None) -> Callable[[Path], object]:
    """Put the value into the row's first place; without one double the row."""

    def changed(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        rows[row] = rows[row] * 2 if values is None else [values, *rows[row][1:]]
        return rows

    return _saved(changed)


def _header(text: str, version: tuple[int, int] = (1, 0), length: int | None = None) -> Callable[[Path], object]:
    """Real rows below a header of our own."""

    def changed(folder: Path) -> None:
        output = length if length is not None else len(text)
        start = b"\x93NUMPY" + bytes(version) + output.to_bytes(2 if version[0] == 1 else 4, "little")
        (folder / EMBEDDINGS).write_bytes(start + text.encode() + unit_rows().tobytes())

    return changed


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def _zipped(folder: Path) -> None:
    with zipfile.ZipFile(folder / EMBEDDINGS, "w") as archive:
        buffer = io.BytesIO()
        np.save(buffer, unit_rows())
        archive.writestr("rows.npy", buffer.getvalue())


def _replaced(name: str, make_it: Callable[[Path], object]) -> Callable[[Path], object]:
    def changed(folder: Path) -> None:
        (folder / name).unlink()
        make_it(folder / name)

    return changed


def _linked_out(name: str) -> Callable[[Path], object]:
    """The file lies outside, and a link leads to it."""

    def changed(folder: Path) -> None:
        outside = folder.parent / f"outside-{Path(name).name}"
        (folder / name).rename(outside)
        (folder / name).symlink_to(outside)

    return changed


def _linked_folder(folder: Path) -> None:
    (folder / ID).rename(folder.parent / "elsewhere")
    (folder / ID).symlink_to(folder.parent / "elsewhere")


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _entry(**fields: Any) -> Callable[[Path], object]:
    return lambda folder: edit(folder, lambda raw: raw.update(fields))


def _without(field: str) -> Callable[[Path], object]:
    return lambda folder: edit(folder, lambda raw: raw.pop(field))


def _line(line: int, text: str) -> Callable[[Path], object]:
    return lambda folder: edit_line(folder, line, lambda _: text)


def _object(line: int, **fields: Any) -> Callable[[Path], object]:
    return lambda folder: edit_object(folder, line, **fields)


def _summed(then: Callable[[Path], object]) -> Callable[[Path], object]:
    """The damage is done after checksums were taken."""
    return lambda folder: then(with_sums(folder))


def _side(folder: Path) -> Path:
    (folder / ID / "codes.bin").write_bytes(b"codes")
    edit(folder, lambda raw: raw.update(side_files={"codes": "codes.bin"}))
    return with_sums(folder)


def _sided(then: Callable[[Path], object]) -> Callable[[Path], object]:
    return lambda folder: then(_side(folder))


def _signed(then: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    """The entry is changed after it was signed."""

    def changed(folder: Path) -> None:
        keygen(folder.parent / "key.pem")
        sign(folder, folder.parent / "key.pem")
        edit(folder, then)

    return changed


def _resigned(**fields: str) -> Callable[[Path], object]:
    """The signature is changed, or put there for another one."""

    def changed(folder: Path) -> None:
        _signed(lambda _: None)(folder)
        raw = json.loads((folder / SIGNATURE).read_text())
        (folder / SIGNATURE).write_text(json.dumps({**raw, **fields}))

    return changed


def _doubled(raw: bytes, times: int = 2) -> bytes:
    value = json.loads(raw)
    return json.dumps({**value, "shards": value["shards"] * times}).encode()


OTHER_KEY = "z1tug6Z+YOFY3xfoV/4xFgm87vlKUudUoTRxNsRRMlo="
GOOD_LINE = json.dumps({"id": "a", "title": "t", "url": "u", "text": "x", "license": "l"})
E, M = EMBEDDINGS, METADATA

ROWS_DAMAGED = [
    Damage("float16", _saved(lambda rows: rows.astype(np.float16)), E, "holds float16"),
    Damage("float64", _saved(lambda rows: rows.astype(np.float64)), E, "holds float64"),
    Damage("big-endian", _saved(lambda rows: rows.astype(">f4")), E, "holds >f4"),
    Damage("Fortran order", _saved(np.asfortranarray), E, "Fortran order"),
    Damage("objects", _saved(lambda rows: rows.astype(object)), E, "holds object"),
    Damage("a structure", _saved(lambda rows: np.zeros(ROWS, [("a", "<f4")])), E, r"holds \[\('a'"),
    Damage("one axis", _saved(np.ravel), E, "not one of 2 axes"),
    Damage("a row too many", _saved(lambda rows: np.vstack([rows, rows[:1]])), E, f"manifest says size {ROWS}"),
    Damage("a column too few", _saved(lambda rows: rows[:, :-1]), E, f"dim {DIM}"),
    Damage("trailing bytes", _bytes(E, lambda raw: raw + b"\0"), E, "trailing bytes"),
    Damage("truncated", _bytes(E, lambda raw: raw[:-1]), E, "is truncated: it has 1,663 bytes"),
    Damage("truncated in the header", _bytes(E, lambda raw: raw[:40]), E, "is no .npy file: EOF"),
    Damage("truncated in the magic", _bytes(E, lambda raw: raw[:4]), E, "is no .npy file"),
    Damage("empty", _bytes(E, lambda _: b""), E, "is no .npy file: EOF"),
    Damage("a zip", _zipped, E, "is no .npy file"),
    Damage("a text", _bytes(E, lambda _: b"PGN0ZXh0Pg=="), E, "is no .npy file"),
    Damage("an unknown version", _header("{}", (9, 9)), E, "is no .npy file"),
    Damage("a header of gigabytes", _header("{}", (2, 0), 2**31), E, "is no .npy file: EOF"),
    Damage("a header that is code", _header("__import__('os').system('true')"), E, "is no .npy file"),
    Damage("a header too nested", _header("(" * 5000), E, "is no .npy file"),
    Damage(
        "a header with more",
        _header("{'descr': '<f4', 'fortran_order': False, 'shape': (24, 16), 'x': 1}"),
        E,
        "correct keys",
    ),
    Damage(
        "a shape below zero",
        _header("{'descr': '<f4', 'fortran_order': False, 'shape': (-24, -16)}"),
        E,
        "not one of 2 axes",
    ),
    Damage(
        "a shape of truth",
        _header("{'descr': '<f4', 'fortran_order': False, 'shape': (True, 384)}"),
        E,
        "not one of 2 axes",
    ),
    Damage("NaN", _row(7, np.nan), E, "holds a NaN or infinity", row=7),
    Damage("infinity", _row(0, np.inf), E, "holds a NaN or infinity", row=0),
    Damage("too long a row", _row(ROWS - 1, None), E, "has the length 2, not 1", row=ROWS - 1),
    Damage("a row of zeros", _saved(lambda rows: rows * (np.arange(ROWS) != 5)[:, None]), E, "length 0, not 1", row=5),
    Damage("missing", _replaced(E, lambda path: None), E, "is missing"),
    Damage("a folder", _replaced(E, Path.mkdir), E, "is not a regular file"),
    Damage("a pipe", _replaced(E, os.mkfifo), E, "is not a regular file"),
]
LINES_DAMAGED = [
    Damage("one bad line", _line(9, '{"id": "a'), M, "is not JSON: .* at character", line=9),
    Damage("a blank line", _line(2, ""), M, "is blank", line=2),
    Damage("a list", _line(1, '["a"]'), M, "is not a JSON object", line=1),
    Damage("a number", _line(1, "1"), M, "is not a JSON object", line=1),
    *(
        Damage(f"without {name}", _object(3, **{name: None}), M, f"has no '{name}'", line=3)
        for name in ("id", "title", "url", "text", "license")
    ),
    *(
        Damage(f"{name} is no string", _object(4, **{name: 4}), M, f"its '{name}' is not a string", line=4)
        for name in ("id", "title", "url", "text", "license", "domain")
    ),
    Damage("an empty id", _object(5, id=""), M, "its 'id' is empty", line=5),
    Damage("an id twice", _object(20, id=f"{ID}-2"), M, "its id is that of line 3 already", line=20),
    Damage(
        "a line too few", _bytes(M, lambda raw: raw[: raw.rindex(b"\n", 0, -1) + 1]), M, "has 23 lines, but .* size 24"
    ),
    Damage("a line too many", _bytes(M, lambda raw: raw + GOOD_LINE.encode()), M, "has 25 lines, but .* size 24"),
    Damage(
        "two lines in one", _bytes(M, lambda raw: raw.replace(b"}\n{", b"} {", 1)), M, "is not JSON: Extra data", line=1
    ),
    Damage("the last line is cut", _bytes(M, lambda raw: raw[:-9]), M, "is not JSON: Unterminated", line=24),
    Damage(
        "not UTF-8",
        _bytes(M, lambda raw: raw.replace(b"Tool 6", b"Tool\xff6")),
        M,
        r"is not UTF-8 at its byte \d+",
        line=7,
    ),
    Damage("half a pair", _line(8, GOOD_LINE.replace('"x"', r'"\ud83d"')), M, "lone surrogate", line=8),
    Damage("a key twice", _line(8, GOOD_LINE[:-1] + ', "id": "b"}'), M, "'id' is there twice", line=8),
    Damage("a NaN that is no JSON", _line(8, GOOD_LINE[:-1] + ', "score": NaN}'), M, "NaN is not JSON", line=8),
    Damage(
        "too long a line", _line(8, GOOD_LINE[:-1] + f', "more": "{"x" * 2**20}"}}'), M, "is longer than 1 MB", line=8
    ),
    Damage("too deep a line", _line(8, GOOD_LINE[:-1] + f', "more": {"[" * 100_000}'), M, "nested too deeply", line=8),
    Damage("missing", _replaced(M, lambda path: None), M, "is missing"),
    Damage("a pipe", _replaced(M, os.mkfifo), M, "is not a regular file"),
]
MANIFEST_DAMAGED = [
    Damage("missing", _replaced(NAME, lambda path: None), NAME, "is missing"),
    Damage("no JSON", _bytes(NAME, lambda raw: b'{\n"version": 1,\n]'), NAME, "is not JSON", line=3),
    Damage("no UTF-8", _bytes(NAME, lambda raw: b"\n\n\xff"), NAME, "is not UTF-8", line=3),
    Damage("too deep", _bytes(NAME, lambda raw: b"[" * 100_000), NAME, "nested too deeply"),
    Damage("too large", _bytes(NAME, lambda raw: raw + b" " * 2**24), NAME, "larger than 16 MB"),
    Damage("too many shards", _bytes(NAME, lambda raw: _doubled(raw, 1001)), NAME, "at most 1000 items"),
    Damage("a list", _bytes(NAME, lambda raw: b"[]"), NAME, "should be a valid dictionary"),
    Damage("no version", _bytes(NAME, lambda raw: b'{"shards": []}'), NAME, "version: Field required"),
    Damage("a pipe", _replaced(NAME, os.mkfifo), NAME, "is not a regular file"),
    Damage("a shard twice", _bytes(NAME, _doubled), NAME, f"names the shard '{ID}' twice"),
    *(
        Damage(f"without {name}", _without(name), NAME, f"{name}: Field required")
        for name in ("id", "kind", "dim", "size", "embedding_file", "metadata_file", "license")
    ),
    *(
        Damage(f"{name} = {value!r}", _entry(**{name: value}), NAME, f"entry 1, .*{name}")
        for name, value in (
            ("id", ""),
            ("id", 7),
            ("id", "a\nb"),
            ("kind", "wikipedia"),
            ("dim", "16"),
            ("dim", 16.0),
            ("dim", True),
            ("dim", 0),
            ("size", -1),
            ("size", None),
            ("license", None),
            ("revision", 0),
            ("revision", "2"),
            ("files", []),
            ("files", {"a": {"sha256": "x", "bytes": 1}}),
            ("side_files", {"codes": 1}),
            ("source", "enwiki"),
            ("encoder", "minilm"),
            ("domain", 1),
        )
    ),
    Damage("../ to embeddings", _entry(embedding_file=f"../good/{E}"), NAME, "embedding_file: .* leaves the folder"),
    Damage(
        "../ to metadata", _entry(metadata_file=f"{ID}/../../good/{M}"), NAME, "metadata_file: .* leaves the folder"
    ),
    Damage("an absolute path", _entry(embedding_file="/etc/passwd"), NAME, "embedding_file: .* is absolute"),
    Damage("a drive", _entry(embedding_file="C:x.npy"), NAME, "embedding_file: .* is absolute"),
    Damage("a backslash", _entry(embedding_file="..\\x.npy"), NAME, "embedding_file: .* holds a backslash"),
    Damage("a zero byte", _entry(metadata_file="a\0b"), NAME, "metadata_file: .* zero byte"),
    Damage("the folder itself", _entry(metadata_file="."), NAME, "metadata_file: '.' names no file"),
    Damage(
        "../ to a side file", _entry(side_files={"codes": "../../x"}), NAME, "side_files.codes: .* leaves the folder"
    ),
    Damage("../ in files", _entry(files={"../x": {"sha256": "0" * 64, "bytes": 1}}), NAME, "leaves the folder"),
    Damage("a name with a detour", _entry(side_files={"codes": "a//b"}), NAME, "can be written shorter"),
    Damage("a link out, of embeddings", _linked_out(E), E, "leaves the folder: it leads to .*outside-embeddings"),
    Damage("a link out, of metadata", _linked_out(M), M, "leaves the folder: it leads to .*outside-metadata"),
    Damage("a link out, of the folder", _linked_folder, E, "leaves the folder: it leads to .*elsewhere"),
    Damage("a link in a circle", _replaced(E, _circle), E, "cannot be read: [tT]oo many levels"),
    Damage("one name for both", _entry(embedding_file="a/x", metadata_file="b/x"), "b/x", "have the same file name"),
]
SUMS_DAMAGED = [
    Damage(
        "one byte of a row", _summed(_bytes(E, lambda raw: raw[:-1] + bytes([raw[-1] ^ 128]))), E, "has the SHA-256"
    ),
    Damage(
        "one letter of a text", _summed(_bytes(M, lambda raw: raw.replace(b"whisk", b"wrisk", 1))), M, "has the SHA-256"
    ),
    Damage("another size", _summed(_bytes(M, lambda raw: raw.replace(b"whisk", b"whisky"))), M, r"has \d+ bytes, but"),
    Damage("no sum", _summed(lambda f: edit(f, lambda raw: raw["files"].pop("metadata.jsonl"))), NAME, "does not list"),
    Damage("a side file changed", _sided(_bytes(f"{ID}/codes.bin", lambda _: b"c0des")), f"{ID}/codes.bin", "SHA-256"),
    Damage("a side file missing", _sided(lambda f: (f / ID / "codes.bin").unlink()), f"{ID}/codes.bin", "is missing"),
    Damage("a side file linked out", _sided(_linked_out(f"{ID}/codes.bin")), f"{ID}/codes.bin", "leaves the folder"),
    Damage("a side file that is a pipe", _sided(_replaced(f"{ID}/codes.bin", os.mkfifo)), f"{ID}/codes.bin", "regular"),
]
SIGNATURE_DAMAGED = [
    Damage("another licence", _signed(lambda raw: raw.update(license="CC0")), NAME, "is not of this content"),
    Damage("a field more", _signed(lambda raw: raw.update(more=1)), NAME, "is not of this content"),
    Damage("a higher revision", _signed(lambda raw: raw.update(revision=9)), NAME, "is not of this content"),
    Damage("files are gone", _signed(lambda raw: raw.pop("files")), NAME, "is not of this content"),
    Damage("another key", _resigned(key=OTHER_KEY), NAME, "is not of this content"),
    Damage("no base64", _resigned(signature="???"), NAME, "signature is not base64"),
    Damage("half a signature", _resigned(signature="AAAA"), NAME, "has 3 bytes, not 64"),
    Damage("half a key", _resigned(key="AAAA"), NAME, "has 3 bytes, not 32"),
    Damage("a damaged signature", lambda folder: (folder / SIGNATURE).write_text("{"), NAME, "key is not base64"),
]  # fmt: skip
GROUPS = {
    "rows": ROWS_DAMAGED,
    "lines": LINES_DAMAGED,
    "manifest": MANIFEST_DAMAGED,
    "sums": SUMS_DAMAGED,
    "signature": SIGNATURE_DAMAGED,
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good shard, to be copied."""
    folder = tmp_path_factory.mktemp("installed")
    install_shards(make(folder / "good", seed=1), folder / "root")
    return folder / "root"


@pytest.mark.parametrize(
    "damage", [pytest.param(one, id=f"{group}: {one.name}") for group, all_ in GROUPS.items() for one in all_]
)
def test_it_is_refused_with_file_line_and_reason(damage: Damage, installed: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(installed, root)
    served = (root / NAME).read_bytes()
    folder = make(tmp_path / "new")
    damage.do(folder)

    faults = verify_shards(folder)
    found = [one for one in faults if (one.file, one.line, one.row) == (damage.file, damage.line, damage.row)]
    assert any(re.search(damage.reason, one.reason) for one in found), "\n".join(map(str, faults))
    assert len(faults) <= 2, "one damage is not ten faults"

    with pytest.raises(ShardError) as error:
        install_shards(folder, root)
    assert re.search(damage.reason, str(error.value))
    assert Path(damage.file).name in str(error.value)
    assert (root / NAME).read_bytes() == served
    assert verify_shards(root) == []
    assert sorted(path.name for path in root.iterdir()) == [".ragstone-id", ".ragstone-lock", NAME, ID]


def test_a_good_one_is_not_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "new")
    _side(folder)
    assert verify_shards(folder) == []
    assert [one.what for one in install_shards(folder, tmp_path / "root")] == ["installed"]


def test_a_million_faults_are_counted_not_listed(tmp_path: Path) -> None:
    folder = make(tmp_path / "new")
    np.save(folder / EMBEDDINGS, unit_rows() * 3)
    faults = verify_shards(folder, most=5)
    assert [one.row for one in faults] == [0, 1, 2, 3, 4, None]
    assert str(faults[-1]) == f"{EMBEDDINGS}: and {ROWS - 5} more faults"


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    folder = make(tmp_path / "new")
    (folder / EMBEDDINGS).rename(folder / "rows.npy")
    (folder / EMBEDDINGS).symlink_to("../rows.npy")
    assert verify_shards(folder) == []
    install_shards(folder, tmp_path / "root")
    placed = Manifest.read(tmp_path / "root" / NAME).shards[0].place(tmp_path / "root")
    assert not placed.embeddings.is_symlink()
    assert verify_shards(tmp_path / "root") == []

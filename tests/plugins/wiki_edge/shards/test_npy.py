"""Headers of ``.npy`` files: what numpy writes is read, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.plugins.wiki_edge import ShardError
from ragstone.plugins.wiki_edge.shards.npy import read_header

from .samples import unit_rows

if TYPE_CHECKING:
    from pathlib import Path

_quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(tmp_path: Path, version: tuple[int, int]) -> None:
    rows = unit_rows(5, 7)
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, rows, version=version)
    header = read_header(tmp_path / "a.npy")
    assert (header.shape, header.dtype, header.row_bytes) == ((5, 7), "<f4", 28)
    raw = (tmp_path / "a.npy").read_bytes()[header.offset :]
    np.testing.assert_array_equal(np.frombuffer(raw, "<f4").reshape(header.shape), rows)


@pytest.mark.parametrize(("dtype", "shape"), [("|u1", (6, 48)), ("<u8", (7,)), ("<f2", (2, 3, 4))])
def test_side_files_have_other_types(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    np.save(tmp_path / "a.npy", np.zeros(shape, dtype))
    header = read_header(tmp_path / "a.npy", dtype=dtype, ndim=len(shape))
    assert (header.shape, header.rows) == (shape, shape[0])
    with pytest.raises(ShardError, match="not float32"):
        read_header(tmp_path / "a.npy", ndim=len(shape))


@_quick
@given(at=st.integers(0, 127), byte=st.integers(0, 255))
def test_a_changed_header_is_refused_or_means_what_numpy_reads(tmp_path: Path, at: int, byte: int) -> None:
    np.save(tmp_path / "a.npy", unit_rows(3, 8))
    raw = bytearray((tmp_path / "a.npy").read_bytes())
    raw[at] = byte
    (tmp_path / "a.npy").write_bytes(raw)
    try:
        header = read_header(tmp_path / "a.npy")
    except ShardError as error:
        assert error.file == str(tmp_path / "a.npy")
        return
    found = np.load(tmp_path / "a.npy")
    assert (found.dtype.str, found.shape, bool(found.flags.c_contiguous)) == (header.dtype, header.shape, True)


@_quick
@given(text=st.text(max_size=200) | st.text(st.sampled_from("{}()[]'\"<f4:,-1234 descrfotan_shpeTu"), max_size=200))
def test_no_header_is_more_than_a_fault(tmp_path: Path, text: str) -> None:
    raw = text.encode()
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x03\0" + len(raw).to_bytes(4, "little") + raw)
    with pytest.raises(ShardError):
        read_header(tmp_path / "a.npy")

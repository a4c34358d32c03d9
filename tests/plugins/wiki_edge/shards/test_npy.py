"""Headers of ``.npy`` files: what numpy writes is read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.plugins.wiki_edge import verify_shards

from .samples import DIM, EMBEDDINGS, ROWS, make, unit_rows

_quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def faults(folder: Path) -> set[str]:
    """The files in which something is wrong."""
    return {fault.file for fault in verify_shards(folder)}


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(tmp_path: Path, version: tuple[int, int]) -> None:
    with (make(tmp_path) / EMBEDDINGS).open("wb") as file:
        np.lib.format.write_array(file, unit_rows(), version=version)
    assert faults(tmp_path) == set()


@_quick
@given(at=st.integers(0, 127), byte=st.integers(0, 255))
def test_a_changed_header_is_refused_or_means_what_numpy_reads(tmp_path: Path, at: int, byte: int) -> None:
    path = make(tmp_path) / EMBEDDINGS
    raw = bytearray(path.read_bytes())
    raw[at] = byte
    path.write_bytes(raw)
    if faults(tmp_path):
        assert faults(tmp_path) == {EMBEDDINGS}
        return
    found = np.load(path)
    assert (found.dtype.str, found.shape, bool(found.flags.c_contiguous)) == ("<f4", (ROWS, DIM), True)


@_quick
@given(text=st.text(max_size=200) | st.text(st.sampled_from("{}()[]'\"<f4:,-1234 descrfotan_shpeTu"), max_size=200))
def test_no_header_is_more_than_a_fault(tmp_path: Path, text: str) -> None:
    path, raw = make(tmp_path) / EMBEDDINGS, text.encode()
    path.write_bytes(b"\x93NUMPY\x03\0" + len(raw).to_bytes(4, "little") + raw)
    assert faults(tmp_path) == {EMBEDDINGS}

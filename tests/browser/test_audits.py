"""The audits of the other tests find what they are there for, and every page without a state of its own is clean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.audits import accessibility_faults, html_faults

pytestmark = pytest.mark.browser

FAULTY = """<!DOCTYPE html><html lang="en"><title>Faults</title><main><h1>Faults</h1><img src="data:,">
<p style="color: #ccc; background: #fff">Hardly to be read</p><p><div>No such nesting</div></p></main></html>"""


def test_axe_finds_faults(chromium: Any) -> None:
    page = chromium.new_page()
    page.set_content(FAULTY)
    faults = accessibility_faults(page)
    page.close()
    for rule, times in (("image-alt", 2), ("color-contrast", 4)):
        assert sum(f" px: {rule}: " in fault for fault in faults) == times, "two themes where it matters, two widths"


def test_vnu_finds_faults(tmp_path: Path) -> None:
    faults = html_faults(tmp_path, {"/faulty": FAULTY})
    assert all(fault.startswith("/faulty: ") for fault in faults), faults
    assert any("No “p” element in scope but a “p” end tag seen" in fault for fault in faults), faults

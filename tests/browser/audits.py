"""Other people's judgement of a page: axe on each state that a test takes a picture of, vnu on each page's HTML."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.needs import missing, needed
from tests.support.patience import HANG
from tests.support.suites import npm_package

sync_api = needed("playwright.sync_api")
#: The fixtures ``open_page`` and ``snap``.
Open = Callable[..., Any]
Snap = Callable[[Any, str], None]
SIZES = ({"width": 390, "height": 780}, {"width": 1280, "height": 860})
SCHEMES = ("light", "dark")
#: What is no fault: SVG 2 has this attribute on every shape, and an address of the hostile tests is no address.
_NO_FAULT = ".*(Attribute “pathLength” not allowed on element “circle”|Bad value “[^”]*window\\.struck).*"
#: The page's elements without their texts: what looks alike in this way is one state.
OUTLINE = """[...document.querySelectorAll('body *')].map(
    each => `${each.tagName}.${each.className}${each.hidden ? ' hidden' : ''}${each.open ? ' open' : ''}`).join()"""
_RUN = """
    // a page that went on to its next state by itself is looked at when all of it has come
    if (document.readyState === 'loading') await new Promise(done => addEventListener('DOMContentLoaded', done));
    // what the second theme may change is colours alone
    const only = dark ? {runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}} : {};
    const result = await axe.run(root || document, {resultTypes: ['violations'], ...only});
    return result.violations.flatMap(rule => rule.nodes.map(
        node => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`));"""


def accessibility_faults(page: Any, root: str | None = None) -> list[str]:
    """What axe finds on the page as it is, in both themes, on a phone and a desktop; ``root``: selector of a part."""
    size = page.viewport_size
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    found: dict[str, None] = {}
    for each in SIZES:
        page.set_viewport_size(each)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            try:
                faults = _run_axe(page, root, scheme == "dark")
            except sync_api.Error:  # the page went on to its next state by itself
                page.wait_for_load_state()
                faults = _run_axe(page, root, scheme == "dark")
            found.update(dict.fromkeys(f"{scheme}, {each['width']} px: {fault}" for fault in faults))
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=SCHEMES[dark], reduced_motion="no-preference")
    return list(found)


def _run_axe(page: Any, root: str | None, dark: bool) -> list[str]:
    arguments = [root, dark]
    faults = page.evaluate(f"async ([root, dark]) => {{ if (!window.axe) return null;\n{_RUN} }}", arguments)
    if faults is None:  # in one piece: between two, the page may load anew
        axe = (npm_package("axe-core") / "axe.min.js").read_text("utf-8")
        faults = page.evaluate(f"async ([root, dark]) => {{ {axe}\n{_RUN} }}", arguments)
    return list(faults)


def html_faults(folder: Path, pages: Mapping[str, str]) -> list[str]:
    """What the HTML checker of the W3C's validator finds in the pages' text, by address; ``folder``: an empty one."""
    java = shutil.which("java")
    if java is None:
        missing("a Java runtime for vnu (Debian: default-jre-headless)")
    jar = next(npm_package("vnu-jar").glob("build/dist/vnu.jar"))
    files = {folder / f"{number}.html": address for number, address in enumerate(pages)}
    for file, address in files.items():
        file.write_text(pages[address], "utf-8")
    if not files:
        return []
    options = ("--format", "json", "--stdout", "--exit-zero-always", "--filterpattern", _NO_FAULT)
    # it reads for two seconds: what a better compiler would save is less than it costs
    command: list[str | Path] = [java, "-XX:TieredStopAtLevel=1", "-Xss2m", "-jar", jar, *options, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * HANG, check=True)
    by_url = {file.as_uri(): address for file, address in files.items()}
    messages = [each for each in json.loads(done.stdout)["messages"] if "url" in each]
    return [
        f"{by_url.get(each['url'].replace('file:/', 'file:///', 1), each['url'])}: {each['message']} "
        f"in {each.get('extract', '').strip()[:200]!r}"
        for each in messages
    ]

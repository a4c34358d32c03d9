"""The site of the documentation: the READMEs where they are, and a reference of the public names (``make docs``)."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Ragstone"
copyright = "the Ragstone authors"  # noqa: A001 - Sphinx's name
release = metadata.version("ragstone")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "core/README.md", "web/README.md", "plugins/*.md", "plugins/*/*.md"]
include_patterns += ["deploy/README.md", "deploy/*/README.md", "tests/third_party/*/README.md"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4

autodoc_typehints = "signature"
# Some names are public in two modules: a type in a signature may lead to either.
suppress_warnings = ["ref.python"]
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True, "inherited-members": False}

html_theme = "furo"
html_title = f"Ragstone {release}"
html_extra_path = ["index.html"]

_PAGES = """

```{toctree}
:hidden:

core/README
web/README
docs/integrations
deploy/README
deploy/pi5/README
deploy/server/README
```

```{toctree}
:hidden:
:caption: Plugins
:glob:

plugins/*/*
```

```{toctree}
:hidden:
:caption: Writing a plugin

plugins/README
plugins/HOOKS
plugins/LIFECYCLE
tests/third_party/workshop/README
docs/api
```

```{toctree}
:hidden:
:caption: The project

CONTRIBUTING
SECURITY
CHANGELOG
```
"""


def _add_pages(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == root_doc:
        source[0] += _PAGES


def setup(app: Sphinx) -> None:
    """Give the first page its table of contents, which a README does not have."""
    app.connect("source-read", _add_pages)

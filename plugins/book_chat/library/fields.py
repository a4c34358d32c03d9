"""TOML, YAML and front matter of a book: untrusted input, with limits checked before it is parsed."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml
from yaml.nodes import ScalarNode

from ..markdown.characters import without_controls

#: Characters of a ``book.toml``: the addresses of some 5,000 chapters.
LONGEST_TOML = 500_000
#: ``tomllib`` keeps every beginning of a dotted key, so a key of n parts takes memory and time for n² of them, and each
#: key below a table's header takes time for the header's parts. A key and a header stand on one line: this bounds the
#: sum, over all lines, of the squared number of dots in the line and in the header above. An ordinary line has five.
_MOST_DOTS_SQUARED = 1_000_000
#: Characters of front matter or of a ``_category_`` file, and of a site's configuration.
LONGEST_YAML = 20_000
LONGEST_SITE_YAML = 100_000
#: PyYAML compares each opening bracket with those before it.
_MOST_BRACKETS = 500
_LARGEST_INTEGER = 2**63
#: Authors of a book, and characters of the name of one.
_MOST_NAMES, _LONGEST_NAME = 20, 100
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ``ValueError`` for what is no TOML, too long or nested too deeply."""
    if len(text) > LONGEST_TOML:
        raise ValueError(f"it has {len(text):,} characters, more than {LONGEST_TOML:,}")
    if _dots_squared(text) > _MOST_DOTS_SQUARED:
        raise ValueError("its keys are nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error


def _dots_squared(text: str) -> int:
    total = header = 0
    for line in text.split("\n"):
        dots = line.count(".")
        total += (dots + header) ** 2
        if line.lstrip().startswith("["):
            header = dots
    return total


def read_yaml(text: str) -> dict[str, Any]:
    """The fields of a YAML mapping; none for what is broken, too long, nested too deeply or has aliases."""
    try:
        fields = parse_yaml(text, LONGEST_YAML)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def parse_yaml(text: str, longest: int) -> Any:
    """A YAML text as plain values, those with a tag of an application as None. Raises ``ValueError``."""
    if len(text) > longest:
        raise ValueError(f"it has {len(text):,} characters, more than {longest:,}")
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise ValueError(f"it has more than {_MOST_BRACKETS} brackets")
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - it is a SafeLoader
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{error.problem}{line}") from error
    # PyYAML raises LookupError, AttributeError and others for "!!int" and "!!timestamp" before something else.
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise ValueError(str(error)) from error


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The YAML between the leading ``---`` lines, and the rest; broken YAML is cut off and counts as none."""
    text = re.sub(r"\r\n?", "\n", text)
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    return read_yaml(found[1]), text[found.end() :]


def one_line(value: object) -> str | None:
    """A text or number of a configuration as one line; None for anything else."""
    return " ".join(without_controls(str(value)).split()) or None if isinstance(value, str | int | float) else None


def names_in(value: object) -> tuple[str, ...]:
    """The names that a configuration gives as a text, or as a list of texts or of tables with a ``name``."""
    many = value if isinstance(value, list) else [value]
    found = (one_line(one.get("name") if isinstance(one, dict) else one) for one in many[:_MOST_NAMES])
    return tuple(name[:_LONGEST_NAME] for name in found if name)


class _Loader(yaml.SafeLoader):
    """Refuses aliases, which multiply what they stand for when they are merged, and integers of any length."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it has an alias")
        return super().compose_node(parent, index)

    def integer(self, node: ScalarNode) -> int:
        value: int = self.construct_yaml_int(node)
        if abs(value) > _LARGEST_INTEGER:
            raise ValueError("an integer is too large")
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.integer)
_Loader.add_constructor(None, lambda *_: None)  # a tag of an application, such as MkDocs' !!python/name

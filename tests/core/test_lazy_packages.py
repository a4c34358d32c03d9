"""Packages of other distributions whose names are imported when they are first used."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_name_is_the_one_that_the_package_itself_gives() -> None:
    program = """
        from importlib import import_module
        from pathlib import Path

        import ragstone.core

        root = Path(import_module("llama_index.core").__path__[0])
        parts = (place.parent.relative_to(root).parts for place in sorted(root.rglob("__init__.py")))
        packages = [import_module(".".join(("llama_index.core", *each))) for each in parts]
        lazily = {(package, name): getattr(package, name) for package in packages for name in package._names}
        print(len(packages), len(lazily))
        for (package, name), value in lazily.items():
            own = getattr(import_module(f"{package.__name__}.__init__"), name)
            assert own is value, (package, name)
        for package in packages:
            own = [name for name in vars(import_module(f"{package.__name__}.__init__")) if not name.startswith("__")]
            assert all(hasattr(package, name) for name in own), package
    """
    packages, names = map(int, run(program).split())
    assert packages > 50
    assert names > 400


def test_what_is_only_found_by_running_the_package_is_found_too() -> None:
    program = """
        import ragstone.core
        import llama_index.core
        from llama_index.core import *

        assert VectorStoreIndex is llama_index.core.indices.VectorStoreIndex
        assert llama_index.core.logging.getLogger is llama_index.core.logging.getLogger  # a plain import of its own
        assert llama_index.core.global_handler is None
        assert llama_index.core.__version__[0].isdigit()
        assert not hasattr(llama_index.core, "no_such_name")
        assert not hasattr(llama_index.core, "__no_such_name__")
    """
    run(program)


def test_the_types_of_a_question_bring_few_modules() -> None:
    program = """
        import sys
        import ragstone.core
        from llama_index.core.schema import NodeWithScore
        from llama_index.core.retrievers import BaseRetriever

        print(sum(name.startswith("llama_index.core.") for name in sys.modules))
    """
    assert int(run(program)) < 100  # 400 if the packages themselves ran

"""The subprocess that reads a picture: ``python -m ….pdf.tesseract PROGRAM LANGUAGES SECONDS MEGABYTES < picture``.

It limits itself and becomes tesseract, which writes a line of tab-separated values for each word. It can write no file.
"""

from __future__ import annotations

import os
import sys

from ragstone.core.runtime import limit_process


def main(program: str, languages: str, seconds: float, megabytes: int) -> None:
    """Become tesseract."""
    limit_process(megabytes * 1_000_000, seconds)
    # One thread: the limit is of processor time, and several pages may be read at a time.
    variables = {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    os.execve(program, [program, "stdin", "stdout", "-l", languages, "--dpi", "300", "tsv"], variables)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))

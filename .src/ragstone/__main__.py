"""The command line: ``ragstone``, or ``python -m ragstone``."""

import atexit
import ctypes
import gc
from contextlib import suppress

_M_ARENA_MAX, _ARENAS = -8, 2


def configure_process() -> None:
    """Settings of a whole process, for processes that Ragstone starts; a program that imports it keeps its own."""
    # What is imported stays: with Python's 700, a tenth of a question's time goes into looking for garbage in it.
    gc.set_threshold(50_000)
    # Nor is it looked through at the end, which takes up to 0.2 s; what must happen then is registered or closed.
    atexit.register(gc.freeze)
    # glibc gives each thread an arena (up to eight a core) and returns little of them: a server with Chroma's index
    # grows by 25 MB more than with two. Other C libraries have no mallopt.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def main() -> None:
    """Run the command line on ``sys.argv``."""
    configure_process()
    from ragstone.core.cli import main as run

    run()


if __name__ == "__main__":
    main()

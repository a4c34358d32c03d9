"""The command line: ``ragstone``, or ``python -m ragstone``."""

import gc


def main() -> None:
    """Run the command line on ``sys.argv``."""
    # What is imported stays: to look again and again for garbage among it took a quarter of a command's time.
    gc.disable()
    from ragstone.core.cli import main as run

    gc.freeze()
    gc.enable()
    run()


if __name__ == "__main__":
    main()

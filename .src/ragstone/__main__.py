"""The command line: ``ragstone``, or ``python -m ragstone``."""

import gc


def main() -> None:
    """Run the command line on ``sys.argv``."""
    # What is imported stays: with Python's 700, a tenth of a question's time goes into looking for garbage in it.
    gc.set_threshold(50_000)
    from ragstone.core.cli import main as run

    run()


if __name__ == "__main__":
    main()

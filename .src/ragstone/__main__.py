"""The command line: ``ragstone``, or ``python -m ragstone``."""

import gc


def main() -> None:
    """Run the command line on ``sys.argv``."""
    from ragstone.core.cli import main as run

    gc.freeze()  # what is imported stays, and is passed over from now on when garbage is looked for
    run()


if __name__ == "__main__":
    main()

"""The command `anonymizer`, also as `python -m anonymizer`."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported is no traceback."""
    try:
        from anonymizer.cli import main as run

        run()
    except KeyboardInterrupt:
        print("error: interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()

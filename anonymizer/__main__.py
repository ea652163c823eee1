"""python -m anonymizer."""

from anonymizer.cli import main

main()

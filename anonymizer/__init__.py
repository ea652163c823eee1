"""anonymizer: the most useful version of a table about people whose risk is acceptable."""

__version__ = "0.1.0"

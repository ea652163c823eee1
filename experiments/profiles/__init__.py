"""On which figure the verdict about each shipped attacker hangs."""

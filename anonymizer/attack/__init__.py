"""What an adversary can do with a table."""

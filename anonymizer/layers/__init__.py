"""Releases in layers: each record is generalized as little as it needs."""

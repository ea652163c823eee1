"""Proof files: what a search claims, in a form that a small independent program checks."""

"""Releases in layers beside ARX's local recoding and the best single scheme."""

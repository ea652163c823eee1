"""Attacks: what attackers can do with a release, measured on this release against a baseline."""

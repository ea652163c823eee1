"""Packages that pip installs, beside this one: the same tables, each in an environment of its own."""

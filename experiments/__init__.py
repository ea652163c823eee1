"""Experiments: each folder reads data and writes results/<name>/."""

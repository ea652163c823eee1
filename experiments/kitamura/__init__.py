"""Attacks on a published table of patient characteristics: the paper's indicators again."""

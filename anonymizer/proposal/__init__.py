"""Proposals: a role and a reason for each column of a table that nobody has described yet."""

"""The studio: a page on this machine that anonymizes a table; the policy file is the truth."""

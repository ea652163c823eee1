"""The studio: a page on this machine on which a table is anonymized, with the policy file as the truth."""

"""The edges of the system: tables of every kind, read in batches, and files written all or none."""

"""Every claim about a release, recomputed."""

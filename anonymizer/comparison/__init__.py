"""A release beside its original: distributions, associations, who was suppressed, and rows."""

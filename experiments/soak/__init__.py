"""Soak: mutated inputs, killed runs, and random tables against an oracle that shares no code."""

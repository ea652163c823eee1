"""Estimates of a population from a sample's class sizes: uniques, and the k' of k-map."""

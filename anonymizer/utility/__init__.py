"""Measures of what a release is still worth."""

from anonymizer.utility.loss import Aggregate, Loss

__all__ = ["Aggregate", "Loss"]

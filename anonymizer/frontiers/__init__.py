"""The best release at every threshold of a risk model."""

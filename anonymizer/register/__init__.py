"""register: several releases about one population, each safe beside the earlier ones."""

"""The naive re-identification framework: every combination of what people disclose elsewhere."""

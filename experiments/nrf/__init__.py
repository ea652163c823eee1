"""The naive re-identification framework: the paper's tables again, and eight million records."""

"""Extracts of ATUS and IHIS that a user supplies, written as the experiments read them."""

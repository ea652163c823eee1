"""What drives the risk of a solution, and what could be done about it."""

"""What the search runs on: distinct tuples in small integers, and the classes a scheme makes of them."""

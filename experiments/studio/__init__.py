"""Pictures of the studio: every perspective, on the built-in register."""

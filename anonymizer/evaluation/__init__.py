"""What a scheme costs: its classes, what is suppressed of them, and what is lost."""

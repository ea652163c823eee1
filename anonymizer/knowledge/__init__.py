"""What an attacker may know of a person, and the risk summed over all of it (Xia et al. 2021)."""

"""How far estimates of population risk are from the truth, where the truth is known."""

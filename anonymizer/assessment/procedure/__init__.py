"""The steward's procedure of Simon et al. 2020: one external source after the other."""

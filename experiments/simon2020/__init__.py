"""The worked example of Simon et al. 2020 on synthetic visits, and its formulae on its numbers."""

"""Numba kernels: arrays in, arrays out, no checks and no options."""

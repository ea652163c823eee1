"""How figures are written on the page."""

from __future__ import annotations

import math

import pandas as pd


def share(value: float) -> str:
    """Write a share in percent; small ones with two digits.

    >>> share(0.5), share(1 / 3), share(0.00123), share(0.0)
    ('50 %', '33 %', '0.12 %', '0 %')
    """
    percent = 100 * value
    if pd.isna(value):
        return "no estimate"
    if percent >= 10 or percent == 0:
        return f"{percent:.0f} %"
    return f"{percent:.2g} %" if percent >= 0.01 else f"{percent:.0e} %"


def power(threshold: float) -> str:
    """Write a power of ten.

    >>> power(1e-8)
    '10^-8'
    """
    return f"10^{round(math.log10(threshold))}"

"""Differences of gamma and digamma functions, and sums of reciprocals, to full accuracy.

Sums of reciprocals have a closed form in digamma functions, but as differences of nearly equal numbers.
Here they are written in phi(y) = y - ln(1 + y), so that no digit is lost at any size. With w = x + 1/2

    psi(x + 1) = ln w + q(w),  q(w) = 1/(24 w^2) - 7/(960 w^4) + ...     (no odd powers around w).
"""

from __future__ import annotations

import math

from anonymizer.kernels.compilation import kernel

FAR = 12.0  # from here on the expansions in 1 / w^2 are exact to rounding


@kernel
def phi(y):
    """Compute y - ln(1 + y) for y >= 0 to full relative accuracy."""
    if y > 0.5:
        return y - math.log1p(y)
    s = y / (2.0 + y)  # ln(1 + y) = 2 artanh(s)
    s2 = s * s
    series = 0.0
    for k in range(23, 1, -2):
        series = series * s2 + 1.0 / k
    return y * s - 2.0 * s * s2 * series


@kernel
def digamma_tail(w):
    """Compute q(w) = psi(w + 1/2) - ln w, and its derivative, for w >= FAR."""
    r = 1.0 / (w * w)
    q = r * (1 / 24 - r * (7 / 960 - r * (31 / 8064 - r * (127 / 30720 - r * (
        511 / 67584 - r * (1414477 / 67092480 - r * (8191 / 98304)))))))  # fmt: skip
    slope = r / w * (-1 / 12 + r * (7 / 240 - r * (31 / 1344 - r * (127 / 3840 - r * (
        2555 / 33792 - r * (1414477 / 5591040 - r * (57337 / 49152)))))))  # fmt: skip
    return q, slope


@kernel
def log_gamma_tail(w):
    """Compute ln Gamma(w + 1/2) - (w ln w - w + ln(2 pi)/2) for w >= FAR."""
    r = 1.0 / (w * w)
    return -(1 / 24 - r * (7 / 2880 - r * (31 / 40320 - r * (127 / 215040 - r * (
        511 / 608256 - r * (1414477 / 738017280 - r * (8191 / 1277952))))))) / w  # fmt: skip


@kernel
def log_gamma_ratio(z, delta):
    """Compute ln Gamma(z + delta) - ln Gamma(z) for z > 0 and delta >= 0."""
    near = 1.0
    while z < FAR + 0.5:
        near *= z / (z + delta)
        z += 1.0
    w = z - 0.5
    y = delta / w
    far = delta * math.log(w) + w * (y * y - (1.0 + y) * phi(y))
    return math.log(near) + far + log_gamma_tail(w + delta) - log_gamma_tail(w)


@kernel
def harmonic_sums(z, terms):
    """Sum 1/(x+i), i/(x+i), 1/(x+i)^2 and i/(x+i)^2 over i = 1, ..., terms, where z = x + 1 > 0."""
    d1, e1, d2, f2 = 0.0, 0.0, 0.0, 0.0
    i = 0.0
    while i < terms and z < FAR + 0.5:
        r = 1.0 / z
        i += 1.0
        d1 += r
        e1 += i * r
        d2 += r * r
        f2 += i * r * r
        z += 1.0
    m = terms - i
    if m > 0.0:
        w = z - 0.5
        end = w + m
        y = m / w
        p = phi(y)
        q_start, slope_start = digamma_tail(w)
        q_end, slope_end = digamma_tail(end)
        dq, dslope = q_end - q_start, slope_end - slope_start
        log = math.log1p(y)
        bend = y * y / (1.0 + y) - p if y <= 0.5 else log - m / end  # equal, but for rounding
        d1_far = log + dq
        d2_far = y / end - dslope
        d1 += d1_far
        d2 += d2_far
        e1 += w * (p - dq) + (0.5 + i) * d1_far
        f2 += bend + dq + w * dslope + (0.5 + i) * d2_far
    return d1, e1, d2, f2

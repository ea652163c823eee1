"""Estimating how many people are unique in a population, from a histogram of class sizes.

`sizes` are the distinct class sizes, ascending, and `counts` the classes of each size; `removed` classes
of size 1 are left out. Pitman's model has n records in u classes, 0 <= alpha < 1 and theta > -alpha; its
log-likelihood is, but for a constant,

    L = sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j s_j sum_{i<j} ln(i - alpha).

Every sum has a closed form in the functions of kernels/gamma.py.
"""

from __future__ import annotations

import math

import numpy as np

from anonymizer.kernels.compilation import kernel
from anonymizer.kernels.gamma import (
    FAR,
    digamma_tail,
    harmonic_sums,
    log_gamma_ratio,
    log_gamma_tail,
    phi,
)

THETA_HALVINGS = 32  # of an interval of ln(theta + alpha): to 1e-8
ALPHA_HALVINGS = 16  # of an interval of alpha: to 1e-5
POINTS, REFINEMENTS = 8, 3  # alphas at which the share is looked at, each time more closely


@kernel
def class_sums(sizes, counts, rest):
    """Sum s_j sum_{i<j} 1/(i - alpha), and its derivative by alpha; rest = 1 - alpha."""
    w = FAR - 0.5 + rest
    q, slope = digamma_tail(w)
    start, start_slope = -math.log(w) - q, 1.0 / w + slope  # less psi and psi' at FAR + rest
    for i in range(int(FAR)):
        r = 1.0 / (i + rest)
        start += r
        start_slope += r * r
    total, total_slope = 0.0, 0.0
    inner, inner_slope = 0.0, 0.0  # the sums over i < at
    at = 1
    for k in range(sizes.size):
        size = sizes[k]
        if size > FAR and size - at > 6:
            w = size - 1.5 + rest
            q, slope = digamma_tail(w)
            inner, inner_slope = start + math.log(w) + q, start_slope - 1.0 / w - slope
            at = size
        while at < size:
            r = 1.0 / (at - 1 + rest)
            inner += r
            inner_slope += r * r
            at += 1
        total += counts[k] * inner
        total_slope += counts[k] * inner_slope
    return total, total_slope


@kernel
def theta_step(t, alpha, rest, n, u):
    """Evaluate dL/dtheta at theta = t - alpha, scaled so that Newton's method in ln t is nearly linear.

    Returns a function with the sign of dL/dtheta, its derivative by ln t, and d2L/dtheta2 at a root.
    """
    theta = t - alpha
    d1, e1, d2, f2 = harmonic_sums(t + rest, n - 1.0)
    if alpha > 0.0:
        c1, g1, c2, h2 = harmonic_sums(t / alpha, u - 1.0)
        c1, c2, h2 = c1 / alpha, c2 / (alpha * alpha), h2 / alpha
    else:
        c1, g1, c2, h2 = (u - 1.0) / theta, 0.0, (u - 1.0) / (theta * theta), 0.0
    if theta < n:
        return math.log(c1 / d1), t * (d2 / d1 - c2 / c1), d2 - c2
    # far out the two sums agree in most digits; theta times their difference does not suffer
    return math.log((e1 - g1) / (n - u)), t * (h2 - f2) / (e1 - g1), (h2 - f2) / theta


@kernel
def solve_theta(t, alpha, rest, n, u):
    """Find t = theta + alpha with dL/dtheta = 0 for a given alpha, from a guess; and d2L/dtheta2."""
    low, high, curvature = 0.0, np.inf, 0.0
    for step in range(200):
        value, slope, curvature = theta_step(t, alpha, rest, n, u)
        if value > 0.0:
            low = t
        else:
            high = t
        move = -value / slope if slope < 0.0 else math.copysign(3.0, value)
        new = t * math.exp(min(3.0, max(-3.0, move)))
        if abs(move) < 1e-9:  # Newton's next step would be below rounding
            return new, curvature
        if (new <= low or new >= high or step > 40) and low > 0.0 and high < np.inf:
            new = math.sqrt(low) * math.sqrt(high)
        t = new
    return t, curvature


@kernel
def alpha_step(t, alpha, rest, curvature, sizes, counts, u):
    """Compare the two sides of dL/dalpha = 0 at alpha and its best theta, t - alpha.

    Returns the logarithm of their quotient, its derivative by alpha, and that of the best theta.
    """
    z = t / alpha
    _, e1, _, f2 = harmonic_sums(z, u - 1.0)
    g2 = e1 - (z - 1.0) * f2  # sum of i^2/(x+i)^2; rounding here costs steps, not accuracy
    drift = f2 / (alpha * alpha * curvature)
    right, right_slope = class_sums(sizes, counts, rest)
    left, left_slope = e1 / alpha, -(g2 + f2 * drift) / (alpha * alpha)
    return math.log(left / right), left_slope / left - right_slope / right, drift


@kernel
def solve_alpha(t, n, u, sizes, counts):
    """Find the maximum of the profile likelihood inside (0, 1): theta + alpha and alpha.

    Newton's method in v = -ln(1 - alpha), in which both sides are nearly straight at both ends.
    """
    low, high, v = 0.0, np.inf, 0.7
    for step in range(200):
        alpha, rest = -math.expm1(-v), math.exp(-v)
        t, curvature = solve_theta(t, alpha, rest, n, u)
        value, slope, drift = alpha_step(t, alpha, rest, curvature, sizes, counts, u)
        if value > 0.0:
            low = v
        else:
            high = v
        move = -value / (rest * slope) if slope < 0.0 else math.copysign(2.0, value)
        new = v + min(2.0, move)
        done = abs(move) < 1e-9 * min(v, 1.0)
        if not done and (new <= low or new >= high or step > 40):
            new = 0.5 * (low + high) if high < np.inf else v + 2.0
        t = max(0.1 * t, t - (drift + 1.0) * rest * math.expm1(v - new))
        v = new
        if done:
            break
    alpha, rest = -math.expm1(-v), math.exp(-v)
    return solve_theta(t, alpha, rest, n, u)[0], alpha, rest


@kernel
def totals(sizes, counts, removed):
    """Count the records, the classes and the classes of size 1 that are left."""
    n, u = -removed, -removed
    for k in range(sizes.size):
        n += counts[k] * sizes[k]
        u += counts[k]
    s1 = counts[0] - removed if sizes.size > 0 and sizes[0] == 1 else 0
    return float(n), float(u), float(s1)


@kernel
def fit(sizes, counts, removed):
    """Fit Pitman's model: theta + alpha, alpha and 1 - alpha; NaN where there is no maximum.

    With alpha = 0 (Ewens' model) the likelihood has one maximum. If it does not rise from there into
    alpha > 0 the maximum lies on that boundary, else inside.
    """
    n, u, _ = totals(sizes, counts, removed)
    if u <= 1.0 or u >= n:
        return np.nan, np.nan, np.nan
    ewens = solve_theta(u, 0.0, 1.0, n, u)[0]
    if u * (u - 1.0) / (2.0 * ewens) <= class_sums(sizes, counts, 1.0)[0]:
        return ewens, 0.0, 1.0
    return solve_alpha(ewens, n, u, sizes, counts)


@kernel
def log_pitman(t, alpha, rest, population):
    """Compute the logarithm of Hoshino's population uniques at theta = t - alpha."""
    return log_gamma_ratio(t, rest) + alpha * math.log(population)


@kernel
def pitman(sizes, counts, removed, population):
    """Estimate the population uniques by Pitman's model; NaN where it cannot be fitted."""
    if totals(sizes, counts, removed)[2] == 0.0:
        return 0.0
    t, alpha, rest = fit(sizes, counts, removed)
    return math.exp(log_pitman(t, alpha, rest, population)) if t > 0.0 else np.nan


@kernel
def log_unique_share(t, rest, people, population):
    """Compute ln of the probability that somebody unique among so many people is so in the population."""
    return log_gamma_ratio(t + (people - 1.0), rest) - log_gamma_ratio(t + (population - 1.0), rest)


@kernel
def log_between_classes(t, alpha, rest, n, u):
    """Compute the part of the log-likelihood that depends on theta = t - alpha."""
    if alpha > 1e-100:  # less than that adds nothing to theta, and t / alpha must not overflow
        classes = (u - 1.0) * math.log(alpha) + log_gamma_ratio(t / alpha, u - 1.0)
    else:
        classes = (u - 1.0) * math.log(t)
    return classes - log_gamma_ratio(t + rest, n - 1.0)


@kernel
def log_within_classes(rest, sizes, counts):
    """Compute the part of the log-likelihood that depends on alpha = 1 - rest alone."""
    total, first = 0.0, math.lgamma(rest)
    for k in range(sizes.size):
        if sizes[k] > 1:
            total += counts[k] * (math.lgamma(sizes[k] - 1.0 + rest) - first)
    return total


@kernel
def log_likelihood(t, alpha, rest, sizes, counts):
    """Compute the log-likelihood of Pitman's model at theta = t - alpha, but for a constant."""
    n, u, _ = totals(sizes, counts, 0)
    return log_between_classes(t, alpha, rest, n, u) + log_within_classes(rest, sizes, counts)


@kernel
def likely_alpha(end, best, t, sizes, counts, least):
    """Find how far from the best alpha towards an end some theta is likely enough, by bisection."""
    n, u, _ = totals(sizes, counts, 0)
    inside, outside = best, end
    alpha = end
    for _ in range(ALPHA_HALVINGS):
        t = solve_theta(t, alpha, 1.0 - alpha, n, u)[0]
        if log_likelihood(t, alpha, 1.0 - alpha, sizes, counts) >= least:
            inside = alpha
        else:
            outside = alpha
        if inside == end:
            break
        alpha = 0.5 * (inside + outside)
    return inside


@kernel
def likely_theta(far, t, alpha, sizes, counts, least):
    """Find the theta towards an end of ln(theta + alpha), given alpha, that is just likely enough.

    Starts from t, the best theta + alpha. Returns theta + alpha.
    """
    n, u, _ = totals(sizes, counts, 0)
    needed = least - log_within_classes(1.0 - alpha, sizes, counts)
    inside, outside = math.log(t), far
    for _ in range(THETA_HALVINGS):
        middle = 0.5 * (inside + outside)
        if log_between_classes(math.exp(middle), alpha, 1.0 - alpha, n, u) >= needed:
            inside = middle
        else:
            outside = middle
    return math.exp(inside)


@kernel
def extreme_share(sign, low, high, t, sizes, counts, people, population, least):
    """Find the least (sign -1) or the largest (1) ln share that likely parameters give.

    It grows with theta, so for each alpha one end of the likely thetas has it. Alphas are tried at even
    distances, then between the neighbours of the best one.
    """
    n, u, _ = totals(sizes, counts, 0)
    far = math.log(n) + 12.0 if sign > 0.0 else -30.0
    most, centre = -np.inf, low
    for _ in range(REFINEMENTS):
        step = (high - low) / (POINTS - 1)
        for i in range(POINTS):
            alpha = low + i * step
            t = solve_theta(t, alpha, 1.0 - alpha, n, u)[0]
            end = likely_theta(far, t, alpha, sizes, counts, least)
            share = sign * log_unique_share(end, 1.0 - alpha, people, population)
            if share > most:
                most, centre = share, alpha
        low, high = max(low, centre - step), min(high, centre + step)
    return sign * most


@kernel
def likely_shares(sizes, counts, people, population, drop):
    """Estimate ln of the share of somebody unique among so many people who is so in the population.

    Returns the estimate, and the least and the largest value of all parameters of Pitman's model whose
    log-likelihood is at most `drop` below the greatest; NaN where the model cannot be fitted.
    """
    t, alpha, rest = fit(sizes, counts, 0)
    if not t > 0.0:
        return np.nan, np.nan, np.nan
    least = log_likelihood(t, alpha, rest, sizes, counts) - drop
    lowest = likely_alpha(0.0, alpha, t, sizes, counts, least)
    highest = likely_alpha(1.0 - 1e-6, alpha, t, sizes, counts, least)
    given = lowest, highest, t, sizes, counts, people, population, least
    value = log_unique_share(t, rest, people, population)
    return value, min(value, extreme_share(-1.0, *given)), max(value, extreme_share(1.0, *given))


@kernel
def log_missed(size, n, population):
    """Compute ln of prod_{i<size} (N-n+1-i)/(N-i): how much rarer a class shows one record than a unique.

    With h_j the probability that of j people exactly one is drawn, this is ln(h_j / (j h_1)).
    """
    above, below, d = population - n + 1.0, population, size - 1.0
    if above - d <= 0.0:
        return -np.inf
    near = 0.0
    while d > 0.0 and above - d < FAR + 0.5:
        near += math.log((above - d) / (below - d))
        d -= 1.0
    a, b = above - 0.5, below - 0.5
    far = d * math.log1p((1.0 - n) / b)
    far += (b - d) * phi(d / (b - d)) - (a - d) * phi(d / (a - d))
    far += log_gamma_tail(a) - log_gamma_tail(a - d) - log_gamma_tail(b) + log_gamma_tail(b - d)
    return near + far if d > 0.0 else near


@kernel
def zayatz(sizes, counts, removed, population):
    """Estimate the population uniques by Zayatz' procedure."""
    n, _, s1 = totals(sizes, counts, removed)
    if s1 == 0.0:
        return 0.0
    others = 0.0
    for k in range(1, sizes.size):
        others += counts[k] * sizes[k] * math.exp(log_missed(sizes[k], n, population))
    return s1 * s1 / (s1 + others) * (population / n)


@kernel
def shlosser(sizes, counts, removed, population):
    """Estimate the number of classes in the population (Shlosser, in the form of Haas and Stokes)."""
    n, u, s1 = totals(sizes, counts, removed)
    f = n / population
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(sizes.size):
        i = sizes[k]
        count = counts[k] - removed if i == 1 else counts[k]
        none = math.exp(i * math.log1p(-f))
        a += count * i * f * f * math.exp((i - 1) * math.log1p(-f * f))
        b -= count * math.exp(i * math.log1p(-f * f)) * math.expm1(-i * math.log1p(f))
        c += count * none
        d += count * i * f * none / (1.0 - f)
    return u + s1 * (a / b) * (c / d) ** 2


@kernel
def snb_step(spread, f, ratio):
    """Solve E[s2] / (f E[s1]) = ratio for alpha, where beta = 1 / (1 + exp(spread)).

    Returns alpha and ln(E[s1] / (K f)); the equation is quadratic in alpha, with one positive root.
    """
    v, rest = math.exp(-spread), 1.0 - f
    a, b, c = rest, 1.0 + f + 2.0 * v - 2.0 * ratio * rest * (v + f), 2.0 * ratio * (v + f) ** 2
    root = math.sqrt(b * b + 4.0 * a * c)
    alpha = 2.0 * c / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    drawn = spread + math.log(v + f) if spread > 0.0 else math.log1p(f / v)  # ln(1 + f exp(spread))
    return alpha, math.log1p(rest * alpha / (v + f)) - alpha * drawn


@kernel
def snb(sizes, counts, removed, population):
    """Estimate the population uniques by the slide negative binomial model; NaN without a solution."""
    n, _, s1 = totals(sizes, counts, removed)
    if s1 == 0.0 or n == population:
        return s1
    s2 = counts[1] if sizes.size > 1 and sizes[1] == 2 else 0
    f = n / population
    classes, ratio = shlosser(sizes, counts, removed, population), s2 / (s1 * f)
    target = math.log(s1 / (classes * f))
    low, high = -34.0, 34.0  # at the lower end beta is 1 to rounding
    if s2 == 0 or not snb_step(low, f, ratio)[1] > target:
        return np.nan
    while snb_step(high, f, ratio)[1] > target:
        low, high = high, 2.0 * high
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if snb_step(middle, f, ratio)[1] > target:
            low = middle
        else:
            high = middle
    log_beta = -high - math.log1p(math.exp(-high)) if high > 0.0 else -math.log1p(math.exp(high))
    return classes * math.exp(snb_step(high, f, ratio)[0] * log_beta)

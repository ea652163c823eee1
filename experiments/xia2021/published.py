"""What Xia et al. 2021 print: Tables 3 and 4, in percent. Everything here is [F] the paper."""

from __future__ import annotations

QUARTILES = ("q1", "median", "q3")
SIZES = (1000, 4000, 7000, 20_000, 40_000)

TABLE_3 = {
    "Twitter": {
        1000: (99.48, 99.70, 99.81),
        4000: (99.82, 99.92, 99.95),
        7000: (99.88, 99.95, 99.97),
        20_000: (99.94, 99.98, 99.99),
        40_000: (99.95, 99.98, 99.99),
    },
    "Voter registration": {
        1000: (67.47, 86.78, 93.86),
        4000: (88.16, 94.91, 97.87),
        7000: (92.22, 96.86, 98.67),
        20_000: (95.83, 98.38, 99.32),
        40_000: (96.63, 98.95, 99.57),
    },
}
"""Quartiles of the reduction in marketer risk; the first quartiles of the other two are 100 %."""

TABLE_4 = {
    (0.2, 0.2, 0.2, 0.2): {"Twitter": (96.85, 100.0, 100.0), "Voter registration": (42.42, 91.18, 96.84)},
    (0.5, 0.5, 0.5, 0.5): {"Twitter": (97.49, 100.0, 100.0), "Voter registration": (37.85, 90.38, 95.69)},
    (0.8, 0.8, 0.8, 0.8): {"Twitter": (97.51, 100.0, 100.0), "Voter registration": (30.20, 88.36, 94.59)},
    (0.5, 0.2, 0.8, 0.5): {"Twitter": (98.47, 100.0, 100.0), "Voter registration": (41.20, 95.56, 98.51)},
    (0.2, 0.2, 0.5, 0.8): {"Twitter": (98.46, 100.0, 100.0), "Voter registration": (65.21, 95.47, 98.46)},
}  # fmt: skip
"""Quartiles of the reduction in overall risk by (p_m, p_c, p_fm, p_cu), as in the table's columns."""

JOURNALIST = 0.66
"""The worst-case journalist risk of over 90 % of 1,000 subjects."""
WORST_CASE_MEDIAN, WORST_CASE_PARAMETER = 0.987, 0.8
"""The median of the worst-case overall risk, and the highest of the parameters it is printed for."""

TABLE_4_AVERAGE = {"Twitter": (97.73, 100.0, 100.0), "Voter registration": (38.69, 90.89, 95.98)}
"""Over all 81 settings."""

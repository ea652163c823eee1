"""What attackers know of people, and how likely they find somebody: three lines of thought, one room.

*scenarios*: attackers who know some things and not others (Xia et al. 2021), summed over all of it.
*external sources*: those that a steward states, one after the other (Simon et al. 2020).
*disclosure*: every combination of what people tell elsewhere (the naive re-identification framework).

Risk models limit what is computed here; `assessment` says it of a table and its policy.
"""

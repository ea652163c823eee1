"""Attackers who know some things and not others: what a scenario means for each record."""

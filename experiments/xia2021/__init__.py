"""Attackers with imperfect knowledge: the experiments of Xia et al. 2021, and what they leave open."""

"""Iris memory: what an agent's files say now, never what they said before."""

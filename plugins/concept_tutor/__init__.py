"""Concept tutor: questions and explanations proved by pages that one can open."""

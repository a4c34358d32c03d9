"""Contracts of replaceable parts as test classes: subclass one and provide your own object as a fixture.

Each ``test_…`` method is one clause; its arguments are fixtures of the subclass. A failing clause has a message that
says what is wrong. Nothing here imports pytest.
"""

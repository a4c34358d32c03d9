"""Fault injection that tests what is promised about stored documents and the server: ``make faults``.

``python -m faults --help`` says how to run a part. Each module has a scenario or two: a function that gets a
``Run`` (a folder, a seed, short or full), does the damage to real processes, files and disks, and raises
``AssertionError`` where a promise does not hold. ``truth`` reads the catalog past the product and searches it by brute
force; ``models`` has vectors of real size that cost nothing; ``actors`` are processes that may be killed.
``tests/test_faults.py`` runs the short form of each.
"""

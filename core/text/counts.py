"""Numbers with their nouns."""


def counted(**numbers: int) -> str:
    """The numbers with their nouns, by singular: ``counted(file=1, page=2000)`` is "1 file, 2,000 pages"."""
    return ", ".join(f"{number:,} {noun}{'s' * (number != 1)}" for noun, number in numbers.items())

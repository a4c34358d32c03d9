"""Safety warnings before procedures, and simulation told apart from hardware."""

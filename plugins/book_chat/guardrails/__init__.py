"""Safety warnings before procedures, and the distinction of simulation and hardware."""

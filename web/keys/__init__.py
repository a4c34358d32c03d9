"""Keys of clients beyond this machine: each for some interfaces and some assistants, or for all."""

"""The commands of ``ragstone tutor``, a module for each group of them."""

"""Keys for those who come from elsewhere: who may come through which door, and ask which assistants."""

"""The interface for agents: assistants as tools of the Model Context Protocol, over stdio and over HTTP."""

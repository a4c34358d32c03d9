"""Book chat: a tutor that answers only from one book."""

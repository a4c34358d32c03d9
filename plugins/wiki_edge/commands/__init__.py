"""``ragstone wiki``: one module for each command or pair of them."""

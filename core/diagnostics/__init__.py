"""``ragstone doctor``: checks all parts of a deployment, however broken it is, and reports how to repair them."""

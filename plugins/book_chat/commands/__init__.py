"""``ragstone book``: the shelf, its queue and its followed folders."""

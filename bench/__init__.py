"""Speed and memory of Ragstone beside plain LlamaIndex: ``make bench``, or ``python -m bench --help``.

Every measurement runs in a fresh process (``children``) over the same files, questions and weights:
``ragstone_measurements``, ``peer``, ``encoders``, ``command``. ``summary`` makes ratios and targets of them, ``report``
tables. Nothing here is asserted: a figure depends on the machine, which ``machine`` describes.
"""

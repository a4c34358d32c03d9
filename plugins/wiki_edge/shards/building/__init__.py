"""Builds shards: plan, parts by any number of workers, merge; exports a corpus as one."""

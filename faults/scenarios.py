"""Every scenario, in the order in which they run."""

from __future__ import annotations

from .book_queue import queued_books
from .failing_encoder import failing_encoder
from .four_workers import restarted_under_readers
from .full_disk import full_catalog
from .full_parts import full_encoder_cache, full_eval_cache, full_index
from .ingestion_kills import killed_while_ingesting
from .memory_updates import memory_at_random
from .memory_watcher import never_resting_writer
from .overload import (
    dripping_clients,
    expensive_requests,
    frozen_database,
    more_requests_than_time,
    unwanted_bodies,
)
from .part_kills import killed_while_building
from .processes import forked_host, second_process
from .run import Scenario
from .sequences import changed_at_random
from .server import serving_again
from .shards import full_shards, killed_while_installing
from .stores import damaged_stores
from .versions import other_versions
from .web_workers import working_together

SCENARIOS = (
    Scenario("kill-ingest", "no acknowledged document is lost, none is half there", killed_while_ingesting),
    Scenario("book-queue", "every queued book once, none lost, a kill costs its own book's time", queued_books),
    Scenario("kill-serve", "a server that was killed serves again, with the Chroma store and without", serving_again),
    Scenario("chroma-damage", "a damaged store is found out, made anew, and never asked", damaged_stores),
    Scenario("two-processes", "neither hangs or corrupts; one has Chroma, the other takes it up", second_process),
    Scenario("fork", "an inherited host is refused with clear words, the parent's is unharmed", forked_host),
    Scenario("full-catalog", "reported as StorageFull, answers go on, whole again when there is space", full_catalog),
    Scenario("full-index", "exact search answers, the index comes when there is space", full_index),
    Scenario("full-encoder", "the model is made in passing, and kept when there is space", full_encoder_cache),
    Scenario("full-eval", "reported as StorageFull, complete when there is space", full_eval_cache),
    Scenario(
        "kill-install", "the old shards serve or the new ones, whole, and nothing is left over", killed_while_installing
    ),
    Scenario("kill-parts", "one SHA-256 however many workers and kills; a kill costs a part", killed_while_building),
    Scenario("full-shards", "reported as StorageFull, the old shards serve", full_shards),
    Scenario("encoder-fails", "the old version of a document is served", failing_encoder),
    Scenario("sequences", "brought up to date is the same as read anew", changed_at_random),
    Scenario("expensive", "health is answered beside requests that compute for long", expensive_requests),
    Scenario(
        "overload", "answered in time or refused with 503 and Retry-After, health always", more_requests_than_time
    ),
    Scenario("dripping", "connections that drip are closed, and others answered meanwhile", dripping_clients),
    Scenario("unwanted-bodies", "refused by their headers, nothing of them is kept on the disk", unwanted_bodies),
    Scenario("frozen-database", "health says within 2 s that the catalog does not come back", frozen_database),
    Scenario("memory-sequences", "the memory is as the files are, whenever an update is killed", memory_at_random),
    Scenario("memory-writer", "watching a writer that never rests, nothing is missed or grows", never_resting_writer),
    Scenario("other-version", "reported, rebuilt beside through kills, the old one answers", other_versions),
    Scenario(
        "two-workers", "two workers and an ingestion at once: no wrong answer, no lost document", working_together
    ),
    Scenario(
        "four-workers",
        "eight clients, new books, PostgreSQL with pgvector restarted: no wrong answer, no lost book",
        restarted_under_readers,
    ),
)

"""SQL of ``queue`` and ``queue_worker``, on procrastinate's tables and one of our own."""

from __future__ import annotations

from sqlalchemy import ARRAY, bindparam, text
from sqlalchemy.types import Text

TABLES = """
    CREATE TABLE queue_progress (
        job_id BIGINT PRIMARY KEY REFERENCES procrastinate_jobs (id) ON DELETE CASCADE,
        queue_name TEXT NOT NULL, worker TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, note JSONB NOT NULL, claim TEXT,
        UNIQUE (queue_name, claim)
    )
"""
STATES = text("SELECT status::text, count(*) FROM procrastinate_jobs WHERE queue_name = :queue GROUP BY status")
_JOBS = """
    SELECT id, args, status::text, attempts, coalesce(worker, '') AS worker, coalesce(note, '{}') AS note
    FROM procrastinate_jobs LEFT JOIN queue_progress ON job_id = id
    WHERE procrastinate_jobs.queue_name = :queue AND
"""
RUNNING = text(f"{_JOBS} status = 'doing' ORDER BY id LIMIT :most")
FAILED = text(f"{_JOBS} status = 'failed' ORDER BY id DESC LIMIT :most")
ENDED = text(
    """
    SELECT count(*) FILTER (WHERE type IN ('succeeded', 'failed')), extract(epoch FROM now() - min(at))
    FROM procrastinate_events JOIN procrastinate_jobs ON job_id = procrastinate_jobs.id
    WHERE queue_name = :queue AND at > now() - make_interval(secs => :seconds)
      AND type IN ('started', 'succeeded', 'failed')
    """
)
WAITING_OR_RUNNING = text(
    "SELECT queueing_lock FROM procrastinate_jobs "
    "WHERE queue_name = :queue AND status IN ('todo', 'doing') AND queueing_lock = ANY(:keys)"
).bindparams(bindparam("keys", type_=ARRAY(Text)))
#: A new filling of an idle queue is counted from nothing; and what is queued again has not failed any more.
FORGET_DONE = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND status IN ('succeeded', 'cancelled') AND NOT EXISTS "
    "(SELECT FROM procrastinate_jobs WHERE queue_name = :queue AND status IN ('todo', 'doing'))"
)
FORGET_FAILED = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND status IN ('failed', 'succeeded') "
    "AND queueing_lock = ANY(:keys)"
).bindparams(bindparam("keys", type_=ARRAY(Text)))
RETRY = text(
    "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL, worker_id = NULL "
    "WHERE queue_name = :queue AND status = 'failed'"
)
CLEAR = text("DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND status <> 'doing'")

# For a worker; those without `text` go through procrastinate's own connections.

# One statement: the job's row is locked and looked at again, so that no job is taken away twice.
TAKE_FROM_DEAD = """
    WITH dead AS (
        UPDATE procrastinate_jobs AS job SET attempts = attempts + 1, worker_id = NULL, status = CASE
            WHEN attempts + 1 >= %(most)s THEN 'failed' ELSE 'todo' END::procrastinate_job_status
        WHERE queue_name = %(queue)s AND status = 'doing' AND (worker_id IS NULL OR EXISTS (
            SELECT FROM procrastinate_workers AS worker
            WHERE worker.id = job.worker_id AND last_heartbeat < now() - make_interval(secs => %(lease)s)))
        RETURNING id, status::text AS status, attempts
    ),
    noted AS (
        INSERT INTO queue_progress (job_id, queue_name, worker, at, note)
        SELECT id, %(queue)s, '', now(), jsonb_build_object(
            'problem', 'its worker died ' || attempts || ' times; see the workers'' logs')
        FROM dead WHERE status = 'failed'
        ON CONFLICT (job_id) DO UPDATE SET note = excluded.note, claim = NULL
    )
    SELECT id, status FROM dead
"""
GIVE_BACK = """
    UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL
    WHERE id = %(job)s AND worker_id = %(worker)s AND status = 'doing'
"""
IS_HELD = """
    SELECT count(*) AS held FROM procrastinate_jobs WHERE id = %(job)s AND worker_id = %(worker)s AND status = 'doing'
"""
REPORT = text(
    """
    INSERT INTO queue_progress (job_id, queue_name, worker, at, note, claim)
    SELECT id, queue_name, :name, now(), CAST(:note AS jsonb), CAST(:claim AS text) FROM procrastinate_jobs
    WHERE id = :job AND worker_id = :worker AND status = 'doing'
    ON CONFLICT (job_id) DO UPDATE SET worker = excluded.worker, at = excluded.at, note = excluded.note,
        claim = excluded.claim
    RETURNING job_id
    """
)

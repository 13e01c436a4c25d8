-- Weir's tables and how they are read, in PostgreSQL, version 1. Applied by Weir itself, or by you before it starts.
-- They go to the first schema of the search path. Times are microseconds since 1970.
-- No constraint knows a limit's numbers: limits may change at any time.

CREATE TABLE weir_schema (
  version integer NOT NULL PRIMARY KEY CHECK (version > 0)
);

-- One row for each key of which something is spent. What a, b and more mean depends on the policy:
--   bucket   a: units missing until it is full, b: when that was so
--   fixed    a: when the window began,          b: what was spent in it
--   calendar a: when the window began (ms),     b: what was spent in it
--   streak   a: the count, b: the last charge,  more: the first charge
--   sliding  a: the sum of the log, b: 0,       more: the log, times and units by turns
--   slots    a and b: 0,                        more: the leases
-- policy: what governs the key. After a reset 'reset:TIME:COUNT' stands before it, or alone if nothing was spent since.
-- whole_at: when the row carries no information any more, at the latest. It has no index, so that an update touches
-- none (HOT); rows are cleaned up in the order of their keys.
-- room: bytes that mean nothing, in a row that was written once only. The next charge does without them, so that pages
-- of rows that are charged again and again come to be half empty, and old versions are removed many at a time.
CREATE TABLE weir_budget (
  key      bytea       NOT NULL PRIMARY KEY,
  policy   text        COLLATE "C" NOT NULL,
  a        bigint      NOT NULL,
  b        bigint      NOT NULL,
  more     bigint[],
  whole_at bigint      NOT NULL,
  room     bytea,
  -- One constraint rather than five: each is made ready anew by every statement, which costs as much as a row.
  CONSTRAINT weir_budget_is_sound CHECK (
    octet_length(key) <= 200 AND octet_length(policy) BETWEEN 1 AND 200 AND least(a, b, whole_at) >= 0)
) WITH (fillfactor = 90);

-- Reservations and leases, with the keys and locks of the budgets that they hold of.
CREATE TABLE weir_hold (
  id       bytea       NOT NULL PRIMARY KEY CHECK (octet_length(id) <= 200),
  content  bytea       NOT NULL CHECK (octet_length(content) > 0),
  keys     bytea[]     NOT NULL,
  locks    bigint[]    NOT NULL,
  ends_at  bigint      NOT NULL CHECK (ends_at >= 0),
  closed   boolean     NOT NULL
);

-- When a policy was first met whose buckets do not start full.
CREATE TABLE weir_met (
  policy   text        COLLATE "C" NOT NULL PRIMARY KEY CHECK (octet_length(policy) BETWEEN 1 AND 200),
  at       bigint      NOT NULL CHECK (at >= 0)
);

-- By how much the clock was ever set back, and the latest time that was seen.
CREATE TABLE weir_clock (
  one      integer     NOT NULL PRIMARY KEY CHECK (one = 1),
  ahead    bigint      NOT NULL CHECK (ahead >= 0),
  latest   bigint      NOT NULL CHECK (latest >= 0)
);

INSERT INTO weir_clock (one, ahead, latest) VALUES (1, 0, 0);

-- What administrators have set, as one checksummed document, and who changed what.
CREATE TABLE weir_settings (
  one      integer     NOT NULL PRIMARY KEY CHECK (one = 1),
  version  bigint      NOT NULL CHECK (version >= 0),
  document bytea       NOT NULL
);

CREATE TABLE weir_audit (
  version  bigint      NOT NULL PRIMARY KEY CHECK (version > 0),
  entry    bytea       NOT NULL
);

-- Answers to requests that carry an idempotency key. Without an answer, the request is being worked on.
CREATE TABLE weir_response (
  key      bytea       NOT NULL PRIMARY KEY CHECK (octet_length(key) <= 200),
  owner    text        NOT NULL,
  request  bytea       NOT NULL,
  answer   bytea,
  ends_at  bigint      NOT NULL CHECK (ends_at >= 0)
);

-- The functions below are planned once: plans for the very arguments would cost more than all they do. What they look
-- for they find by the primary key, also while the table is small.

-- The time now, in microseconds, never going back as far as the caller knows.
--   p_latest  the latest time that the caller has seen, before it asked
--   p_clock   a test's clock in place of the database's, or null
CREATE FUNCTION weir_now(p_latest bigint, p_clock bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_raw   bigint := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  v_ahead bigint;
BEGIN
  SELECT c.ahead INTO STRICT v_ahead FROM weir_clock c WHERE c.one = 1;
  IF v_raw + v_ahead < p_latest THEN
    UPDATE weir_clock SET ahead = greatest(ahead, p_latest - v_raw) RETURNING ahead INTO v_ahead;
  END IF;
  RETURN v_raw + v_ahead;
END $$;

-- Locks rows, whether they exist or not, and tells what is in them.
--   p_locks   locks of the keys, ids and policies
--   p_keys    keys of budgets; those of the holds are loaded, too
--   p_ids     ids of holds
--   p_met     policies of which it matters when they were met
-- kind 0: the time (a) and the calendar's (b, ms); 1: a budget; 2: a hold (a: ends_at, b: closed); 3: a policy that was met (a: when)
CREATE FUNCTION weir_load(
  p_locks bigint[], p_keys bytea[], p_ids bytea[], p_met text[], p_latest bigint, p_clock bigint
) RETURNS TABLE (kind integer, key bytea, policy text, a bigint, b bigint, more bigint[], content bytea)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_keys  bytea[];
  v_locks bigint[];
BEGIN
  IF cardinality(p_ids) > 0 THEN
    SELECT array_agg(u.k), array_agg(u.l) INTO v_keys, v_locks
      FROM weir_hold h, unnest(h.keys, h.locks) u(k, l) WHERE h.id = ANY (p_ids);
  END IF;
  PERFORM pg_advisory_xact_lock(s.l)
    FROM (SELECT DISTINCT u.l FROM unnest(p_locks || v_locks) u(l) ORDER BY u.l) s;
  RETURN QUERY SELECT 0, NULL::bytea, NULL::text, weir_now(p_latest, p_clock),
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, NULL::bigint[], NULL::bytea;
  RETURN QUERY SELECT 1, w.key, w.policy, w.a, w.b, w.more, NULL::bytea
    FROM weir_budget w WHERE w.key = ANY (p_keys || v_keys);
  IF cardinality(p_ids) > 0 THEN
    -- A hold that came, or came again with other keys, while this waited for the locks: from the beginning.
    IF EXISTS (SELECT FROM weir_hold h WHERE h.id = ANY (p_ids) AND NOT h.locks <@ (p_locks || v_locks)) THEN
      RAISE EXCEPTION 'a hold changed while it was looked for' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN QUERY SELECT 2, h.id, NULL::text, h.ends_at, h.closed::integer::bigint, NULL::bigint[], h.content
      FROM weir_hold h WHERE h.id = ANY (p_ids);
  END IF;
  IF cardinality(p_met) > 0 THEN
    RETURN QUERY SELECT 3, NULL::bytea, m.policy, m.at, 0::bigint, NULL::bigint[], NULL::bytea
      FROM weir_met m WHERE m.policy = ANY (p_met);
  END IF;
END $$;

INSERT INTO weir_schema (version) VALUES (1);

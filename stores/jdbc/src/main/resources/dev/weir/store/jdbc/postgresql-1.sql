-- Weir's tables and functions in PostgreSQL, version 1. Applied by Weir itself, or by you before it starts.
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
-- whole_at: when the row carries no information any more, at the latest. It has no index, so that an update touches
-- none (HOT); rows are cleaned up in the order of their keys.
CREATE TABLE weir_budget (
  key      bytea       NOT NULL PRIMARY KEY CHECK (octet_length(key) <= 200),
  policy   text        COLLATE "C" NOT NULL CHECK (octet_length(policy) BETWEEN 1 AND 200),
  a        bigint      NOT NULL CHECK (a >= 0),
  b        bigint      NOT NULL CHECK (b >= 0),
  more     bigint[],
  whole_at bigint      NOT NULL CHECK (whole_at >= 0)
) WITH (fillfactor = 70);

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

-- The time now, in microseconds, never going back as far as the caller knows.
--   p_latest  the latest time that the caller has seen, before it asked
--   p_clock   a test's clock in place of the database's, or null
CREATE FUNCTION weir_now(p_latest bigint, p_clock bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_raw   bigint := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  v_ahead bigint;
BEGIN
  SELECT c.ahead INTO STRICT v_ahead FROM weir_clock c;
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
LANGUAGE plpgsql SET enable_seqscan = off AS $$
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

-- Decides many requests in one step: each spends all of its charges or none, in the order in which they are given.
--   p_locks            locks of the keys, ascending
-- for each key:
--   p_keys, p_policies
--   p_kinds            0 closed, 1 bucket, 2 fixed, 3 calendar, 4 streak, 5 sliding
--   p_most             how much it takes at most (bucket: units of a full one; others: the limit)
--   p_n                bucket: units that come back in a tick; fixed, sliding: period; streak: quiet; calendar: start (ms)
--   p_m                sliding: the grain; calendar: end (ms)
--   p_a0, p_b0         a and b of a key that has no row
--   p_keep             for how long a row carries information, at most
-- for each request:
--   p_first            the index of its first charge; one more entry than there are requests
-- for each charge:
--   p_rows             the index of its key
--   p_units            how much it asks for, more than p_most if that is impossible
-- and the time as in weir_now, with p_wall for a test's calendar (ms).
-- Row 0 tells a: the time, b: the calendar's (ms), seen: how many requests were admitted, or -1 if the time is in none
-- of the calendar windows given: then nothing was done. The others tell each key's row as it was before, with seen 0 if
-- there was none, 1 if there was, 2 if another policy keeps it: requests that charge such a key are left undecided.
CREATE FUNCTION weir_consume(
  p_locks bigint[], p_keys bytea[], p_policies text[], p_kinds integer[], p_most bigint[], p_n bigint[], p_m bigint[],
  p_a0 bigint[], p_b0 bigint[], p_keep bigint[], p_first integer[], p_rows integer[], p_units bigint[],
  p_latest bigint, p_clock bigint, p_wall bigint
) RETURNS TABLE (i integer, seen integer, a bigint, b bigint, more bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_now      bigint;
  v_wall     bigint;
  v_row      record;
  v_used     bigint[] := p_a0;
  v_spent    bigint[] := array_fill(0::bigint, ARRAY[cardinality(p_keys)]);
  v_start    bigint[] := p_b0;
  v_foreign  boolean[] := array_fill(false, ARRAY[cardinality(p_keys)]);
  v_log      bigint[];
  v_at       integer;
  v_r        integer;
  v_end      integer;
  v_fits     boolean;
  v_admitted integer := 0;
  w_keys     bytea[] := '{}';
  w_policies text[] := '{}';
  w_a        bigint[] := '{}';
  w_b        bigint[] := '{}';
  w_whole    bigint[] := '{}';
BEGIN
  PERFORM pg_advisory_xact_lock(u.l) FROM unnest(p_locks) u(l);
  v_now := weir_now(p_latest, p_clock);
  v_wall := coalesce(p_wall, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);

  i := 0;
  a := v_now;
  b := v_wall;
  FOR v_r IN 1 .. cardinality(p_keys) LOOP
    IF p_kinds[v_r] = 3 AND (v_wall < p_n[v_r] OR v_wall >= p_m[v_r]) THEN
      seen := -1;
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;

  -- What is used of each budget now: a count that charges are added to, whatever the policy.
  FOR v_row IN
    SELECT k.i, w.key IS NOT NULL AS is_there, w.policy IS DISTINCT FROM p_policies[k.i] AS is_other, w.a, w.b, w.more
      FROM unnest(p_keys) WITH ORDINALITY k(key, i) LEFT JOIN weir_budget w ON w.key = k.key
  LOOP
    v_r := v_row.i;
    IF NOT v_row.is_there THEN
      v_row.a := p_a0[v_r];
      v_row.b := p_b0[v_r];
      v_row.is_other := false;
    END IF;
    i := v_r;
    a := v_row.a;
    b := v_row.b;
    more := v_row.more;
    CASE p_kinds[v_r]
      WHEN 1 THEN
        IF v_now <= v_row.b THEN
          v_used[v_r] := v_row.a;
        ELSIF v_now - v_row.b >= (v_row.a + p_n[v_r] - 1) / p_n[v_r] THEN
          v_used[v_r] := 0;
        ELSE
          v_used[v_r] := v_row.a - (v_now - v_row.b) * p_n[v_r];
        END IF;
      WHEN 2 THEN
        IF v_row.b = 0 OR v_now - v_row.a >= p_n[v_r] THEN
          v_used[v_r] := 0;
          v_start[v_r] := v_now;
        ELSE
          v_used[v_r] := v_row.b;
          v_start[v_r] := least(v_row.a, v_now);
        END IF;
      WHEN 3 THEN
        -- A count in a later window is there because the calendar was set back: that takes more than a count.
        v_row.is_other := v_row.is_other OR v_row.a > p_n[v_r];
        v_used[v_r] := CASE WHEN v_row.a < p_n[v_r] THEN 0 ELSE v_row.b END;
        v_start[v_r] := p_n[v_r];
      WHEN 4 THEN
        IF v_row.a > 0 AND v_now - v_row.b < p_n[v_r] THEN
          v_used[v_r] := v_row.a;
          v_start[v_r] := v_row.more[1];
        ELSE
          v_used[v_r] := 0;
          v_start[v_r] := v_now;
        END IF;
      WHEN 5 THEN
        v_used[v_r] := v_row.a;
        IF v_row.is_there AND NOT v_row.is_other THEN
          v_log := v_row.more;
          v_at := 1;
          WHILE v_at < cardinality(v_log) AND v_now - v_log[v_at] >= p_n[v_r] LOOP
            v_used[v_r] := v_used[v_r] - v_log[v_at + 1];
            v_at := v_at + 2;
          END LOOP;
          v_start[v_r] := v_at;
          v_row.is_other :=
            cardinality(v_log) > 0 AND v_log[cardinality(v_log) - 1] > v_now / p_m[v_r] * p_m[v_r] + p_m[v_r] - 1;
        END IF;
      ELSE
        v_used[v_r] := 0;
    END CASE;
    v_foreign[v_r] := v_row.is_other;
    seen := CASE WHEN v_row.is_other THEN 2 WHEN v_row.is_there THEN 1 ELSE 0 END;
    RETURN NEXT;
  END LOOP;

  -- Each request: spend charge by charge, and take it back where one does not fit.
  FOR v_d IN 1 .. cardinality(p_first) - 1 LOOP
    v_fits := true;
    v_end := p_first[v_d];
    FOR v_c IN p_first[v_d] .. p_first[v_d + 1] - 1 LOOP
      v_r := p_rows[v_c];
      IF v_foreign[v_r] OR p_units[v_c] > p_most[v_r] - v_used[v_r] THEN
        v_fits := false;
        EXIT;
      END IF;
      v_used[v_r] := v_used[v_r] + p_units[v_c];
      v_spent[v_r] := v_spent[v_r] + p_units[v_c];
      v_end := v_c + 1;
    END LOOP;
    IF v_fits THEN
      v_admitted := v_admitted + 1;
    ELSE
      FOR v_c IN p_first[v_d] .. v_end - 1 LOOP
        v_r := p_rows[v_c];
        v_used[v_r] := v_used[v_r] - p_units[v_c];
        v_spent[v_r] := v_spent[v_r] - p_units[v_c];
      END LOOP;
    END IF;
  END LOOP;

  FOR v_r IN 1 .. cardinality(p_keys) LOOP
    CONTINUE WHEN v_spent[v_r] = 0;
    IF p_kinds[v_r] = 5 THEN
      PERFORM weir_append(p_keys[v_r], p_policies[v_r], v_start[v_r]::integer, v_used[v_r], v_spent[v_r],
        v_now / p_m[v_r] * p_m[v_r] + p_m[v_r] - 1, v_now + p_keep[v_r]);
    ELSIF p_kinds[v_r] = 4 THEN
      INSERT INTO weir_budget AS w (key, policy, a, b, more, whole_at)
        VALUES (p_keys[v_r], p_policies[v_r], v_used[v_r], v_now, ARRAY[v_start[v_r]], v_now + p_keep[v_r])
        ON CONFLICT ON CONSTRAINT weir_budget_pkey DO UPDATE
        SET a = excluded.a, b = excluded.b, more = excluded.more, whole_at = excluded.whole_at;
    ELSE
      w_keys := w_keys || p_keys[v_r];
      w_policies := w_policies || p_policies[v_r];
      w_a := w_a || CASE WHEN p_kinds[v_r] = 1 THEN v_used[v_r] ELSE v_start[v_r] END;
      w_b := w_b || CASE WHEN p_kinds[v_r] = 1 THEN v_now ELSE v_used[v_r] END;
      w_whole := w_whole || v_now + p_keep[v_r];
    END IF;
  END LOOP;
  IF cardinality(w_keys) > 0 THEN
    INSERT INTO weir_budget AS w (key, policy, a, b, whole_at)
      SELECT u.k, u.p, u.x, u.y, u.z FROM unnest(w_keys, w_policies, w_a, w_b, w_whole) u(k, p, x, y, z)
      ON CONFLICT ON CONSTRAINT weir_budget_pkey DO UPDATE
      SET a = excluded.a, b = excluded.b, whole_at = excluded.whole_at;
  END IF;

  i := 0;
  seen := v_admitted;
  a := v_now;
  b := v_wall;
  more := NULL;
  RETURN NEXT;
END $$;

-- Adds to a sliding window's log, and leaves out what no longer counts.
--   p_from   the index of the first entry that still counts
--   p_sum    the sum of the log afterwards
--   p_units  what is spent, at the time p_time
CREATE FUNCTION weir_append(
  p_key bytea, p_policy text, p_from integer, p_sum bigint, p_units bigint, p_time bigint, p_whole bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO weir_budget AS w (key, policy, a, b, more, whole_at)
    VALUES (p_key, p_policy, p_sum, 0, ARRAY[p_time, p_units], p_whole)
    ON CONFLICT (key) DO UPDATE SET
      a = excluded.a,
      more = CASE
        WHEN p_from < cardinality(w.more) AND w.more[cardinality(w.more) - 1] = p_time
          THEN w.more[p_from : cardinality(w.more) - 1] || w.more[cardinality(w.more)] + p_units
        ELSE w.more[p_from :] || excluded.more
      END,
      whole_at = excluded.whole_at;
END $$;

INSERT INTO weir_schema (version) VALUES (1);

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

-- Writes what questions have changed in rows that weir_load has locked.
--   p_gone             keys of budgets that are whole
-- for each budget:
--   p_keys … p_whole   its columns; of p_more, which has all of theirs, its own from p_from up to p_to, or null
-- for each hold:
--   p_ids … p_closed   its columns; empty content for one that is over
-- for each key that a hold draws on:
--   p_owners           the index of the hold
--   p_held, p_locks    the key and its lock
-- and p_met, when met at p_met_at.
CREATE FUNCTION weir_write(
  p_gone bytea[], p_keys bytea[], p_policies text[], p_a bigint[], p_b bigint[], p_more bigint[], p_from integer[],
  p_to integer[], p_whole bigint[], p_ids bytea[], p_contents bytea[], p_ends bigint[], p_closed bigint[],
  p_owners integer[], p_held bytea[], p_locks bigint[], p_met text[], p_met_at bigint
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF cardinality(p_gone) > 0 THEN
    DELETE FROM weir_budget w WHERE w.key = ANY (p_gone);
  END IF;
  IF cardinality(p_keys) > 0 THEN
    INSERT INTO weir_budget (key, policy, a, b, more, whole_at)
      SELECT u.key, u.policy, u.a, u.b, CASE WHEN u.f > 0 THEN p_more[u.f : u.t] END, u.whole
        FROM unnest(p_keys, p_policies, p_a, p_b, p_from, p_to, p_whole) u(key, policy, a, b, f, t, whole)
      ON CONFLICT (key) DO UPDATE SET policy = excluded.policy, a = excluded.a, b = excluded.b, more = excluded.more,
        whole_at = excluded.whole_at;
  END IF;
  IF cardinality(p_ids) > 0 THEN
    DELETE FROM weir_hold h USING unnest(p_ids, p_contents) u(id, content) WHERE h.id = u.id AND u.content = '';
    INSERT INTO weir_hold (id, content, keys, locks, ends_at, closed)
      SELECT u.id, u.content,
          ARRAY(SELECT k.key FROM unnest(p_owners, p_held) k(i, key) WHERE k.i = u.i),
          ARRAY(SELECT k.lock FROM unnest(p_owners, p_locks) k(i, lock) WHERE k.i = u.i),
          u.ends, u.closed = 1
        FROM unnest(p_ids, p_contents, p_ends, p_closed) WITH ORDINALITY u(id, content, ends, closed, i)
        WHERE u.content <> ''
      ON CONFLICT (id) DO UPDATE SET content = excluded.content, keys = excluded.keys, locks = excluded.locks,
        ends_at = excluded.ends_at, closed = excluded.closed;
  END IF;
  IF cardinality(p_met) > 0 THEN
    INSERT INTO weir_met (policy, at) SELECT u.policy, p_met_at FROM unnest(p_met) u(policy) ON CONFLICT DO NOTHING;
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
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_raw      bigint;
  v_now      bigint;
  v_wall     bigint;
  v_seen     integer[];
  v_a        bigint[];
  v_b        bigint[];
  v_used     bigint[];
  v_start    bigint[];
  v_spent    bigint[] := array_fill(0::bigint, ARRAY[cardinality(p_keys)]);
  v_at       integer;
  v_r        integer;
  v_end      integer;
  v_fits     boolean;
  v_admitted integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(u.l) FROM unnest(p_locks) u(l);
  -- As weir_now does, without the cost of a call.
  v_raw := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  SELECT v_raw + c.ahead INTO STRICT v_now FROM weir_clock c WHERE c.one = 1;
  IF v_now < p_latest THEN
    v_now := weir_now(p_latest, p_clock);
  END IF;
  v_wall := coalesce(p_wall, v_raw / 1000);

  IF 3 = ANY (p_kinds) THEN
    FOR v_r IN 1 .. cardinality(p_keys) LOOP
      IF p_kinds[v_r] = 3 AND (v_wall < p_n[v_r] OR v_wall >= p_m[v_r]) THEN
        RETURN QUERY SELECT 0, -1, v_now, v_wall, NULL::bigint[];
        RETURN;
      END IF;
    END LOOP;
  END IF;

  -- What is used of each budget now: a count that charges are added to, whatever the policy. A calendar's count in a
  -- later window is there because the calendar was set back: that takes more than a count.
  SELECT array_agg(s.seen ORDER BY s.i), array_agg(s.a ORDER BY s.i), array_agg(s.b ORDER BY s.i),
      array_agg(CASE s.kind
        WHEN 1 THEN CASE
          WHEN v_now <= s.b THEN s.a
          WHEN v_now - s.b >= (s.a + s.n - 1) / s.n THEN 0
          ELSE s.a - (v_now - s.b) * s.n END
        WHEN 2 THEN CASE WHEN v_now - s.a >= s.n THEN 0 ELSE s.b END
        WHEN 3 THEN CASE WHEN s.a < s.n THEN 0 ELSE s.b END
        WHEN 4 THEN CASE WHEN v_now - s.b >= s.n THEN 0 ELSE s.a END
        ELSE s.a END ORDER BY s.i),
      array_agg(CASE s.kind
        WHEN 2 THEN CASE WHEN s.b = 0 OR v_now - s.a >= s.n THEN v_now ELSE least(s.a, v_now) END
        WHEN 3 THEN s.n
        WHEN 5 THEN 1
        ELSE v_now END ORDER BY s.i)
    INTO v_seen, v_a, v_b, v_used, v_start
    FROM (
      SELECT k.i, k.kind, k.n, coalesce(w.a, k.a0) AS a, coalesce(w.b, k.b0) AS b,
          CASE WHEN w.key IS NULL THEN 0 WHEN w.policy <> k.policy OR k.kind = 3 AND w.a > k.n THEN 2 ELSE 1 END AS seen
        FROM unnest(p_keys, p_policies, p_kinds, p_n, p_a0, p_b0)
          WITH ORDINALITY k(key, policy, kind, n, a0, b0, i)
        LEFT JOIN LATERAL (SELECT * FROM weir_budget t WHERE t.key = k.key OFFSET 0) w ON true
    ) s;

  -- Those with a log: leave out what no longer counts.
  IF 4 = ANY (p_kinds) OR 5 = ANY (p_kinds) THEN
    FOR v_r IN 1 .. cardinality(p_keys) LOOP
      CONTINUE WHEN p_kinds[v_r] < 4;
      more := NULL;
      IF v_seen[v_r] = 1 THEN
        SELECT w.more INTO STRICT more FROM weir_budget w WHERE w.key = p_keys[v_r];
        IF p_kinds[v_r] = 5 THEN
          v_at := 1;
          WHILE v_at < cardinality(more) AND v_now - more[v_at] >= p_n[v_r] LOOP
            v_used[v_r] := v_used[v_r] - more[v_at + 1];
            v_at := v_at + 2;
          END LOOP;
          v_start[v_r] := v_at;
          IF more[cardinality(more) - 1] > v_now / p_m[v_r] * p_m[v_r] + p_m[v_r] - 1 THEN
            v_seen[v_r] := 2;
          END IF;
        ELSIF v_used[v_r] > 0 THEN
          v_start[v_r] := more[1];
        END IF;
      END IF;
      i := v_r;
      seen := v_seen[v_r];
      a := v_a[v_r];
      b := v_b[v_r];
      RETURN NEXT;
    END LOOP;
  END IF;

  -- Each request: spend charge by charge, and take it back where one does not fit.
  FOR v_d IN 1 .. cardinality(p_first) - 1 LOOP
    v_fits := true;
    v_end := p_first[v_d + 1] - 1;
    FOR v_c IN p_first[v_d] .. v_end LOOP
      v_r := p_rows[v_c];
      IF p_units[v_c] > p_most[v_r] - v_used[v_r] OR v_seen[v_r] = 2 THEN
        v_fits := false;
        v_end := v_c - 1;
        EXIT;
      END IF;
      v_used[v_r] := v_used[v_r] + p_units[v_c];
      v_spent[v_r] := v_spent[v_r] + p_units[v_c];
    END LOOP;
    IF v_fits THEN
      v_admitted := v_admitted + 1;
    ELSE
      FOR v_c IN p_first[v_d] .. v_end LOOP
        v_r := p_rows[v_c];
        v_used[v_r] := v_used[v_r] - p_units[v_c];
        v_spent[v_r] := v_spent[v_r] - p_units[v_c];
      END LOOP;
    END IF;
  END LOOP;

  IF v_admitted > 0 THEN
    INSERT INTO weir_budget AS w (key, policy, a, b, whole_at)
      SELECT u.key, u.policy, CASE u.kind WHEN 1 THEN u.used ELSE u.start END,
          CASE u.kind WHEN 1 THEN v_now ELSE u.used END, v_now + u.keep
        FROM unnest(p_keys, p_policies, p_kinds, p_keep, v_used, v_start, v_spent)
          u(key, policy, kind, keep, used, start, spent)
        WHERE u.spent > 0 AND u.kind < 4
      ON CONFLICT ON CONSTRAINT weir_budget_pkey DO UPDATE
      SET a = excluded.a, b = excluded.b, whole_at = excluded.whole_at;
    IF 4 = ANY (p_kinds) OR 5 = ANY (p_kinds) THEN
      FOR v_r IN 1 .. cardinality(p_keys) LOOP
        CONTINUE WHEN v_spent[v_r] = 0 OR p_kinds[v_r] < 4;
        IF p_kinds[v_r] = 5 THEN
          PERFORM weir_append(p_keys[v_r], p_policies[v_r], v_start[v_r]::integer, v_used[v_r], v_spent[v_r],
            v_now / p_m[v_r] * p_m[v_r] + p_m[v_r] - 1, v_now + p_keep[v_r]);
        ELSE
          INSERT INTO weir_budget AS w (key, policy, a, b, more, whole_at)
            VALUES (p_keys[v_r], p_policies[v_r], v_used[v_r], v_now, ARRAY[v_start[v_r]], v_now + p_keep[v_r])
            ON CONFLICT ON CONSTRAINT weir_budget_pkey DO UPDATE
            SET a = excluded.a, b = excluded.b, more = excluded.more, whole_at = excluded.whole_at;
        END IF;
      END LOOP;
    END IF;
  END IF;

  RETURN QUERY SELECT u.i::integer, u.seen, u.a, u.b, NULL::bigint[]
    FROM unnest(v_seen, v_a, v_b, p_kinds) WITH ORDINALITY u(seen, a, b, kind, i) WHERE u.kind < 4;
  RETURN QUERY SELECT 0, v_admitted, v_now, v_wall, NULL::bigint[];
END $$;

-- Decides requests of one charge each, on buckets that start full and on fixed windows: the usual case of weir_consume in
-- less than half of its time. Those on one key ask for the same and are one run, of which the first are admitted that fit.
--   p_locks            locks of the keys, ascending
-- for each key:
--   p_keys, p_policies
--   p_numbers          six of them:
--     kind             1 bucket, 2 fixed
--     most, n          as in weir_consume
--     keep             for how long a row carries information, at most
--     units            how much each request asks for, more than most if that is impossible
--     count            how many requests there are
-- and the time as in weir_now, with p_wall for a test's calendar (ms).
-- Tells the time and the calendar's (ms), and for each key how many requests were admitted, and its row as it was before,
-- with seen 0 if there was none, 1 if there was, 2 if another policy keeps it: then its requests are left undecided.
CREATE FUNCTION weir_take(
  p_locks bigint[], p_keys bytea[], p_policies text[], p_numbers bigint[], p_latest bigint, p_clock bigint, p_wall bigint,
  OUT now bigint, OUT wall bigint, OUT took bigint[], OUT seen bigint[], OUT a bigint[], OUT b bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_raw  bigint;
  v_now  bigint;
  v_lost boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(u.l) FROM unnest(p_locks) u(l);
  -- As weir_now does, without the cost of a call.
  v_raw := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  SELECT v_raw + c.ahead INTO STRICT v_now FROM weir_clock c WHERE c.one = 1;
  IF v_now < p_latest THEN
    v_now := weir_now(p_latest, p_clock);
  END IF;
  now := v_now;
  wall := coalesce(p_wall, v_raw / 1000);

  -- Each row is changed in the place where it was found. OFFSET 0 keeps what is computed once from being computed
  -- wherever it is used.
  WITH decided AS MATERIALIZED (
    SELECT u.*, CASE u.seen WHEN 1 THEN greatest(0, least(u.count, (u.most - u.used) / u.units))
        WHEN 0 THEN least(u.count, u.most / u.units) ELSE 0 END AS took
      FROM (
        SELECT k.kind, k.most, k.keep, k.units, k.count, w.place, w.a, w.b,
            CASE WHEN w.place IS NULL THEN 0 WHEN w.policy <> k.policy THEN 2 ELSE 1 END AS seen,
            CASE
              WHEN k.kind = 1 THEN CASE
                WHEN v_now <= w.b THEN w.a
                WHEN v_now - w.b >= (w.a + k.n - 1) / k.n THEN 0
                ELSE w.a - (v_now - w.b) * k.n END
              WHEN v_now - w.a >= k.n THEN 0
              ELSE w.b END AS used
          FROM (
            SELECT u.key, p_policies[u.i::integer] AS policy,
                p_numbers[6 * u.i::integer - 5] AS kind, p_numbers[6 * u.i::integer - 4] AS most,
                p_numbers[6 * u.i::integer - 3] AS n, p_numbers[6 * u.i::integer - 2] AS keep,
                p_numbers[6 * u.i::integer - 1] AS units, p_numbers[6 * u.i::integer] AS count
              FROM unnest(p_keys) WITH ORDINALITY u(key, i) OFFSET 0
          ) k
          LEFT JOIN LATERAL (
            SELECT t.ctid AS place, t.policy, t.a, t.b FROM weir_budget t WHERE t.key = k.key OFFSET 0
          ) w ON true
          OFFSET 0
      ) u
  ), written AS (
    UPDATE weir_budget w SET
        a = CASE
          WHEN d.kind = 1 THEN d.used + d.took * d.units
          WHEN d.used = 0 THEN v_now
          ELSE least(d.a, v_now) END,
        b = CASE d.kind WHEN 1 THEN v_now ELSE d.used + d.took * d.units END,
        whole_at = v_now + d.keep,
        room = NULL
      FROM decided d WHERE w.ctid = d.place AND d.took > 0
      RETURNING 1
  )
  -- In the order of the keys: neither unnest nor a nested loop nor a materialized table changes it.
  SELECT array_agg(d.took), array_agg(d.seen), array_agg(coalesce(d.a, 0)), array_agg(coalesce(d.b, 0)),
      count(*) FILTER (WHERE d.took > 0 AND d.seen = 1) <> (SELECT count(*) FROM written)
    INTO STRICT took, seen, a, b, v_lost FROM decided d;
  IF v_lost THEN
    RAISE EXCEPTION 'a row was cleaned up while it was charged' USING ERRCODE = 'serialization_failure';
  END IF;
  IF 0 = ANY (seen) THEN
    INSERT INTO weir_budget (key, policy, a, b, whole_at, room)
      SELECT k.key, p_policies[k.i],
          CASE p_numbers[6 * k.i - 5] WHEN 1 THEN k.sum ELSE v_now END,
          CASE p_numbers[6 * k.i - 5] WHEN 1 THEN v_now ELSE k.sum END,
          v_now + p_numbers[6 * k.i - 2],
          decode(repeat('00', 130), 'hex')
        FROM (
          SELECT u.key, u.i::integer AS i, u.took * p_numbers[6 * u.i::integer - 1] AS sum
            FROM unnest(p_keys, took, seen) WITH ORDINALITY u(key, took, seen, i) WHERE u.seen = 0 AND u.took > 0
        ) k;
  END IF;
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

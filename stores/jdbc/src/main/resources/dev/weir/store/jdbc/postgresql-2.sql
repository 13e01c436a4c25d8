-- The functions that decide checks in PostgreSQL, version 2, to be applied after version 1. Weir applies it itself, or you do
-- before Weir starts. Databases created by earlier versions of Weir also have weir_take, weir_consume, weir_append and
-- weir_write, which nodes of those versions call. When no such node is left, drop them.

-- The entries of a log, times and units by turns; of a streak, the first charge. A type, because arrays of arrays have one length.
CREATE TYPE weir_log AS (entries bigint[]);

-- The sum of a log without its entries up to a time.
CREATE FUNCTION weir_used(p_used bigint, p_entries bigint[], p_until bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_from integer := 1;
BEGIN
  WHILE p_entries[v_from] <= p_until LOOP
    p_used := p_used - p_entries[v_from + 1];
    v_from := v_from + 2;
  END LOOP;
  RETURN p_used;
END $$;

-- A log without its entries up to a time, and with another entry, or more units in its last entry if that has the same time.
CREATE FUNCTION weir_log_with(p_entries bigint[], p_until bigint, p_time bigint, p_units bigint) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_from integer := 1;
  v_end  integer := cardinality(p_entries);
BEGIN
  WHILE p_entries[v_from] <= p_until LOOP
    v_from := v_from + 2;
  END LOOP;
  IF p_entries[v_end - 1] = p_time THEN
    RETURN p_entries[v_from : v_end - 1] || p_entries[v_end] + p_units;
  END IF;
  RETURN p_entries[v_from :] || ARRAY[p_time, p_units];
END $$;

-- Takes runs one after the other from what is free of each budget. Admits as many requests of a run as fit on all of its keys.
-- Returns what is left of each budget, and how many requests of each run were admitted.
CREATE FUNCTION weir_decide(p_free bigint[], p_runs bigint[], OUT rest bigint[], OUT taken bigint[])
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_took bigint;
  v_run  integer := 1;
  v_end  integer;
BEGIN
  rest := p_free;
  WHILE v_run < cardinality(p_runs) LOOP
    v_took := p_runs[v_run];
    v_end := v_run + 2 * p_runs[v_run + 1];
    FOR v_c IN v_run + 2 .. v_end BY 2 LOOP
      v_took := least(v_took, rest[p_runs[v_c]] / p_runs[v_c + 1]);
    END LOOP;
    IF v_took > 0 THEN
      FOR v_c IN v_run + 2 .. v_end BY 2 LOOP
        rest[p_runs[v_c]] := rest[p_runs[v_c]] - v_took * p_runs[v_c + 1];
      END LOOP;
    END IF;
    taken := taken || v_took;
    v_run := v_end + 2;
  END LOOP;
END $$;

-- Decides many requests in one step: each spends all of its charges or none, in the order in which they are given. Equal
-- requests are one run, of which the first are admitted that fit.
--   p_locks      locks of the keys, ascending
-- for each key:
--   p_keys, p_policies
--   p_numbers    seven of them:
--     kind       0 closed, 1 bucket, 2 fixed, 3 calendar, 4 streak, 5 sliding
--     most       the largest count (bucket: units of a full one; others: the limit)
--     n          bucket: units that are refilled in a tick; fixed, sliding: period; streak: quiet; calendar: start (ms)
--     m          sliding: the grain; calendar: end (ms)
--     a, b       of a key that has no row
--     keep       how long a row carries information, at most
--   p_runs       for each run: how many requests it has, how many charges each of these has, and for each charge the index of
--                its key, different from the others', and its units, more than most if they can never fit
--   p_single     whether run i has one charge, on key i, for each i: then the runs are decided without weir_decide
-- and the time as in weir_now, with p_wall for a test's calendar (ms).
-- Returns the time, the calendar's time (ms), and how many requests of each run were admitted (taken). Of each key it returns
-- three numbers (before): seen, and a and b as they were. seen is 0 if there was no row, 1 if there was, 2 if the key takes more
-- than a count: another policy governs it, the calendar is not in the window given, or a clock was set back. Requests that
-- charge such a key are undecided. more is null if no policy has a log; else it has for each key of a streak or a sliding window
-- the number of its entries, and the entries.
CREATE FUNCTION weir_check(
  p_locks bigint[], p_keys bytea[], p_policies text[], p_numbers bigint[], p_runs bigint[], p_single boolean,
  p_latest bigint, p_clock bigint, p_wall bigint,
  OUT now bigint, OUT wall bigint, OUT taken bigint[], OUT before bigint[], OUT more bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_raw  bigint;
  v_now  bigint;
  v_wall bigint;
  v_lock bigint;
  v_logs weir_log[];
  v_new  weir_budget[];
  v_lost boolean;
BEGIN
  -- An assignment costs less than a statement.
  FOREACH v_lock IN ARRAY p_locks LOOP
    v_lost := pg_advisory_xact_lock(v_lock) IS NULL;
  END LOOP;
  -- As weir_now does, without the cost of a call.
  v_raw := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  SELECT v_raw + c.ahead INTO STRICT v_now FROM weir_clock c WHERE c.one = 1;
  IF v_now < p_latest THEN
    v_now := weir_now(p_latest, p_clock);
  END IF;
  v_wall := coalesce(p_wall, v_raw / 1000);
  now := v_now;
  wall := v_wall;

  -- The steps: what is free of each budget (a number that charges are taken from, whatever the policy), what is charged to it,
  -- and its new row, which is written in the place where the old one was found. Few aggregates and few nodes: each is set up
  -- anew by every call, which costs more than a row. The order of the keys stays: neither unnest nor a nested loop changes it.
  -- OFFSET 0 keeps what is computed once from being computed wherever it is used.
  WITH budget AS MATERIALIZED (
    SELECT r.*, CASE
          WHEN r.policy <> p_policies[r.i]
            OR r.kind = 3 AND (r.a > r.n OR v_wall < r.n OR v_wall >= r.m)
            OR r.kind = 5 AND r.more[cardinality(r.more) - 1] > v_now / r.m * r.m + r.m - 1 THEN 2
          WHEN r.place IS NULL THEN 0 ELSE 1 END AS seen,
        CASE r.kind
          WHEN 1 THEN CASE
            WHEN v_now <= r.b THEN r.a
            WHEN v_now - r.b >= (r.a + r.n - 1) / r.n THEN 0
            ELSE r.a - (v_now - r.b) * r.n END
          WHEN 2 THEN CASE WHEN v_now - r.a >= r.n THEN 0 ELSE r.b END
          WHEN 3 THEN CASE WHEN r.a < r.n THEN 0 ELSE r.b END
          WHEN 4 THEN CASE WHEN v_now - r.b >= r.n THEN 0 ELSE r.a END
          WHEN 5 THEN weir_used(r.a, r.more, v_now - r.n)
          ELSE 0 END AS used
      FROM (
        SELECT k.i, k.kind, k.most, k.n, k.m, w.place, w.policy, coalesce(w.a, k.a) AS a, coalesce(w.b, k.b) AS b, w.more
          FROM (
            SELECT u.i, u.key, p_numbers[u.at + 1] AS kind, p_numbers[u.at + 2] AS most, p_numbers[u.at + 3] AS n,
                p_numbers[u.at + 4] AS m, p_numbers[u.at + 5] AS a, p_numbers[u.at + 6] AS b
              FROM (SELECT v.i::integer AS i, v.key, 7 * v.i::integer - 7 AS at
                FROM unnest(p_keys) WITH ORDINALITY v(key, i) OFFSET 0) u OFFSET 0
          ) k
          LEFT JOIN LATERAL (
            SELECT t.ctid AS place, t.policy, t.a, t.b, t.more FROM weir_budget t WHERE t.key = k.key OFFSET 0
          ) w ON true
          OFFSET 0
      ) r
  ), decided AS MATERIALIZED (
    SELECT d.rest, d.taken
      FROM weir_decide((SELECT array_agg(CASE f.seen WHEN 2 THEN 0 ELSE greatest(0, f.most - f.used) END) FROM budget f), p_runs) d
  ), charged AS MATERIALIZED (
    SELECT u.*, u.units > 0 AS writes,
        CASE u.kind WHEN 2 THEN CASE u.used WHEN 0 THEN v_now ELSE least(u.a, v_now) END
          WHEN 3 THEN u.n
          ELSE u.used + u.units END AS next_a,
        CASE WHEN u.kind IN (2, 3) THEN u.used + u.units WHEN u.kind = 5 THEN 0 ELSE v_now END AS next_b,
        CASE u.kind
          WHEN 4 THEN CASE u.used WHEN 0 THEN ARRAY[v_now] ELSE u.more END
          WHEN 5 THEN weir_log_with(u.more, v_now - u.n, v_now / u.m * u.m + u.m - 1, u.units) END AS next_more
      FROM (
        SELECT f.*, CASE
            WHEN f.seen = 2 OR f.used >= f.most THEN 0
            WHEN p_single THEN least(p_runs[4 * f.i - 3], (f.most - f.used) / p_runs[4 * f.i]) * p_runs[4 * f.i]
            ELSE f.most - f.used - ((SELECT d.rest FROM decided d))[f.i] END AS units
          FROM budget f OFFSET 0
      ) u
  ), updated AS (
    UPDATE weir_budget w SET a = s.next_a, b = s.next_b, more = s.next_more, whole_at = v_now + p_numbers[7 * s.i], room = NULL
      FROM charged s WHERE w.ctid = s.place AND s.writes
      RETURNING 1
  )
  SELECT CASE WHEN p_single THEN array_agg(s.units / p_runs[4 * s.i]) ELSE (SELECT d.taken FROM decided d) END,
      array_agg(ARRAY[s.seen, s.a, s.b]), array_agg(ROW(s.more)::weir_log) FILTER (WHERE s.kind > 3),
      array_agg(ROW(p_keys[s.i], p_policies[s.i], s.next_a, s.next_b, s.next_more, v_now + p_numbers[7 * s.i],
        decode(repeat('00', 130), 'hex'))::weir_budget) FILTER (WHERE s.writes AND s.place IS NULL),
      count(s.place) FILTER (WHERE s.writes) <> (SELECT count(*) FROM updated)
    INTO STRICT taken, before, v_logs, v_new, v_lost FROM charged s;
  IF v_lost THEN
    RAISE EXCEPTION 'a row was cleaned up while it was charged' USING ERRCODE = 'serialization_failure';
  END IF;
  IF v_new IS NOT NULL THEN
    INSERT INTO weir_budget SELECT n.* FROM unnest(v_new) n;
  END IF;
  IF v_logs IS NOT NULL THEN
    SELECT array_agg(e.n) INTO more FROM unnest(v_logs) u(entries),
      unnest(coalesce(cardinality(u.entries), 0)::bigint || u.entries) e(n);
  END IF;
END $$;

INSERT INTO weir_schema (version) VALUES (2);

-- The function that decides checks in PostgreSQL, version 2, to be applied after version 1. Applied by Weir itself, or by you
-- before it starts. Databases made by earlier versions of Weir also have weir_take, weir_consume, weir_append and weir_write,
-- which nodes of those versions call. When none is left, drop them.

-- What counts of a log: the sum of its units, and its entries, times and units by turns. Of a streak: the first charge.
CREATE TYPE weir_log AS (used bigint, entries bigint[]);

-- Leaves out what came up to a time.
CREATE FUNCTION weir_live(p_used bigint, p_entries bigint[], p_until bigint) RETURNS weir_log LANGUAGE plpgsql AS $$
DECLARE
  v_from integer := 1;
BEGIN
  WHILE p_entries[v_from] <= p_until LOOP
    p_used := p_used - p_entries[v_from + 1];
    v_from := v_from + 2;
  END LOOP;
  RETURN (p_used, p_entries[v_from :]);
END $$;

-- Decides many requests in one step: each spends all of its charges or none, in the order in which they are given. Equal
-- requests are one run, of which the first are admitted that fit.
--   p_locks      locks of the keys, ascending
-- for each key:
--   p_keys, p_policies
--   p_numbers    seven of them:
--     kind       0 closed, 1 bucket, 2 fixed, 3 calendar, 4 streak, 5 sliding
--     most       how much it takes at most (bucket: units of a full one; others: the limit)
--     n          bucket: units that come back in a tick; fixed, sliding: period; streak: quiet; calendar: start (ms)
--     m          sliding: the grain; calendar: end (ms)
--     a, b       of a key that has no row
--     keep       for how long a row carries information, at most
--   p_runs       for each run: how many requests it has, how many charges each of these has, and for each charge the index of
--                its key, different from the others', and how much it asks for, more than most if that is impossible
-- and the time as in weir_now, with p_wall for a test's calendar (ms).
-- The first row tells a: the time, b: the calendar's (ms), more: how many requests of each run were admitted. Then each key's
-- row as it was before, with seen 0 if there was none, 1 if there was, 2 if it takes more than a count: another policy keeps
-- it, the calendar is not in the window given, or a clock was set back. Requests that charge such a key are left undecided.
CREATE FUNCTION weir_check(
  p_locks bigint[], p_keys bytea[], p_policies text[], p_numbers bigint[], p_runs bigint[],
  p_latest bigint, p_clock bigint, p_wall bigint
) RETURNS TABLE (seen integer, a bigint, b bigint, more bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_raw    bigint;
  v_now    bigint;
  v_wall   bigint;
  v_places tid[];
  v_seen   integer[];
  v_a      bigint[];
  v_b      bigint[];
  v_logs   weir_log[];
  v_before bigint[];
  v_free   bigint[];
  v_took   bigint;
  v_taken  bigint[];
  v_run    integer := 1;
  v_end    integer;
  v_lost   boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(u.l) FROM unnest(p_locks) u(l);
  -- As weir_now does, without the cost of a call.
  v_raw := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  SELECT v_raw + c.ahead INTO STRICT v_now FROM weir_clock c WHERE c.one = 1;
  IF v_now < p_latest THEN
    v_now := weir_now(p_latest, p_clock);
  END IF;
  v_wall := coalesce(p_wall, v_raw / 1000);

  -- What is free of each budget now: a number that charges are taken from, whatever the policy. In the order of the keys:
  -- neither unnest nor a nested loop changes it. OFFSET 0 keeps what is computed once from being computed wherever it is used.
  SELECT array_agg(s.place), array_agg(s.seen), array_agg(s.a), array_agg(s.b), array_agg(s.log),
      array_agg(CASE s.seen WHEN 2 THEN 0 ELSE greatest(0, s.most - CASE s.kind
        WHEN 1 THEN CASE
          WHEN v_now <= s.b THEN s.a
          WHEN v_now - s.b >= (s.a + s.n - 1) / s.n THEN 0
          ELSE s.a - (v_now - s.b) * s.n END
        WHEN 2 THEN CASE WHEN v_now - s.a >= s.n THEN 0 ELSE s.b END
        WHEN 3 THEN CASE WHEN s.a < s.n THEN 0 ELSE s.b END
        WHEN 4 THEN CASE WHEN v_now - s.b >= s.n THEN 0 ELSE s.a END
        WHEN 5 THEN (s.log).used
        ELSE 0 END) END)
    INTO STRICT v_places, v_seen, v_a, v_b, v_logs, v_before
    FROM (
      SELECT r.*, CASE
            WHEN r.policy <> r.asked
              OR r.kind = 3 AND (r.a > r.n OR v_wall < r.n OR v_wall >= r.m)
              OR r.kind = 5 AND (r.log).entries[cardinality((r.log).entries) - 1] > v_now / r.m * r.m + r.m - 1 THEN 2
            ELSE (r.place IS NOT NULL)::integer END AS seen
        FROM (
          SELECT k.asked, k.kind, k.most, k.n, k.m, w.place, w.policy, coalesce(w.a, k.a) AS a, coalesce(w.b, k.b) AS b,
              CASE k.kind WHEN 4 THEN ROW(0, w.more)::weir_log
                WHEN 5 THEN weir_live(coalesce(w.a, k.a), w.more, v_now - k.n) END AS log
            FROM (
              SELECT u.key, u.asked, p_numbers[u.at + 1] AS kind, p_numbers[u.at + 2] AS most, p_numbers[u.at + 3] AS n,
                  p_numbers[u.at + 4] AS m, p_numbers[u.at + 5] AS a, p_numbers[u.at + 6] AS b
                FROM (SELECT v.key, v.asked, 7 * v.i::integer - 7 AS at
                  FROM unnest(p_keys, p_policies) WITH ORDINALITY v(key, asked, i) OFFSET 0) u OFFSET 0
            ) k
            LEFT JOIN LATERAL (
              SELECT t.ctid AS place, t.policy, t.a, t.b, t.more FROM weir_budget t WHERE t.key = k.key OFFSET 0
            ) w ON true
            OFFSET 0
        ) r OFFSET 0
    ) s;

  v_free := v_before;
  WHILE v_run < cardinality(p_runs) LOOP
    v_took := p_runs[v_run];
    v_end := v_run + 2 * p_runs[v_run + 1];
    FOR v_c IN v_run + 2 .. v_end BY 2 LOOP
      v_took := least(v_took, v_free[p_runs[v_c]] / p_runs[v_c + 1]);
    END LOOP;
    IF v_took > 0 THEN
      FOR v_c IN v_run + 2 .. v_end BY 2 LOOP
        v_free[p_runs[v_c]] := v_free[p_runs[v_c]] - v_took * p_runs[v_c + 1];
      END LOOP;
    END IF;
    v_taken := v_taken || v_took;
    v_run := v_end + 2;
  END LOOP;

  -- Each row is changed in the place where it was found.
  IF v_free <> v_before THEN
    WITH spent AS MATERIALIZED (
      SELECT u.key, u.policy, u.place, v_now + p_numbers[u.at + 7] AS whole_at,
          CASE u.kind WHEN 2 THEN CASE u.used WHEN 0 THEN v_now ELSE least(u.a, v_now) END
            WHEN 3 THEN p_numbers[u.at + 3]
            ELSE u.used + u.units END AS a,
          CASE WHEN u.kind IN (2, 3) THEN u.used + u.units WHEN u.kind = 5 THEN 0 ELSE v_now END AS b,
          CASE u.kind
            WHEN 4 THEN CASE u.used WHEN 0 THEN ARRAY[v_now] ELSE u.entries END
            WHEN 5 THEN CASE
              WHEN u.entries[cardinality(u.entries) - 1] = u.last
                THEN u.entries[: cardinality(u.entries) - 1] || u.entries[cardinality(u.entries)] + u.units
              ELSE u.entries || ARRAY[u.last, u.units] END END AS more
        FROM (
          SELECT v.*, p_numbers[v.at + 1] AS kind, p_numbers[v.at + 2] - v.before AS used,
              v.before - v.free AS units,
              v_now / greatest(1, p_numbers[v.at + 4]) * p_numbers[v.at + 4] + p_numbers[v.at + 4] - 1 AS last
            FROM (SELECT z.*, 7 * z.i::integer - 7 AS at
              FROM unnest(p_keys, p_policies, v_places, v_a, v_logs, v_before, v_free)
                WITH ORDINALITY z(key, policy, place, a, counted, entries, before, free, i)
              WHERE z.free < z.before OFFSET 0) v OFFSET 0
        ) u OFFSET 0
    ), updated AS (
      UPDATE weir_budget w SET a = s.a, b = s.b, more = s.more, whole_at = s.whole_at, room = NULL
        FROM spent s WHERE w.ctid = s.place
        RETURNING 1
    ), inserted AS (
      INSERT INTO weir_budget (key, policy, a, b, more, whole_at, room)
        SELECT s.key, s.policy, s.a, s.b, s.more, s.whole_at, decode(repeat('00', 130), 'hex')
          FROM spent s WHERE s.place IS NULL
        RETURNING 1
    )
    SELECT count(*) <> (SELECT count(*) FROM updated) + (SELECT count(*) FROM inserted) INTO v_lost FROM spent;
    IF v_lost THEN
      RAISE EXCEPTION 'a row was cleaned up while it was charged' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;

  RETURN QUERY SELECT 0, v_now, v_wall, v_taken;
  RETURN QUERY SELECT u.seen, u.a, u.b, u.entries FROM unnest(v_seen, v_a, v_b, v_logs) u(seen, a, b, counted, entries);
END $$;

INSERT INTO weir_schema (version) VALUES (2);

-- Weir's tables in SQLite, version 1. Applied by Weir itself, or by you before it starts.
-- Times are microseconds since 1970. No constraint knows a limit's numbers: limits may change at any time.

CREATE TABLE weir_schema (
  version INTEGER NOT NULL PRIMARY KEY CHECK (version > 0)
) STRICT;

-- One row for each key of which something is spent. What a and b mean depends on the policy:
--   bucket   a: units missing until it is full, b: when that was so
--   fixed    a: when the window began,          b: what was spent in it
--   calendar a: when the window began (ms),     b: what was spent in it
-- Other policies keep their numbers in a, b and more.
-- policy: what governs the key. After a reset 'reset:TIME:COUNT' stands before it, or alone if nothing was spent since.
CREATE TABLE weir_budget (
  key      BLOB    NOT NULL PRIMARY KEY CHECK (length(key) <= 200),
  policy   TEXT    NOT NULL CHECK (length(policy) BETWEEN 1 AND 200),
  a        INTEGER NOT NULL CHECK (a >= 0),
  b        INTEGER NOT NULL CHECK (b >= 0),
  more     BLOB    CHECK (more IS NULL OR length(more) % 8 = 0),
  whole_at INTEGER NOT NULL CHECK (whole_at >= 0)
) STRICT, WITHOUT ROWID;

-- Reservations and leases.
CREATE TABLE weir_hold (
  id       BLOB    NOT NULL PRIMARY KEY CHECK (length(id) <= 200),
  content  BLOB    NOT NULL CHECK (length(content) > 0),
  ends_at  INTEGER NOT NULL CHECK (ends_at >= 0),
  closed   INTEGER NOT NULL CHECK (closed IN (0, 1))
) STRICT, WITHOUT ROWID;

-- When a policy was first met whose buckets do not start full.
CREATE TABLE weir_met (
  policy   TEXT    NOT NULL PRIMARY KEY CHECK (length(policy) BETWEEN 1 AND 200),
  at       INTEGER NOT NULL CHECK (at >= 0)
) STRICT, WITHOUT ROWID;

-- By how much the clock was ever set back, and the latest time that was seen.
CREATE TABLE weir_clock (
  one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  ahead    INTEGER NOT NULL CHECK (ahead >= 0),
  latest   INTEGER NOT NULL CHECK (latest >= 0)
) STRICT;

INSERT INTO weir_clock (one, ahead, latest) VALUES (1, 0, 0);

-- What administrators have set, as one checksummed document, and who changed what.
CREATE TABLE weir_settings (
  one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  version  INTEGER NOT NULL CHECK (version >= 0),
  document BLOB    NOT NULL
) STRICT;

CREATE TABLE weir_audit (
  version  INTEGER NOT NULL PRIMARY KEY CHECK (version > 0),
  entry    BLOB    NOT NULL
) STRICT;

-- Answers to requests that carry an idempotency key. Without an answer, the request is being worked on.
CREATE TABLE weir_response (
  key      BLOB    NOT NULL PRIMARY KEY CHECK (length(key) <= 200),
  owner    TEXT    NOT NULL,
  request  BLOB    NOT NULL,
  answer   BLOB,
  ends_at  INTEGER NOT NULL CHECK (ends_at >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO weir_schema (version) VALUES (1);

-- Part of the decision script: buckets, windows and streaks. See the classes of the same names in dev.weir.algorithm.
--
-- Every kind of budget has the same functions:
--   decode(p, s, i)            the budget from a stored state; nil if it is not valid
--   fresh(p)                   the budget of an absent key
--   available(b)               units that can be spent; negative in debt
--   retry(b, cost)             time until a cost fits that does not fit now
--   reset(b)                   time until the budget is full
--   spend(b, cost)             spends, whether it fits or not
--   giveBack(b, cost, at, atWall)  refunds a charge made at that time
--   encode(b)                  the state and its time to live in microseconds; nothing if an absent key means the same
-- Times are in the policy's ticks. A budget is computed once for `now`; no time passes within a call.

-- The token bucket, see bucket.lua.
local function bucket()
  local op = {}

  function op.decode(p, s, i)
    local deficit = deficitOf(p, s, i)
    if deficit and p.initial then
      first_seen(p)
    end
    return deficit and { op = op, p = p, deficit = deficit }
  end

  function op.fresh(p)
    local missing = p.initial and refilled(p, (p.cap - p.initial) * p.token, floor(first_seen(p) / p.unit)) or 0
    return { op = op, p = p, deficit = missing }
  end

  function op.available(b)
    return tokensOf(b.p, b.deficit)
  end

  function op.retry(b, cost)
    return retryOf(b.p, b.deficit, cost)
  end

  function op.reset(b)
    return ticksOf(b.p, b.deficit)
  end

  function op.spend(b, cost)
    b.deficit = spentOf(b.p, b.deficit, cost)
  end

  function op.giveBack(b, cost)
    b.deficit = max(0, b.deficit - cost * b.p.token)
  end

  -- With an initial fill, the state must outlive the time at which a fresh bucket is full.
  function op.encode(b)
    local p, reset = b.p, op.reset(b)
    if p.initial then
      reset = max(reset, op.reset(op.fresh(p)))
    end
    if reset > 0 then
      return stateOf(p, b.deficit), reset * p.unit
    end
  end

  return op
end

-- The fixed window, which begins with its first charge. State: its start (7 bytes) and the used units.
local function fixedWindow()
  local op = {}

  function op.decode(p, s, i)
    local start, used = unpack('>I7I' .. p.used, s, i)
    if #s ~= i + 6 + p.used or used > 2 * p.cap then
      return nil
    end
    return { op = op, p = p, start = start, used = now - start < p.period and used or 0 }
  end

  function op.fresh(p)
    return { op = op, p = p, start = now, used = 0 }
  end

  function op.available(b)
    return b.p.cap - b.used
  end

  function op.retry(b)
    return min(b.start, now) + b.p.period - now
  end

  function op.reset(b)
    return b.used == 0 and 0 or min(b.start, now) + b.p.period - now
  end

  function op.spend(b, cost)
    b.start = b.used == 0 and now or min(b.start, now)
    b.used = min(b.used + cost, 2 * b.p.cap)
  end

  function op.giveBack(b, cost, at)
    if b.used > 0 and at >= b.start then
      b.start = min(b.start, now)
      b.used = max(0, b.used - cost)
    end
  end

  function op.encode(b)
    if b.used > 0 then
      return b.p.prefix .. pack('>I7I' .. b.p.used, b.start, b.used), op.reset(b)
    end
  end

  return op
end

-- The streak: a count that lasts while charges keep coming. State: the count, the times of the first and the last charge.
local function streak()
  local op = {}

  function op.decode(p, s, i)
    local count, first, last = unpack('>I7I7I7', s, i)
    if #s ~= i + 20 or count > p.cap then
      return nil
    end
    return { op = op, p = p, count = now - last < p.period and count or 0, first = first, last = last }
  end

  function op.fresh(p)
    return { op = op, p = p, count = 0, first = 0, last = 0 }
  end

  function op.available(b)
    return b.p.cap - b.count
  end

  function op.reset(b)
    return b.count == 0 and 0 or min(b.last, now) + b.p.period - now
  end

  op.retry = op.reset

  function op.spend(b, cost)
    b.first = b.count == 0 and now or b.first
    b.last = now
    b.count = min(b.p.cap, b.count + cost)
  end

  function op.giveBack(b, cost, at)
    if at >= b.first then
      b.count = max(0, b.count - cost)
    end
  end

  function op.encode(b)
    if b.count > 0 then
      return b.p.prefix .. pack('>I7I7I7', b.count, b.first, b.last), op.reset(b)
    end
  end

  return op
end

-- The calendar window. State: the start of the counted window in wall-clock milliseconds (6 bytes) and the count. Only the
-- caller can compute calendars. It sends the window at its estimate of `wall`; if `wall` is outside it, the request fails with
-- `need` and the caller repeats it with the right window.
local function calendar()
  local op = {}

  local function ready(p)
    local span = spans[p.prefix]
    if not span then
      error({ need = p.prefix })
    end
    p.from, p.to, p.beyond = span[1], span[2], span[3]
    return p
  end

  local function counted(b)
    return b.start < b.p.from and 0 or b.used
  end

  -- Start and end of the window in which a charge counts now. After a backward step of the clock that may be the next window.
  local function effective(b)
    if b.used > 0 and b.start == b.p.to then
      return b.p.to, b.p.beyond
    end
    return b.p.from, b.p.to
  end

  local function left(b)
    local _, to = effective(b)
    return (to - wall) * 1000
  end

  function op.decode(p, s, i)
    local start, used = unpack('>i6I' .. p.used, s, i)
    if #s ~= i + 5 + p.used or used > 2 * p.cap then
      return nil
    end
    return { op = op, p = ready(p), start = start, used = used }
  end

  function op.fresh(p)
    return { op = op, p = ready(p), start = 0, used = 0 }
  end

  -- Moves a count that lies beyond the next window back to the current window; returns true if it did.
  function op.notice(b)
    if b.start > b.p.to then
      b.start = b.p.from
      return true
    end
  end

  function op.available(b)
    return b.p.cap - counted(b)
  end

  op.retry = left

  function op.reset(b)
    return counted(b) == 0 and 0 or left(b)
  end

  function op.spend(b, cost)
    local before, start = counted(b), effective(b)
    b.start, b.used = start, min(before + cost, 2 * b.p.cap)
  end

  function op.giveBack(b, cost, _, atWall)
    local before, start = counted(b), effective(b)
    if before > 0 and atWall >= start then
      b.start, b.used = start, max(0, before - cost)
    end
  end

  function op.encode(b)
    if counted(b) > 0 then
      return b.p.prefix .. pack('>i6I' .. b.p.used, b.start, b.used), left(b)
    end
  end

  return op
end

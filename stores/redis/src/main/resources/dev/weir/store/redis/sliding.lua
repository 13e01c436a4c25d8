-- Part of the decision script: the sliding window, a log of charges, oldest first. See dev.weir.algorithm.SlidingWindowLedger.
--
-- State: the sum of all units (7 bytes), then for every entry its time in microseconds (7 bytes) and its units. A charge is
-- recorded at the last tick of its grain: a microsecond for limits up to 500, else a hundredth of the period. A check reads only
-- the ends of the log: expired entries at the front and the latest entry at the back.

local function slidingWindow()
  local op = {}

  local function lastTick(p, time)
    return floor(time / p.grain) * p.grain + p.grain - 1
  end

  local function ready(p)
    p.grain = p.cap <= 500 and 1 or ceil(p.period, 100)
    p.form, p.size = '>I7I' .. p.used, 7 + p.used
    return p
  end

  local function entry(b, i)
    return unpack(b.p.form, b.log, i)
  end

  -- The position of the last entry; less than `first` if the log is empty.
  local function last(b)
    return #b.log - b.p.size + 1
  end

  local function shifted(b, step)
    local moved = {}
    for i = b.first, last(b), b.p.size do
      local time, units = entry(b, i)
      moved[#moved + 1] = pack(b.p.form, time - step, units)
    end
    b.log, b.first = table.concat(moved), 1
  end

  function op.decode(p, s, i)
    ready(p)
    local total = unpack('>I7', s, i)
    if (#s - i - 6) % p.size ~= 0 or total > 2 * p.cap then
      return nil
    end
    local b = { op = op, p = p, total = total, log = s, first = i + 7 }
    if b.first <= last(b) then
      local latest = entry(b, last(b))
      if latest > lastTick(p, now) then
        shifted(b, latest - lastTick(p, now))
      end
    end
    while b.first <= last(b) do
      local time, units = entry(b, b.first)
      if now - time < p.period then
        break
      end
      b.total = b.total - units
      b.first = b.first + p.size
    end
    return b
  end

  function op.fresh(p)
    return { op = op, p = ready(p), total = 0, log = '', first = 1 }
  end

  function op.available(b)
    return b.p.cap - b.total
  end

  function op.retry(b, cost)
    local excess = b.total + cost - b.p.cap
    for i = b.first, last(b), b.p.size do
      local time, units = entry(b, i)
      excess = excess - units
      if excess <= 0 then
        return time + b.p.period - now
      end
    end
  end

  function op.reset(b)
    if b.total == 0 then
      return 0
    end
    local latest = entry(b, last(b))
    return latest + b.p.period - now
  end

  function op.spend(b, cost)
    local p = b.p
    local units = min(cost, 2 * p.cap - b.total)
    if units <= 0 then
      return
    end
    local time = lastTick(p, now)
    b.total = b.total + units
    if b.first <= last(b) then
      local latest, before = entry(b, last(b))
      if latest == time then
        b.log = sub(b.log, 1, last(b) - 1)
        units = units + before
      end
    end
    b.log = b.log .. pack(p.form, time, units)
  end

  function op.giveBack(b, cost, at)
    local p = b.p
    local time = lastTick(p, at)
    for i = b.first, last(b), p.size do
      local t, units = entry(b, i)
      if t == time then
        local back = min(cost, units)
        local kept = units > back and pack(p.form, t, units - back) or ''
        b.log = sub(b.log, 1, i - 1) .. kept .. sub(b.log, i + p.size)
        b.total = b.total - back
        return
      end
    end
  end

  function op.encode(b)
    if b.total > 0 then
      return b.p.prefix .. pack('>I7', b.total) .. sub(b.log, b.first), op.reset(b)
    end
  end

  return op
end

-- The limit of zero. Nothing can be spent, so there is no state.
local function closed()
  local op = {}

  local function nothing()
    return 0
  end

  function op.fresh(p)
    return { op = op, p = p }
  end

  op.available, op.reset, op.retry = nothing, nothing, nothing
  op.spend, op.giveBack, op.encode = nothing, nothing, function() end
  return op
end

-- The token bucket: what is missing until it is full (the deficit), in units of which a token has `token` and of which
-- every microsecond gives back `tick`; and the time for which that was computed. See dev.weir.algorithm.TokenBucketMath.
-- A short bucket, whose tick is 1, keeps the time at which it will be full, which says both.
--
-- Every kind of budget has these functions. A budget is read once, as it is now; time does not pass within a call.

local function bucket()
  local op = {}

  local function refilled(p, deficit, elapsed)
    if elapsed <= 0 then
      return deficit
    end
    return elapsed >= ceil(deficit, p.tick) and 0 or deficit - elapsed * p.tick
  end

  function op.decode(p, s, i)
    if p.kind == 0 then
      return #s == i + 6 and { op = op, p = p, deficit = max(0, min(unpack('>I7', s, i) - now, 2 * p.full)) }
    end
    local deficit, at = unpack(p.form, s, i)
    if #s ~= i + p.size - 1 or deficit > 2 * p.full then
      return nil
    end
    if p.initial then
      met(p)
    end
    return { op = op, p = p, deficit = refilled(p, deficit, now - at) }
  end

  function op.fresh(p)
    local missing = p.initial and refilled(p, (p.cap - p.initial) * p.token, now - met(p)) or 0
    return { op = op, p = p, deficit = missing }
  end

  function op.available(b)
    return floor((b.p.full - b.deficit) / b.p.token)
  end

  function op.retry(b, cost)
    return ceil(b.deficit + cost * b.p.token - b.p.full, b.p.tick)
  end

  function op.reset(b)
    return ceil(b.deficit, b.p.tick)
  end

  function op.spend(b, cost)
    local p = b.p
    b.deficit = min(b.deficit + min(cost, 2 * p.cap) * p.token, 2 * p.full)
  end

  function op.giveBack(b, cost)
    local p = b.p
    b.deficit = max(0, b.deficit - min(cost, 2 * p.cap) * p.token)
  end

  -- The state and its time to live; nothing when an absent key means the same.
  function op.encode(b)
    local p = b.p
    local reset = ceil(b.deficit, p.tick)
    if p.initial then
      reset = max(reset, op.reset(op.fresh(p)))
    end
    if reset > 0 and p.kind == 0 then
      return p.prefix .. pack('>I7', now + b.deficit), reset
    elseif reset > 0 then
      return p.prefix .. pack(p.form, b.deficit, now), reset
    end
  end

  return op
end

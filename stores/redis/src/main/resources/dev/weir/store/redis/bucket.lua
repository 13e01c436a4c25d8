-- The token bucket: what is missing until it is full (the deficit), in units of which a token has `token` and of which
-- every tick gives back `tick`; and the time for which that was computed. See dev.weir.algorithm.TokenBucketMath. A tick is
-- a microsecond, or where numbers would be too large `unit` of them; `now` is the present one. A short bucket, whose tick
-- is 1, keeps the time at which it will be full, which says both.

--
-- Divisions take the remainder off first, which is exact and needs no function.

-- How many ticks it takes until so many units have come back.
local function ticksOf(p, units)
  return (units + -units % p.tick) / p.tick
end

-- What is still missing of what was missing at a time.
local function refilled(p, deficit, at)
  local elapsed = p.now - at
  if elapsed <= 0 then
    return deficit
  end
  return elapsed >= ticksOf(p, deficit) and 0 or deficit - elapsed * p.tick
end

-- What is missing by a state that begins at i; nil if it is none.
local function deficitOf(p, s, i)
  if #s ~= i + p.size - 1 then
    return nil
  end
  if p.kind == 0 then
    return max(0, min(unpack('>I7', s, i) - now, 2 * p.full))
  end
  local deficit, at = unpack(p.form, s, i)
  return deficit <= 2 * p.full and refilled(p, deficit, at) or nil
end

local function stateOf(p, deficit)
  return p.prefix .. (p.kind == 0 and pack('>I7', now + deficit) or pack(p.form, deficit, p.now))
end

-- Below zero in debt.
local function tokensOf(p, deficit)
  local units = p.full - deficit
  return (units - units % p.token) / p.token
end

-- A bucket owes at most one capacity.
local function spentOf(p, deficit, cost)
  local after = deficit + cost * p.token
  return after < 2 * p.full and after or 2 * p.full
end

-- How many ticks it takes until a cost fits that does not.
local function retryOf(p, deficit, cost)
  return ticksOf(p, deficit + cost * p.token - p.full)
end

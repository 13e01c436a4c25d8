-- Part of the decision script: the arithmetic of the token bucket. See dev.weir.algorithm.TokenBucketMath.
--
-- The state is the deficit, which is what is missing until the bucket is full, and the time at which that was computed. The
-- deficit is counted in units: a token is `token` units, and every tick refills `tick` units. A tick is `unit` microseconds: 1,
-- or more where numbers would be too large. `p.now` is the current tick. A short bucket, whose tick is 1, stores only the time
-- at which it will be full, which determines both.
--
-- Divisions subtract the remainder first, which is exact and needs no function call.

-- The number of ticks that refill this many units.
local function ticksOf(p, units)
  return (units + -units % p.tick) / p.tick
end

-- The current deficit, given the deficit at an earlier tick.
local function refilled(p, deficit, at)
  local elapsed = p.now - at
  if elapsed <= 0 then
    return deficit
  end
  return elapsed >= ticksOf(p, deficit) and 0 or deficit - elapsed * p.tick
end

-- The current deficit of the state at position i; nil if it is no valid state.
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

-- The available tokens; negative if the bucket is in debt.
local function tokensOf(p, deficit)
  local units = p.full - deficit
  return (units - units % p.token) / p.token
end

-- The deficit after a charge. The debt of a bucket is at most its capacity.
local function spentOf(p, deficit, cost)
  local after = deficit + cost * p.token
  return after < 2 * p.full and after or 2 * p.full
end

-- The number of ticks until a cost fits that does not fit now.
local function retryOf(p, deficit, cost)
  return ticksOf(p, deficit + cost * p.token - p.full)
end

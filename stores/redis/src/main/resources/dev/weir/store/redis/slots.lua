-- Part of the decision script: concurrency slots, stored as a sorted set. Each lease is a member "units:lease" whose score is
-- its expiry in microseconds. One member "units" with score -inf is the sum of all leases, expired or not. The state contains
-- no policy; the request supplies it.

local SUM = '-inf'

local function text(number)
  return string.format('%.0f', number)
end

local slots

local function slotOperations()
  local op = {}

  local function units(member)
    return tonumber(match(member, '^%d+'))
  end

  -- Reads the slots of an existing key.
  function op.read(name)
    local found = call('ZRANGEBYSCORE', name, SUM, text(now))
    local sum = found[1] and tonumber(found[1])
    if not sum then
      corrupt(name)
    end
    local ended = 0
    for i = 2, #found do
      ended = ended + units(found[i])
    end
    return { op = op, name = name, held = sum - ended }
  end

  function op.none(name)
    return { op = op, name = name, held = 0 }
  end

  function op.available(b)
    return b.p.cap - b.held
  end

  -- The time until enough leases have expired, in the order of their expiries.
  function op.retry(b, cost)
    local excess, seen = cost - op.available(b), 0
    while true do
      local leases = call('ZRANGEBYSCORE', b.name, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', seen, 100)
      for i = 1, #leases, 2 do
        excess = excess - units(leases[i])
        if excess <= 0 then
          return leases[i + 1] - now
        end
      end
      if #leases == 0 then
        corrupt(b.name)
      end
      seen = seen + 100
    end
  end

  function op.reset(b)
    local latest = b.held > 0 and call('ZREVRANGE', b.name, 0, 0, 'WITHSCORES')
    return latest and latest[2] - now or 0
  end

  -- Writes the new sum, removes expired leases, and sets the key to expire with the last lease.
  local function finish(b, difference)
    local sum = call('ZRANGEBYSCORE', b.name, SUM, SUM)[1]
    if sum then
      local ended = call('ZRANGEBYSCORE', b.name, '(' .. SUM, text(now))
      for i = 1, #ended do
        difference = difference - units(ended[i])
      end
      call('ZREMRANGEBYSCORE', b.name, SUM, text(now))
    end
    b.held = (tonumber(sum) or 0) + difference
    local latest = call('ZREVRANGE', b.name, 0, 0, 'WITHSCORES')
    if latest[2] then
      call('ZADD', b.name, SUM, text(b.held))
      local how, millis = expiry(latest[2] - now)
      call(how == 'PX' and 'PEXPIRE' or 'PEXPIREAT', b.name, millis)
    end
  end

  local function member(lease, count)
    return text(count) .. ':' .. lease
  end

  function op.hold(b, lease, count, ends)
    local before = call('ZSCORE', b.name, member(lease, count))
    call('ZADD', b.name, text(ends), member(lease, count))
    finish(b, before and 0 or count)
  end

  function op.holds(b, lease, count)
    local ends = call('ZSCORE', b.name, member(lease, count))
    return ends and tonumber(ends) > now
  end

  function op.release(b, lease, count)
    if call('ZREM', b.name, member(lease, count)) == 1 then
      finish(b, -count)
    end
  end

  return op
end

local function slotsOf()
  slots = slots or slotOperations()
  return slots
end

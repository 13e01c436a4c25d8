-- Part of the decision script: reservations and leases. A record contains its keys and policies in full, so the id alone is
-- enough to settle or release it.
--
-- A reservation: 1 if closed (1 byte), expiry and creation time (7 bytes each), creation time by the wall clock (6 bytes), n (2
-- bytes), then for every charge the key, the policy, the amount (7 bytes) and the reading; keys, policies and readings after
-- their length (2 bytes).
-- A lease: expiry (7 bytes), lease after its length (2 bytes), n (2 bytes), then for every charge key, policy and amount.

local function recordVerbs()
  local verbs = {}

  -- How long a closed reservation is kept at most, in microseconds: a minute.
  local CLOSED = 60000000

  local function record(k)
    local r = kept[k]
    if r == nil then
      r = raws[k]
      if not r and call('EXISTS', names[k]) == 1 then
        corrupt(names[k])
      end
      return r
    end
    return r and r.value
  end

  local function store(k, value, left)
    kept[k] = value and { value = value, left = left } or false
    dirty[k] = true
  end

  local function framed(s)
    return pack('>I2c0', #s, s)
  end

  -- Decodes n charges of a record from position i.
  local function charges(s, i, n, withReadings)
    local all = {}
    for j = 1, n do
      local c = {}
      c.name, c.given, c.cost, i = unpack('>I2c0I2c0I7', s, i)
      if withReadings then
        c.reading, i = unpack('>I2c0', s, i)
      end
      all[j] = c
    end
    return all
  end

  -- Resolves keys and policies and reads the budgets. Damaged values are found before anything is changed.
  local function found(all)
    for _, c in ipairs(all) do
      c.k, c.p = numberOf(c.name), explained(parse(c.given, 1), c.given)
      load(c.k, c.p)
      if c.p.kind < 8 then
        operations(c.p.kind).fresh(c.p)
      end
    end
    return all
  end

  local function reservation(k)
    local s = record(k)
    if not s then
      return nil
    end
    local r = {}
    local n, i
    r.closed, r.ends, r.at, r.atWall, n, i = unpack('>BI7I7i6I2', s, 1)
    if now >= r.ends then
      return nil
    end
    r.value, r.charges = s, charges(s, i, n, true)
    return r
  end

  -- The readings of an open reservation for a repeated reserve; nil if that has other keys.
  local function repeated(r, i, n)
    local readings = {}
    if n ~= #r.charges then
      return nil
    end
    for j, c in ipairs(r.charges) do
      if c.name ~= names[unpack(CHARGE, questions, i + CHARGE_SIZE * (j - 1))] then
        return nil
      end
      readings[j] = c.reading
    end
    return readings
  end

  -- Encodes the charges of a request for a record.
  local function recorded(i, n, readings)
    local parts = {}
    for j = 1, n do
      local k, number, cost = unpack(CHARGE, questions, i + CHARGE_SIZE * (j - 1))
      local part = framed(names[k]) .. framed(policies[number].given) .. pack('>I7', cost)
      parts[j] = readings and part .. framed(readings[j]) or part
    end
    return table.concat(parts)
  end

  verbs[5] = function(i, verb)
    local k, ttl, n, from = unpack('>I2I7I2', questions, i)
    local r = reservation(k)
    if r then
      local readings = repeated(r, from, n)
      return readings and pack('>BI7', 3, r.at) .. table.concat(readings) or '\11'
    end
    if verb == 13 then
      return pack('>BI7', 3, 0) .. table.concat(look(from, n))
    end
    local readings, admitted = decide(from, n)
    if admitted then
      local head = pack('>BI7I7i6I2', 0, now + ttl, now, wall, n)
      store(k, head .. recorded(from, n, readings), ttl)
    end
    return pack('>BI7', 3, admitted and now or 0) .. table.concat(readings)
  end
  verbs[13] = verbs[5]

  -- The argument `spent` of adjust for a charge of a reservation.
  local function spentBy(r, c)
    local seen = byte(c.reading) >= 64 and unpack('>I2', c.reading, 23) or 0
    return { at = r.at, wall = r.atWall, left = unpack('>I7', c.reading, 16), seen = seen }
  end

  -- Refunds or spends the difference to the actual cost, and marks the record as closed.
  local function close(k, r, actual)
    for j, c in ipairs(found(r.charges)) do
      c.difference = actual(c) - c.cost
    end
    for j, c in ipairs(r.charges) do
      adjust(c.k, c.p, c.difference, spentBy(r, c))
    end
    local left = min(r.ends - now, CLOSED)
    store(k, pack('>BI7', 1, now + left) .. sub(r.value, 9), left)
    return '\2\1'
  end

  local function scope(c)
    return match(c.name, '}b([^:]*)')
  end

  verbs[6] = function(i)
    local k, n, from = unpack('>I2I2', questions, i)
    local r = reservation(k)
    if not r then
      return '\2\0'
    end
    if r.closed == 1 then
      return '\2\2'
    end
    local reserved, costs = {}, {}
    for _, c in ipairs(r.charges) do
      reserved[scope(c)] = true
    end
    for j = 1, n do
      local name, cost, after = unpack('>I2c0I7', questions, from)
      if not reserved[name] then
        return pack('>BI2c0', 6, #name, name)
      end
      costs[name], from = cost, after
    end
    return close(k, r, function(c)
      return costs[scope(c)] or c.cost
    end)
  end

  verbs[7] = function(i)
    local k, at, forget = unpack('>I2I7B', questions, i)
    local r = reservation(k)
    if not r or at ~= 0 and at ~= r.at then
      return '\2\0'
    end
    if r.closed == 1 then
      return '\2\2'
    end
    local done = close(k, r, function()
      return 0
    end)
    if forget == 1 then
      store(k, nil)
    end
    return done
  end

  verbs[15] = function(i)
    local k, ttl = unpack('>I2I7', questions, i)
    local r = reservation(k)
    if not r or r.closed == 1 then
      return '\2\0'
    end
    store(k, pack('>BI7', 0, now + ttl) .. sub(r.value, 9), ttl)
    return '\2\1'
  end

  local function lease(k)
    local s = record(k)
    if not s then
      return nil
    end
    local l = {}
    local n, i
    l.ends, l.lease, n, i = unpack('>I7I2c0I2', s, 1)
    if now >= l.ends then
      return nil
    end
    l.value, l.charges = s, charges(s, i, n, false)
    return l
  end

  -- The number of slots that a lease holds, by key.
  local function holdings(l)
    local units = {}
    for _, c in ipairs(l.charges) do
      if parse(c.given, 1).kind == 8 then
        local k = numberOf(c.name)
        units[k] = (units[k] or 0) + c.cost
      end
    end
    return units
  end

  local function release(k, l)
    for slot, units in pairs(holdings(l)) do
      local b = load(slot)
      if b and b.op == slots then
        b.op.release(b, l.lease, units)
        written = 1
      end
    end
    store(k, nil)
  end

  -- Whether the lease still holds all its slots.
  local function holdsAll(l, units)
    for slot, count in pairs(units) do
      local b = load(slot)
      if not (b and b.op == slots and b.op.holds(b, l.lease, count)) then
        return false
      end
    end
    return true
  end

  -- Extends a lease. If one of its slots is lost, releases all others and returns false.
  local function renew(k, l, ttl)
    local units = holdings(l)
    if not holdsAll(l, units) then
      release(k, l)
      return false
    end
    for slot, count in pairs(units) do
      local b = load(slot)
      b.op.hold(b, l.lease, count, now + ttl)
      written = 1
    end
    store(k, pack('>I7', now + ttl) .. sub(l.value, 8), ttl)
    return true
  end

  -- The readings of an existing lease, which spends nothing new.
  local function held(i, n)
    local readings = {}
    for j = 1, n do
      local k, number = unpack(CHARGE, questions, i + CHARGE_SIZE * (j - 1))
      readings[j] = reading(under(k, policies[number]), ADMITTED, 0)
    end
    return readings
  end

  verbs[8] = function(i, verb)
    local k, ttl, name, n, from = unpack('>I2I7I2c0I2', questions, i)
    local l = lease(k)
    if verb == 14 then
      local isHeld = l and holdsAll(l, holdings(l))
      return (isHeld and '\4\1' or '\4\0') .. table.concat(isHeld and held(from, n) or look(from, n))
    end
    if l then
      held(from, n)
      if renew(k, l, ttl) then
        return '\4\1' .. table.concat(held(from, n))
      end
    end
    local readings, admitted = decide(from, n, { lease = name, ends = now + ttl, units = {} })
    if admitted then
      store(k, pack('>I7', now + ttl) .. framed(name) .. pack('>I2', n) .. recorded(from, n), ttl)
    end
    return '\4\0' .. table.concat(readings)
  end
  verbs[14] = verbs[8]

  verbs[9] = function(i)
    local k, ttl = unpack('>I2I7', questions, i)
    local l = lease(k)
    return l and renew(k, l, ttl) and '\2\1' or '\2\0'
  end

  verbs[10] = function(i)
    local k = unpack('>I2', questions, i)
    local l = lease(k)
    if l then
      release(k, l)
    end
    return l and '\2\1' or '\2\0'
  end

  -- Returns when a policy was first seen; stores it without expiry, because every later call must get the same time.
  verbs[11] = function(i)
    local k = unpack('>I2', questions, i)
    local known = call('GET', names[k])
    if not known then
      known = text(now)
      call('SET', names[k], known)
      written = 1
    end
    return pack('>BI7', 5, known)
  end

  return verbs
end

-- Part of the decision script: spends the charges of a request, all or none.
--
-- A charge: index of the key (2 bytes), number of the policy (2 bytes), amount (7 bytes).
-- A reading: status (1 byte: 0 admitted, 1 fits, 2 refused, 3 impossible), remaining units, time until the charge fits, time
-- until the budget is full (7 bytes each). Times are microseconds; with 16 added to the status they are milliseconds, with 32
-- seconds. With 64 added, the number of resets of the key at the same microsecond before the charge follows (2 bytes).

local ADMITTED, FITS, REFUSED, IMPOSSIBLE = 0, 1, 2, 3
local CHARGE_SIZE = 11

local function reading(b, status, retry)
  return pack(READING, status + (b.p.clock or 0), max(0, b.op.available(b)), retry, b.op.reset(b))
end

-- The number of resets of the key at this microsecond before now.
local function resetsSeen(k)
  local mark = marks[k]
  return mark and mark.at == now and mark.count or 0
end

-- Spends a charge that fits and returns its reading.
local function spend(k, b, cost)
  b.op.spend(b, cost)
  touch(k, b)
  local seen = resetsSeen(k)
  return seen == 0 and reading(b, ADMITTED, 0) or reading(b, ADMITTED + 64, 0) .. pack('>I2', seen)
end

-- Holds slots, which are written at once. A request may charge the same key several times; the lease stays one member.
local function hold(k, p, cost, holder)
  local before, b = load(k), under(k, p)
  if not (before and before.op == slots) and (before or raws[k] or dirty[k]) then
    call('DEL', names[k])
    raws[k], dirty[k] = false, nil
  end
  marks[k] = nil
  local units = holder.units[k] or 0
  if units > 0 then
    b.op.release(b, holder.lease, units)
  end
  holder.units[k] = units + cost
  b.op.hold(b, holder.lease, units + cost, holder.ends)
  kept[k] = b
  written = 1
  return reading(b, ADMITTED, 0)
end

-- The readings of charges without spending: each as if the charges before it on the same key had been spent.
local function look(i, n)
  local readings, asked = {}, {}
  for j = 1, n do
    local k, number, cost = unpack(CHARGE, questions, i + CHARGE_SIZE * (j - 1))
    local p = policies[number]
    local b, sum = find(k, p), (asked[k] or 0) + cost
    asked[k] = sum
    if sum > p.cap then
      readings[j] = reading(b, IMPOSSIBLE, 0)
    elseif sum <= b.op.available(b) then
      readings[j] = reading(b, FITS, 0)
    else
      readings[j] = reading(b, REFUSED, b.op.retry(b, sum))
    end
  end
  return readings
end

-- Spends all charges or none; returns the readings and whether all were admitted. `holder` is the lease that takes slots.
local function decide(i, n, holder)
  local readings, asked, last = {}, {}, i + CHARGE_SIZE * (n - 1)
  for at = i, last, CHARGE_SIZE do
    local k, number, cost = unpack(CHARGE, questions, at)
    local p = policies[number]
    local b, sum = find(k, p), (asked[k] or 0) + cost
    asked[k] = sum
    if sum > p.cap or sum > b.op.available(b) then
      return look(i, n), false
    end
  end
  for at = i, last, CHARGE_SIZE do
    local k, number, cost = unpack(CHARGE, questions, at)
    local p = policies[number]
    readings[#readings + 1] = p.kind == 8 and hold(k, p, cost, holder) or spend(k, find(k, p), cost)
  end
  return readings, true
end

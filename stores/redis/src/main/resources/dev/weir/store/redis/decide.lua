-- Decisions: charges against budgets, all or nothing.
--
-- A charge is the number of a key (2 bytes), of a policy (2 bytes), and an amount (7 bytes). A reading is a byte (0
-- admitted, 1 fits, 2 refused, 3 impossible), what remains, when the charge fits and when the budget is whole (7 bytes
-- each); with 16 added to the byte, the two times are milliseconds, with 32 seconds; with 64 added, how many resets of the
-- key came before at that very time follows (2 bytes).

local ADMITTED, FITS, REFUSED, IMPOSSIBLE = 0, 1, 2, 3
local CHARGE_SIZE = 11

local function reading(b, status, retry)
  return pack(READING, status + (b.p.clock or 0), max(0, b.op.available(b)), retry, b.op.reset(b))
end

-- How many resets of the key came before at this very time.
local function resetsSeen(k)
  local mark = marks[k]
  return mark and mark.at == now and mark.count or 0
end

-- Spends what fits, and answers the reading.
local function spend(k, b, cost)
  b.op.spend(b, cost)
  touch(k, b)
  local seen = resetsSeen(k)
  return seen == 0 and reading(b, ADMITTED, 0) or reading(b, ADMITTED + 64, 0) .. pack('>I2', seen)
end

-- Slots are written at once. The same key may be charged several times; the lease is one member.
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

-- How several charges find their budgets: each as if those before it on the same key had been spent.
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

-- Spends all or nothing; answers the readings and whether it was admitted.
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

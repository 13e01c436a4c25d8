-- Decisions: charges against budgets, all or nothing.
--
-- A charge is the number of a key (2 bytes), of a policy (2 bytes), and an amount (7 bytes). A reading is a byte (0
-- admitted, 1 fits, 2 refused, 3 impossible), what remains, when the charge fits and when the budget is whole (7 bytes
-- each); with 128 added to the byte, the two times have three limbs of 3 bytes each, the highest first; with 64 added, how
-- many resets of the key came before at that very time follows (2 bytes).

local ADMITTED, FITS, REFUSED, IMPOSSIBLE = 0, 1, 2, 3
local CHARGE = '>I2I2I7'

local function limbs(a)
  if type(a) == 'table' then
    return a[3], a[2], a[1]
  end
  return 0, 0, 0
end

local function reading(b, status, retry)
  local remaining, reset = max(0, b.op.available(b)), b.op.reset(b)
  if type(reset) == 'table' then
    local r3, r2, r1 = limbs(retry)
    return pack('>BI7I3I3I3I3I3I3', status + 128, remaining, r3, r2, r1, limbs(reset))
  end
  return pack('>BI7I7I7', status, remaining, retry, reset)
end

-- The reading of one who has spent.
local function admitted(k, b)
  local mark = marks[k]
  if mark and mark.at == now then
    return reading(b, ADMITTED + 64, 0) .. pack('>I2', mark.count)
  end
  return reading(b, ADMITTED, 0)
end

local function read(b, p, cost)
  if cost > p.cap then
    return reading(b, IMPOSSIBLE, 0), false
  end
  if cost <= b.op.available(b) then
    return reading(b, FITS, 0), true
  end
  return reading(b, REFUSED, b.op.retry(b, cost)), false
end

-- How several charges find their budgets: each as if those before it on the same key had been spent.
local function look(i, n)
  local readings, asked, fits = {}, {}, true
  for j = 1, n do
    local k, number = unpack(CHARGE, questions, i + 11 * (j - 1))
    notice(k, policies[number])
  end
  for j = 1, n do
    local k, number, cost = unpack(CHARGE, questions, i + 11 * (j - 1))
    local p = policies[number]
    asked[k] = (asked[k] or 0) + cost
    local each, fit = read(under(k, p), p, asked[k])
    readings[j], fits = each, fits and fit
  end
  return readings, fits
end

local function spendOne(k, p, cost)
  local b = under(k, p)
  b.op.spend(b, cost)
  touch(k, b)
  return admitted(k, b)
end

-- Slots are written at once. The same key may be charged several times; the lease is one member.
local function holdOne(k, p, cost, holder)
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

local function spendAll(i, n, holder)
  local readings = {}
  for j = 1, n do
    local k, number, cost = unpack(CHARGE, questions, i + 11 * (j - 1))
    local p = policies[number]
    readings[j] = p.kind == 8 and holdOne(k, p, cost, holder) or spendOne(k, p, cost)
  end
  return readings
end

-- Spends all or nothing; answers the readings and whether it was admitted.
local function decide(i, n, holder)
  local readings, fits = look(i, n)
  if fits then
    readings = spendAll(i, n, holder)
  end
  return readings, fits
end

-- A single charge, which is the usual case, is looked at and spent in one go.
local function consumeOne(i)
  local k, number, cost = unpack(CHARGE, questions, i)
  local p = policies[number]
  notice(k, p)
  local b = under(k, p)
  if cost <= b.op.available(b) and cost <= p.cap then
    b.op.spend(b, cost)
    touch(k, b)
    return admitted(k, b)
  end
  return (read(b, p, cost))
end

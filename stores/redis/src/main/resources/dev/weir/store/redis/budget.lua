-- Part of the decision script: the budgets of a call by the index of their key. A budget is decoded on first use, cached for the
-- duration of the call, and written once at its end.

-- The constructors of operations by kind of policy; kinds 0 to 3, the buckets, share number 3.
local makers = { [3] = bucket, [4] = fixedWindow, [5] = slidingWindow, [6] = streak, [7] = calendar, [8] = slotsOf, [9] = closed }
local kept, dirty, written = {}, {}, 0

-- The last reset of a key, by the key's index: its time, and the number of resets at that microsecond. It is stored before the
-- state, or alone: a byte that begins no policy, the time (7 bytes), the number (2 bytes). It is kept for seven days, the longest
-- time to live of a hold.
local marks = {}
local MARK, MARKED, REMEMBERED = '\255', 255, 604800000000

-- The operations of a kind of budget, created on first use.
local function operations(kind)
  kind = max(3, kind)
  local made = makers[kind]
  if type(made) == 'function' then
    made = made()
    makers[kind] = made
  end
  return made
end

-- The index of a key that KEYS may not contain; reads the key if it does not.
local numbers
local function numberOf(name)
  if not numbers then
    numbers, names = {}, {}
    for i = 1, #KEYS do
      names[i], numbers[KEYS[i]] = KEYS[i], i
    end
  end
  local k = numbers[name]
  if not k then
    k = #names + 1
    names[k], numbers[name], raws[k] = name, k, call('MGET', name)[1]
  end
  return k
end

local function decoded(raw, expected)
  local p = expected
  if not p or sub(raw, 1, #p.prefix) ~= p.prefix then
    p = parse(raw, 1)
  end
  return p and p.kind < 8 and operations(p.kind).decode(p, raw, #p.prefix + 1)
end

-- Decodes a state; fails if it is damaged, or with `need` if the policy's additional data is missing.
local function decode(name, raw, expected)
  local ok, b = pcall(decoded, raw, expected)
  if ok and b then
    return b
  end
  if not ok and type(b) == 'table' and b.need then
    error(b)
  end
  return corrupt(name)
end

-- Whether any key of the call without a string holds another type; nil if not checked yet.
local anyUnlike

-- The slots of a key that holds no string; false if it is absent.
local function unlike(k)
  if anyUnlike == nil then
    local absent = {}
    for i = 2, #KEYS do
      if not raws[i] then
        absent[#absent + 1] = KEYS[i]
      end
    end
    anyUnlike = #absent > 0 and call('EXISTS', _G.unpack(absent)) > 0
  end
  if not anyUnlike and k <= #KEYS then
    return false
  end
  local name = names[k]
  local kind = call('TYPE', name).ok
  if kind == 'none' then
    return false
  end
  if kind ~= 'zset' then
    error({ err = 'WEIR ' .. name .. ' holds a ' .. kind .. ', which is no state of Weir' })
  end
  return slotsOf().read(name)
end

-- Decodes the reset mark, if there is one, and returns the state after it.
local function unmarked(k, raw)
  if byte(raw) ~= MARKED then
    return raw
  end
  if #raw < 10 then
    corrupt(names[k])
  end
  local at, count = unpack('>I7I2', raw, 2)
  marks[k] = now - at < REMEMBERED and { at = at, count = count } or nil
  return sub(raw, 11)
end

-- The budget as stored; false if there is none. If `expected` is its policy, that policy is not decoded again.
local function load(k, expected)
  local b = kept[k]
  if b == nil then
    local raw = raws[k] and unmarked(k, raws[k])
    if raw then
      b = (raw ~= '' or raws[k] == '') and decode(names[k], raw, expected)
    else
      b = unlike(k)
    end
    kept[k] = b
  end
  return b
end

local function touch(k, b)
  kept[k] = b
  dirty[k] = true
end

-- The spent units: the difference to an unused budget.
local function spendingOf(b)
  if b.op == slots then
    return b.held
  end
  return b.op.available(b.op.fresh(b.p)) - b.op.available(b)
end

-- The budget under this policy. If the stored budget has another policy, it stays unchanged and its spent units are carried over.
local function under(k, p)
  local b = load(k, p)
  if p.kind == 8 then
    if not b or b.op ~= slots then
      b = slotsOf().none(names[k])
    end
    b.p = p
    return b
  end
  if b and b.op ~= slots and b.p.prefix == p.prefix then
    return b
  end
  local fresh = operations(p.kind).fresh(p)
  local spent = b and spendingOf(b) or 0
  if spent > 0 then
    fresh.op.spend(fresh, min(spent, p.cap))
  end
  return fresh
end

-- Like under, and first stores the change that a check makes to a calendar window that lies ahead.
local function find(k, p)
  local b = load(k, p)
  if b and b.op.notice and b.op.notice(b) then
    touch(k, b)
  end
  return under(k, p)
end

-- Whether a charge can still be refunded: the key was not reset since, and the charge's window has not ended. A bucket, or a
-- budget that still has the charge's policy, needs no check of the window.
local function isStillSpent(k, b, p, spent)
  local mark = marks[k]
  if mark and (spent.at < mark.at or spent.at == mark.at and spent.seen < mark.count) then
    return false
  end
  if p.kind < 4 or b.p.prefix == p.prefix then
    return true
  end
  if p.kind == 7 then
    return wall < spent.wall + spent.left / 1000
  end
  return now < spent.at + spent.left
end

-- Spends the difference, whether it fits or not, or refunds it if negative. `spent` describes the charge: its time (at, wall),
-- the time until the budget was full then (left), and the number of resets at that microsecond before it (seen).
local function adjust(k, p, difference, spent)
  local b = load(k, p)
  if difference == 0 or p.kind == 8 or b and b.op == slots then
    return
  end
  if difference > 0 then
    -- A full budget of another policy is replaced.
    if not b or b.p.prefix ~= p.prefix and not b.op.encode(b) then
      b = operations(p.kind).fresh(p)
    end
    b.op.spend(b, difference)
    touch(k, b)
  elseif b and isStillSpent(k, b, p, spent) then
    b.op.giveBack(b, -difference, spent.at, spent.wall)
    touch(k, b)
  end
end

-- Resets a budget to full, of any kind and even if it is damaged; frees slots. The reset mark replaces a value of any type.
local function reset(k)
  if kept[k] == nil and raws[k] and #raws[k] >= 10 then
    unmarked(k, raws[k])
  end
  local before = marks[k]
  marks[k] = { at = now, count = before and before.at == now and min(before.count + 1, 65535) or 1 }
  touch(k, false)
end

local function writeAll()
  for k in pairs(dirty) do
    local b = kept[k]
    local value, left
    if b and b.op then
      value, left = b.op.encode(b)
    elseif b then
      value, left = b.value, b.left
    end
    local mark = marks[k]
    if mark then
      value = MARK .. pack('>I7I2', mark.at, mark.count) .. (value or '')
      left = max(left or 0, mark.at + REMEMBERED - now)
    end
    if value then
      write(names[k], value, left)
      written = 1
    elseif call('DEL', names[k]) == 1 then
      written = 1
    end
  end
  writeClock(written)
end

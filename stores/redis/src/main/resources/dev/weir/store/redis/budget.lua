-- Budgets by the number of their key: read when first needed, kept while the call lasts, written once at its end.

local makers = { [0] = bucket, bucket, bucket, wide, fixedWindow, slidingWindow, streak, calendar, slotsOf, closed }
local kept, dirty, written = {}, {}, 0

-- The operations on a kind of budget, made when first needed.
local function operations(kind)
  local made = makers[kind]
  if type(made) == 'function' then
    made = made()
    makers[kind] = made
  end
  return made
end

-- The number of a key that the call did not name.
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

-- What cannot be read is no state; what the caller must explain is.
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

-- What is under a name that holds no string.
local function unlike(name)
  local kind = call('TYPE', name).ok
  if kind == 'none' then
    return false
  end
  if kind ~= 'zset' then
    error({ err = 'WEIR ' .. name .. ' holds a ' .. kind .. ', which is no state of Weir' })
  end
  return slotsOf().read(name)
end

-- The budget as it is kept; false for none. A policy that it may well have saves reading its own.
local function load(k, expected)
  local b = kept[k]
  if b == nil then
    local raw = raws[k]
    if raw then
      b = decode(names[k], raw, expected)
    else
      b = unlike(names[k])
    end
    kept[k] = b
  end
  return b
end

local function touch(k, b)
  kept[k] = b
  dirty[k] = true
end

-- As one who looks at it leaves it.
local function notice(k, p)
  local b = load(k, p)
  if b and b.op.notice and b.op.notice(b) then
    touch(k, b)
  end
end

-- The budget as this policy has it: another policy's is left as it is, and what is missing of it is missing here.
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
  local missing = b and b.op.missing(b) or 0
  if missing > 0 then
    fresh.op.spend(fresh, min(missing, p.cap))
  end
  return fresh
end

-- Spends so much more, whether it fits or not, or gives so much back.
local function adjust(k, p, difference, at, atWall)
  local b = load(k, p)
  if difference == 0 or p.kind == 8 or b and b.op == slots then
    return
  end
  if difference > 0 then
    b = b or operations(p.kind).fresh(p)
    b.op.spend(b, difference)
    touch(k, b)
  elseif b then
    b.op.giveBack(b, -difference, at, atWall)
    touch(k, b)
  end
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
    if value then
      call('SET', names[k], value, expiry(left))
      written = 1
    elseif call('DEL', names[k]) == 1 then
      written = 1
    end
  end
  writeClock(written)
end

-- A policy, as it is given and as it stands before every state: its kind in the high half of the first byte.
--
--   0 short bucket   exponent of capacity | exponent of token (4 bits), capacity, token (14 bits each): both are that
--                    times a power of ten, the tick is 1
--   1 bucket    width of capacity | (width of tick, width of token), capacity, tick, token
--   2 bucket with an initial fill: the same, then width of initial, initial
--   3 wide bucket    0 | length of text, "capacity:tick:token:initial"
--   4 fixed window   width of limit | width of period, limit, period
--   5 sliding window likewise
--   6 streak         width of quiet | quiet
--   7 calendar       width of limit | limit, unit (1 byte), length of zone, zone
--   8 slots          width of slots | slots
--   9 closed         0 |
--
-- A width of 0 for the tick stands for a tick of 1. When given, some are followed by what is not part of their identity:
--   0, 1        capacity, tick, token (7 bytes each), bytes of a deficit (a digit, 0 for a short one):
--               the same once more, quick to read
--   2, 3        when the store first met the policy (7 bytes)
--   7           start and end of the present window, and end of the next (6 bytes each)

-- What was given besides, by policy: calendars' windows, and when policies were met. Whoever needs what was not given is
-- to ask again with it.
local spans, meetings = {}, {}

local function met(p)
  return meetings[p.prefix] or error({ need = p.prefix })
end

local function bucketNumbers(s, i, p, w, widths)
  local t, k = floor(widths / 16), widths % 16
  if t == 0 then
    p.cap, p.token = unpack('>I' .. w .. 'I' .. k, s, i)
    p.tick = 1
  else
    p.cap, p.tick, p.token = unpack('>I' .. w .. 'I' .. t .. 'I' .. k, s, i)
  end
  p.full = p.cap * p.token
  local d = width(2 * p.full)
  p.form, p.size = '>I' .. d .. 'I7', d + 7
  return i + w + t + k
end

-- The policy that begins at i.
local function parse(s, i)
  local first, second = byte(s, i, i + 1)
  local kind, w = floor(first / 16), first % 16
  local p = { kind = kind }
  local after
  if kind == 0 then
    local packed = unpack('>I4', s, i + 1)
    p.cap = floor(packed / 16384) % 16384 * tonumber('1e' .. w)
    p.token = packed % 16384 * tonumber('1e' .. floor(packed / 268435456))
    p.tick, p.full = 1, p.cap * p.token
    after = i + 5
  elseif kind == 1 then
    after = bucketNumbers(s, i + 2, p, w, second)
  elseif kind == 2 then
    after = bucketNumbers(s, i + 2, p, w, second)
    local v = byte(s, after)
    p.initial = unpack('>I' .. v, s, after + 1)
    after = after + 1 + v
  elseif kind == 3 then
    after = i + 2 + second
    p.text = sub(s, i + 2, after - 1)
    p.cap = tonumber(match(p.text, '^%d+'))
  elseif kind == 4 or kind == 5 then
    p.cap, p.period = unpack('>I' .. w .. 'I' .. second, s, i + 2)
    after = i + 2 + w + second
    p.used = width(2 * p.cap)
  elseif kind == 6 then
    p.cap, p.period = 1000000000000000, unpack('>I' .. w, s, i + 1)
    after = i + 1 + w
  elseif kind == 7 then
    p.cap = unpack('>I' .. w, s, i + 1)
    after = i + 3 + w + byte(s, i + 2 + w)
    p.used = width(2 * p.cap)
  elseif kind == 8 then
    p.cap = unpack('>I' .. w, s, i + 1)
    after = i + 1 + w
  elseif kind == 9 then
    p.cap = 0
    after = i + 1
  else
    return nil
  end
  p.prefix = sub(s, i, after - 1)
  p.after = after
  return p
end

-- The policy that was given, with what follows it.
local function parseGiven(s)
  local p = parse(s, 1)
  if p.after <= #s then
    if p.kind == 7 then
      local from, to, beyond = unpack('>i6i6i6', s, p.after)
      if from <= wall and wall < to then
        spans[p.prefix] = { from, to, beyond }
      end
    elseif p.kind > 1 then
      meetings[p.prefix] = unpack('>I7', s, p.after)
    end
  end
  p.given = s
  return p
end

local policies, firstQuestion = {}, 3
for i = 1, (unpack('>I2', questions)) do
  policies[i], firstQuestion = unpack('>I2c0', questions, firstQuestion)
  policies[i] = parseGiven(policies[i])
end

-- Part of the decision script: the encoding of policies. A policy precedes every state and stands in ARGV[1]. The high half of
-- its first byte is its kind; the field before | is the low half. Widths are numbers of bytes; durations are microseconds.
--
--   0 short bucket   exponent of capacity | exponent of token (4 bits), capacity, token (14 bits each): each number is
--                    multiplied by its power of ten, the tick is 1
--   1 bucket    width of capacity | (width of tick, width of token), capacity, tick, token
--   2 bucket with an initial fill: the same, then width of initial, initial
--   3 bucket on a coarser clock: as 2, then how many zeros a tick has in microseconds (1 byte: 3 or 6)
--   4 fixed window   width of limit | width of period, limit, period
--   5 sliding window likewise
--   6 streak         width of quiet | quiet
--   7 calendar       width of limit | limit, unit (1 byte), length of zone, zone
--   8 slots          width of slots | slots
--   9 closed         0 |
--
-- A width of 0 for the tick means a tick of 1. In ARGV[1] and in records, some policies are followed by data that is not
-- part of their identity:
--   2, 3        when the store first observe the policy (7 bytes)
--   7           start and end of the current window, and end of the next, in wall-clock milliseconds (6 bytes each)

-- Decodes the policy at position i; returns nil if there is none.
local function parse(s, i)
  local first, second = byte(s, i, i + 1)
  local kind, w = floor(first / 16), first % 16
  local p = { kind = kind, cap = 0, tick = 1, token = 0, full = 0, prefix = '', now = now, unit = 1, size = 7 }
  local after
  if kind == 0 then
    local packed = unpack('>I4', s, i + 1)
    local cap, token = floor(packed / 16384) % 16384, packed % 16384
    for _ = 1, w do
      cap = cap * 10
    end
    for _ = 1, floor(packed / 268435456) do
      token = token * 10
    end
    p.cap, p.token, after = cap, token, i + 5
  elseif kind < 4 then
    local t, k = floor(second / 16), second % 16
    if t == 0 then
      p.cap, p.token = unpack('>I' .. w .. 'I' .. k, s, i + 2)
    else
      p.cap, p.tick, p.token = unpack('>I' .. w .. 'I' .. t .. 'I' .. k, s, i + 2)
    end
    after = i + 2 + w + t + k
    if kind > 1 then
      local v = byte(s, after)
      local initial = unpack('>I' .. v, s, after + 1)
      p.initial = initial < p.cap and initial or nil
      after = after + 1 + v
    end
    if kind == 3 then
      local zeros = byte(s, after)
      if zeros ~= 3 and zeros ~= 6 then
        return nil
      end
      p.unit, p.clock = 10 ^ zeros, 16 * zeros / 3
      p.now, after = floor(now / p.unit), after + 1
    end
  elseif kind == 4 or kind == 5 then
    p.cap, p.period = unpack('>I' .. w .. 'I' .. second, s, i + 2)
    after = i + 2 + w + second
  elseif kind == 6 then
    p.cap, p.period = 1000000000000000, unpack('>I' .. w, s, i + 1)
    after = i + 1 + w
  elseif kind == 7 then
    p.cap = unpack('>I' .. w, s, i + 1)
    after = i + 3 + w + byte(s, i + 2 + w)
  elseif kind == 8 then
    p.cap = unpack('>I' .. w, s, i + 1)
    after = i + 1 + w
  elseif kind == 9 then
    after = i + 1
  else
    return nil
  end
  p.full = p.cap * p.token
  p.prefix = sub(s, i, after - 1)
  if kind > 0 then
    -- Number of bytes of the largest amount that a budget can hold: twice its capacity.
    local bytes, most = 1, 2 * max(p.cap, p.full)
    while most >= 256 do
      most = most / 256
      bytes = bytes + 1
    end
    p.used, p.form, p.size = bytes, '>I' .. bytes .. 'I7', bytes + 7
  end
  return p
end

local policies, firstQuestion = {}, 3
for i = 1, (unpack('>I2', questions)) do
  local length, from = unpack('>I2', questions, firstQuestion)
  policies[i], firstQuestion = parse(questions, from), from + length
end

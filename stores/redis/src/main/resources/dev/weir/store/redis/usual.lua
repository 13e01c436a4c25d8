-- The usual call: nothing but consume, nothing but token buckets that begin full, every key under the policy with which it
-- is charged. It computes as bucket.lua does, but without a function, which is several times faster. Whatever is not usual
-- leaves it before anything is written, and takes the long way from the start.

local usual = true
local PREFIX, FORM, SIZE, CAP, TICK, TOKEN, FULL = 1, 2, 3, 4, 5, 6, 7
local buckets, i = {}, 3
for number = 1, (unpack('>I2', questions)) do
  local length, from = unpack('>I2', questions, i)
  i = from + length
  if byte(questions, from) >= 32 then
    usual = false
    break
  end
  local cap, tick, token = unpack('>I7I7I7', questions, i - 22)
  local size = sub(questions, i - 1, i - 1)
  buckets[number] =
    { sub(questions, from, i - 23), '>I' .. size .. 'I7', length - 15 + size, cap, tick, token, cap * token }
end

-- By key: what is missing, the policy, how many charges were spent on it, the question that charged it last.
local DEFICIT, POLICY, SPENT, ASKED = 1, 2, 3, 4
local CHARGE, READING = '>I2I2I7', '>BI7I7I7'
local states, replies, absent = {}, {}, nil
while usual and i <= #questions do
  -- Of a run, n says how often the one charge is asked for.
  local length, verb, n, first = unpack('>I3BI2', questions, i)
  if verb ~= 1 and verb ~= 12 then
    usual = false
    break
  end
  local isRun, from, spent = verb == 12, first, 0
  local k, number, cost, b, p
  if not isRun then
    replies[#replies + 1] = '\1'
  end
  local before = #replies
  for j = 1, isRun and 1 or n do
    k, number, cost, from = unpack(CHARGE, questions, from)
    b, p = states[k], buckets[number]
    if not b then
      local raw, deficit = raws[k], 0
      if raw then
        local prefix, at = p[PREFIX], nil
        if #raw ~= p[SIZE] or sub(raw, 1, #prefix) ~= prefix then
          usual = false
          break
        end
        deficit, at = unpack(p[FORM], raw, #prefix + 1)
        if deficit > 2 * p[FULL] then
          usual = false
          break
        end
        if now > at then
          deficit = now - at >= -floor(-deficit / p[TICK]) and 0 or deficit - (now - at) * p[TICK]
        end
      else
        absent = absent or {}
        absent[#absent + 1] = names[k]
      end
      b = { deficit, p, 0, i }
      states[k] = b
    elseif b[POLICY] ~= p or b[ASKED] == i then
      usual = false
      break
    else
      b[ASKED] = i
    end
    -- Spent as long as all fit; what was too much is given back below.
    if spent == j - 1 and not isRun then
      local deficit, token, full = b[DEFICIT] + cost * p[TOKEN], p[TOKEN], p[FULL]
      if deficit <= full then
        b[DEFICIT], b[SPENT], spent = deficit, b[SPENT] + 1, j
        replies[before + j] = pack(READING, 0, floor((full - deficit) / token), 0, -floor(-deficit / p[TICK]))
      end
    end
  end
  if not usual then
    break
  end
  if isRun then
    -- As many as fit, one after another: what was missing before tells the caller the rest.
    local deficit, price = b[DEFICIT], cost * p[TOKEN]
    local many = max(0, min(n, floor((p[FULL] - deficit) / price)))
    if many > 0 then
      b[DEFICIT], b[SPENT] = deficit + many * price, b[SPENT] + 1
    end
    replies[before + 1] = pack('>BI7I2', 9, deficit, many)
  elseif spent < n then
    from = first
    for j = 1, spent do
      k, number, cost, from = unpack(CHARGE, questions, from)
      b = states[k]
      b[DEFICIT], b[SPENT] = b[DEFICIT] - cost * b[POLICY][TOKEN], b[SPENT] - 1
    end
    from = first
    for j = 1, n do
      k, number, cost, from = unpack(CHARGE, questions, from)
      b, p = states[k], buckets[number]
      local deficit, token, full, tick = b[DEFICIT], p[TOKEN], p[FULL], p[TICK]
      local status, retry = 1, 0
      if cost > p[CAP] then
        status = 3
      elseif deficit + cost * token > full then
        status, retry = 2, -floor(-(deficit + cost * token - full) / tick)
      end
      local remaining = max(0, floor((full - deficit) / token))
      replies[before + j] = pack(READING, status, remaining, retry, -floor(-deficit / tick))
    end
  end
  i = i + 3 + length
end

-- A key that has no string may have something else.
if usual and (not absent or call('EXISTS', _G.unpack(absent)) == 0) then
  local wrote = 0
  for k, b in pairs(states) do
    if b[SPENT] > 0 then
      local p, deficit = b[POLICY], b[DEFICIT]
      call('SET', names[k], p[PREFIX] .. pack(p[FORM], deficit, now), expiry(-floor(-deficit / p[TICK])))
      wrote = 1
    end
  end
  writeClock(wrote)
  return pack('>BI7i6', wrote, now, wall) .. table.concat(replies)
end

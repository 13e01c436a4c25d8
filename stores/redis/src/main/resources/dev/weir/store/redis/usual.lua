-- The usual call: nothing but consume, nothing but token buckets that begin full, every key under the policy with which it
-- is charged. It computes as bucket.lua does, but without a function and without a table for each key, which is several
-- times faster. Whatever is not usual leaves it before anything is written, and takes the long way from the start.

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
  local cap, tick, token, size = unpack('>I7I7I7c1', questions, i - 22)
  -- A short bucket keeps one number and has no form.
  local form = size ~= '0' and '>I' .. size .. 'I7'
  buckets[number] = { sub(questions, from, i - 23), form, length - 15 + size, cap, tick, token, cap * token }
end

-- By key: what is missing, the policy, how many charges were spent on it, the question that charged it last.
local deficits, policyOf, spentOn, askedBy = {}, {}, {}, {}
local CHARGE, READING = '>I2I2I7', '>BI7I7I7'
local replies, absent = {}, nil
while usual and i <= #questions do
  local verb = byte(questions, i + 3)
  if verb ~= 1 and verb ~= 12 then
    usual = false
    break
  end
  -- Of a run, n says how often the one charge is asked for.
  local n, k, number, cost, from = unpack('>I2I2I2I7', questions, i + 4)
  local isRun, spent = verb == 12, 0
  local deficit, p
  if not isRun then
    replies[#replies + 1] = '\1'
  end
  local before = #replies
  for j = 1, isRun and 1 or n do
    if j > 1 then
      k, number, cost, from = unpack(CHARGE, questions, from)
    end
    deficit, p = deficits[k], buckets[number]
    if not deficit then
      local raw = raws[k]
      if not raw then
        deficit, absent = 0, absent or {}
        absent[#absent + 1] = names[k]
      else
        local prefix, form = p[PREFIX], p[FORM]
        if #raw ~= p[SIZE] or sub(raw, 1, #prefix) ~= prefix then
          usual = false
          break
        end
        if not form then
          deficit = max(0, min(unpack('>I7', raw, #prefix + 1) - now, 2 * p[FULL]))
        else
          local at
          deficit, at = unpack(form, raw, #prefix + 1)
          if deficit > 2 * p[FULL] then
            usual = false
            break
          end
          if now > at then
            deficit = now - at >= -floor(-deficit / p[TICK]) and 0 or deficit - (now - at) * p[TICK]
          end
        end
      end
      deficits[k], policyOf[k], spentOn[k] = deficit, p, 0
    elseif policyOf[k] ~= p or askedBy[k] == i then
      usual = false
      break
    end
    -- Spent as long as all fit; what was too much is given back below.
    if not isRun then
      askedBy[k] = i
      if spent == j - 1 then
        local full, token = p[FULL], p[TOKEN]
        local after = deficit + cost * token
        if after <= full then
          deficits[k], spentOn[k], spent = after, spentOn[k] + 1, j
          replies[before + j] = pack(READING, 0, floor((full - after) / token), 0, -floor(-after / p[TICK]))
        end
      end
    end
  end
  if not usual then
    break
  end
  if isRun then
    -- As many as fit, one after another: what was missing before tells the caller the rest.
    local price = cost * p[TOKEN]
    local many = max(0, min(n, floor((p[FULL] - deficit) / price)))
    if many > 0 then
      deficits[k], spentOn[k] = deficit + many * price, spentOn[k] + 1
    end
    replies[before + 1] = pack('>BI7I2', 9, deficit, many)
  elseif spent < n then
    local at = i + 6
    for j = 1, spent do
      k, number, cost, at = unpack(CHARGE, questions, at)
      deficits[k], spentOn[k] = deficits[k] - cost * buckets[number][TOKEN], spentOn[k] - 1
    end
    at = i + 6
    for j = 1, n do
      k, number, cost, at = unpack(CHARGE, questions, at)
      deficit, p = deficits[k], buckets[number]
      local token, full, tick = p[TOKEN], p[FULL], p[TICK]
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
  i = from
end

-- A key that has no string may have something else.
if usual and (not absent or call('EXISTS', _G.unpack(absent)) == 0) then
  local wrote = 0
  for k = 2, #KEYS do
    if spentOn[k] and spentOn[k] > 0 then
      local p, deficit = policyOf[k], deficits[k]
      local form, whole = p[FORM], -floor(-deficit / p[TICK])
      local value = p[PREFIX] .. (form and pack(form, deficit, now) or pack('>I7', now + deficit))
      if given then
        call('SET', names[k], value, expiry(whole))
      else
        -- The value comes third: Redis would make a second argument of what MGET left there, the name of a key, and keep
        -- all of its longer piece of memory for the value.
        local millis = '60000'
        if whole > 59999000 then
          local _
          _, millis = expiry(whole)
        end
        call('PSETEX', names[k], millis, value)
      end
      wrote = 1
    end
  end
  writeClock(wrote)
  return pack('>BI7i6', wrote, now, wall) .. table.concat(replies)
end

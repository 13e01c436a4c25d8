-- The usual call: nothing but consume, nothing but token buckets that begin full, every key under the policy with which it
-- is charged. It computes as bucket.lua does, but without a function, which is several times faster. Whatever is not usual
-- leaves it before anything is written, and takes the long way from the start.

local usual = true
local PREFIX, FORM, SIZE, CAP, TICK, TOKEN, FULL = 1, 2, 3, 4, 5, 6, 7
local buckets = {}
for i = 3, #ARGV do
  local s = ARGV[i]
  if byte(s, 1) >= 32 then
    usual = false
    break
  end
  local cap, tick, token, bytes = unpack('>I7I7I7B', s, #s - 21)
  buckets[i - 2] = { sub(s, 1, #s - 22), '>I' .. bytes .. 'I7', #s - 15 + bytes, cap, tick, token, cap * token }
end

-- By key: what is missing, the policy, whether anything was spent.
local DEFICIT, POLICY, SPENT = 1, 2, 3
local states, replies, i, absent = {}, {}, 1, nil
while usual and i <= #questions do
  local verb = byte(questions, i + 3)
  if verb ~= 1 and verb ~= 12 then
    usual = false
    break
  end
  -- Of a run the count says how often the one charge is asked for.
  local length, _, count, k, number, cost = unpack('>I3BI2I2I2I7', questions, i)
  local charges = verb == 1 and count or 1
  local fits, seen, b, p = true, charges > 1 and {}, nil, nil
  for j = 1, charges do
    if j > 1 then
      k, number, cost = unpack('>I2I2I7', questions, i + 6 + 11 * (j - 1))
    end
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
        local elapsed = now - at
        if elapsed > 0 then
          deficit = elapsed >= -floor(-deficit / p[TICK]) and 0 or deficit - elapsed * p[TICK]
        end
      else
        absent = absent or {}
        absent[#absent + 1] = names[k]
      end
      b = { deficit, p, false }
      states[k] = b
    elseif b[POLICY] ~= p then
      usual = false
      break
    end
    if seen then
      if seen[k] then
        usual = false
        break
      end
      seen[k] = true
    end
    if cost > p[CAP] or b[DEFICIT] + cost * p[TOKEN] > p[FULL] then
      fits = false
    end
  end
  if not usual then
    break
  end
  if verb == 12 then
    -- As many as fit, one after another: what was missing before tells the caller the rest.
    local before, price = b[DEFICIT], cost * p[TOKEN]
    local many = fits and min(count, floor((p[FULL] - before) / price)) or 0
    if many > 0 then
      b[DEFICIT], b[SPENT] = before + many * price, true
    end
    replies[#replies + 1] = pack('>BI7I2', 9, before, many)
  elseif charges == 1 and fits then
    local deficit, token = b[DEFICIT] + cost * p[TOKEN], p[TOKEN]
    b[DEFICIT], b[SPENT] = deficit, true
    replies[#replies + 1] =
      pack('>BBI7I7I7', 1, 0, floor((p[FULL] - deficit) / token), 0, -floor(-deficit / p[TICK]))
  else
    replies[#replies + 1] = '\1'
    for j = 1, charges do
      k, number, cost = unpack('>I2I2I7', questions, i + 6 + 11 * (j - 1))
      b, p = states[k], buckets[number]
      local deficit, token, full, tick = b[DEFICIT], p[TOKEN], p[FULL], p[TICK]
      local status, retry = 0, 0
      if fits then
        deficit = deficit + cost * token
        b[DEFICIT], b[SPENT] = deficit, true
      elseif cost > p[CAP] then
        status = 3
      elseif deficit + cost * token <= full then
        status = 1
      else
        status, retry = 2, -floor(-(deficit + cost * token - full) / tick)
      end
      local remaining = max(0, floor((full - deficit) / token))
      replies[#replies + 1] = pack('>BI7I7I7', status, remaining, retry, -floor(-deficit / tick))
    end
  end
  i = i + 3 + length
end

-- A key that has no string may have something else.
if usual and (not absent or call('EXISTS', _G.unpack(absent)) == 0) then
  local wrote = 0
  for k, b in pairs(states) do
    if b[SPENT] then
      local p, deficit = b[POLICY], b[DEFICIT]
      local millis = max(60000, -floor(floor(-deficit / p[TICK]) / 1000) + 1)
      local value = p[PREFIX] .. pack(p[FORM], deficit, now)
      if given then
        call('SET', names[k], value, 'PXAT', string.format('%.0f', floor(now / 1000) + millis + 4e13))
      else
        call('SET', names[k], value, 'PX', millis == 60000 and '60000' or string.format('%.0f', millis))
      end
      wrote = 1
    end
  end
  if stepped or now > last and given or wrote == 1 and now - last > 1000000 then
    call('SET', KEYS[1], pack('>I7I7', now, ahead))
  end
  return pack('>BI7i6', wrote, now, wall) .. table.concat(replies)
end

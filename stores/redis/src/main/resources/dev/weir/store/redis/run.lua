-- The most usual call: a run of equal charges on one token bucket that begins full. It computes as bucket.lua does, in one
-- go. What is not as usual leaves it before anything is written.

local count, length = unpack('>I2I2', questions)
if count == 1 and #questions == length + 21 and byte(questions, 5) < 32 and byte(questions, length + 8) == 12 then
  local cap, tick, token, size, _, _, asked, _, _, cost = unpack('>I7I7I7c1I3BI2I2I2I7', questions, length - 17)
  local prefix, full = sub(questions, 5, length - 18), cap * token
  -- A short bucket keeps one number and has no form.
  local form = size ~= '0' and '>I' .. size .. 'I7'
  local raw, deficit, known = raws[2], 0, nil
  if raw then
    if #raw == #prefix + 7 + size and sub(raw, 1, #prefix) == prefix then
      if not form then
        deficit, known = max(0, min(unpack('>I7', raw, #prefix + 1) - now, 2 * full)), true
      else
        local at
        deficit, at = unpack(form, raw, #prefix + 1)
        known = deficit <= 2 * full
        if now > at then
          deficit = now - at >= -floor(-deficit / tick) and 0 or deficit - (now - at) * tick
        end
      end
    end
  else
    -- A key that has no string may have something else.
    known = call('EXISTS', KEYS[2]) == 0
  end
  if known then
    -- As many as fit, one after another: what was missing before tells the caller the rest.
    local admitted, wrote = max(0, min(asked, floor((full - deficit) / (cost * token)))), 0
    if admitted > 0 then
      local after = deficit + admitted * cost * token
      local state = form and pack(form, after, now) or pack('>I7', now + after)
      local how, at = expiry(-floor(-after / tick))
      if how == 'PX' then
        -- As in usual.lua: the value comes third, where no longer argument was before.
        call('PSETEX', KEYS[2], at, prefix .. state)
      else
        call('SET', KEYS[2], prefix .. state, how, at)
      end
      wrote = 1
    end
    writeClock(wrote)
    return pack('>BI7i6BI7I2', wrote, now, wall, 9, deficit, admitted)
  end
end

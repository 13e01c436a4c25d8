-- What the long way needs everywhere.

-- The least whole number that is not below a / b.
local function ceil(a, b)
  return -floor(-a / b)
end

-- How many bytes a number takes.
local function width(number)
  local bytes = 1
  while number >= 256 do
    number = number / 256
    bytes = bytes + 1
  end
  return bytes
end

local function corrupt(name)
  error({ err = 'WEIR the value of ' .. name .. ' is no state of Weir' })
end

-- SET's words for a time to live: at least a minute, and a millisecond more than it takes, as Redis counts in whole ones.
-- A test's clock is far from Redis's own, so that its keys are given
-- the time at which they would end, far in the future, where the test can read it.
local function expiry(micros)
  local millis = max(60000, ceil(micros, 1000) + 1)
  if given then
    return 'PXAT', string.format('%.0f', floor(now / 1000) + millis + 4e13)
  end
  return 'PX', string.format('%.0f', millis)
end

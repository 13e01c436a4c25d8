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

-- Part of the decision script: helpers of the slow path.

-- Division rounded up.
local function ceil(a, b)
  return -floor(-a / b)
end

local function corrupt(name)
  error({ err = 'WEIR the value of ' .. name .. ' is no state of Weir' })
end

-- Additional data by policy: the current windows of calendars, and when policies were first seen. A request that needs data
-- which the call did not carry fails with `need`; the caller repeats it with that data.
local spans, first_seen_times = {}, {}

local function first_seen(p)
  return first_seen_times[p.prefix] or error({ need = p.prefix })
end

-- Stores the additional data that follows a policy. A calendar window that does not contain `wall` is ignored.
local function explained(p, given)
  p.given = given
  if #given > #p.prefix then
    if p.kind == 7 then
      local from, to, beyond = unpack('>i6i6i6', given, #p.prefix + 1)
      if from <= wall and wall < to then
        spans[p.prefix] = { from, to, beyond }
      end
    elseif p.kind > 1 then
      first_seen_times[p.prefix] = unpack('>I7', given, #p.prefix + 1)
    end
  end
  return p
end

local first = 3
for i = 1, #policies do
  local given
  given, first = unpack('>I2c0', questions, first)
  explained(policies[i], given)
end

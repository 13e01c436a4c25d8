-- The questions and their answers. Every question begins with the length of what follows (3 bytes) and its kind (1 byte).
-- Numbers of keys have 2 bytes, n and lengths 2, amounts and times 7, times on the wall 6.
--
--   question                                                     answer
--   1  consume   n, charges                                      1, readings
--   2  peek      n, charges                                      1, readings
--   3  give back time, wall, n, charges                          2, 1
--   4  reset     n, keys                                         2, 1
--   5  reserve   record, ttl, n, charges                         3, time of the reservation (0 for none), readings
--   6  settle    record, n, (length, scope, amount)...           2, outcome; or 6, length, scope that is not reserved
--   7  cancel    record, time of the reservation (0 for any),    2, outcome: 0 unknown, 1 done, 2 closed already
--                1 to forget the id (1 byte)
--   8  acquire   record, ttl, length, lease, n, charges          4, 1 if it was held already, readings
--   9  renew     record, ttl                                     2, 1 if it was held
--   10 release   record                                          2, 1 if it was held
--   11 meet      key                                             5, when a policy was first met
--   12 run       n, charge: consume, n times, by n askers        9, deficit before, how many were admitted (2 bytes), by
--                                                                the usual way; or 10, n, readings
--   13 look at a reserve   as 5, but spends nothing              as 5; a new reservation's time is 0
--   14 look at an acquire  as 8, but spends nothing              as 8
--   15 prolong   record, ttl                                     2, 1 if the reservation was open
--   any                                                          7, length, policy of which more must be known
--   any                                                          8, length, what is wrong

local verbs = {}

verbs[1] = function(i)
  local n, from = unpack('>I2', questions, i)
  return '\1' .. (n == 1 and consumeOne(from) or table.concat((decide(from, n))))
end

verbs[2] = function(i)
  local n, from = unpack('>I2', questions, i)
  return '\1' .. table.concat((look(from, n)))
end

verbs[3] = function(i)
  local at, atWall, n, from = unpack('>I7i6I2', questions, i)
  for j = 1, n do
    local k, number = unpack(CHARGE, questions, from + 11 * (j - 1))
    load(k, policies[number])
  end
  for j = 1, n do
    local k, number, cost = unpack(CHARGE, questions, from + 11 * (j - 1))
    adjust(k, policies[number], -cost, at, atWall)
  end
  return '\2\1'
end

verbs[4] = function(i)
  local n = unpack('>I2', questions, i)
  for j = 1, n do
    local k = unpack('>I2', questions, i + 2 * j)
    -- Not read: what is unreadable can be reset, too.
    if raws[k] or kept[k] and kept[k].op ~= slots then
      touch(k, false)
    elseif call('DEL', names[k]) == 1 then
      -- Slots are written with their question.
      kept[k], written = false, 1
    end
  end
  return '\2\1'
end

verbs[12] = function(i)
  local n, from = unpack('>I2', questions, i)
  local readings = {}
  for j = 1, n do
    readings[j] = consumeOne(from)
  end
  return pack('>BI2', 10, n) .. table.concat(readings)
end

local function lazily(make)
  return function(i, verb)
    for number, handler in pairs(make()) do
      verbs[number] = handler
    end
    return verbs[verb](i, verb)
  end
end

local records = lazily(recordVerbs)
for verb = 5, 15 do
  verbs[verb] = verbs[verb] or records
end

local answers, position = {}, firstQuestion
while position <= #questions do
  local length, verb, from = unpack('>I3B', questions, position)
  local ok, answer = pcall(verbs[verb], from, verb)
  if not ok then
    if type(answer) == 'table' and answer.need then
      answer = pack('>BI2c0', 7, #answer.need, answer.need)
    else
      local wrong = type(answer) == 'table' and answer.err or tostring(answer)
      answer = pack('>BI2c0', 8, #wrong, wrong)
    end
  end
  answers[#answers + 1] = answer
  position = position + 3 + length
end
writeAll()
return pack('>BI7i6', written, now, wall) .. table.concat(answers)

-- Part of the decision script: the commands and their replies. Every request begins with the length of what follows (3 bytes)
-- and its command (1 byte); every reply begins with its kind (1 byte). Indexes of keys, n and lengths have 2 bytes. Amounts
-- have 7 bytes, times and ttl 7 (microseconds), wall-clock times 6 (milliseconds).
--
--   request                                                      reply
--   1  consume   n, charges                                      1, readings
--   2  peek      n, charges                                      1, readings
--   3  refund    time, wall, n, charges, each followed by the    2, 1
--                time until its budget was full (0 for a bucket)
--                and the number of resets at that microsecond
--                before it (2 bytes)
--   4  reset     n, keys                                         2, 1
--   5  reserve   record, ttl, n, charges                         3, creation time (0 for no reservation), readings; or
--                                                                11, if the reservation has other keys
--   6  settle    record, n, (length, scope, amount)...           2, outcome; or 6, length, scope that is not reserved
--   7  cancel    record, creation time (0 for any),              2, outcome: 0 unknown, 1 done, 2 closed already
--                1 to delete the record (1 byte)
--   8  acquire   record, ttl, length, lease, n, charges          4, 1 if it was held already, readings
--   9  renew     record, ttl                                     2, 1 if it was held
--   10 release   record                                          2, 1 if it was held
--   11 first seen  key                                           5, when the policy was first seen
--   12 run       n, charge: n requests that each consume it      9, deficit before, number admitted (2 bytes), for a bucket
--                                                                that begins full; or 10, n, readings
--   13 peek at a reserve   as 5, but spends nothing              as 5; the creation time of a new reservation is 0
--   14 peek at an acquire  as 8, but holds nothing               as 8
--   15 prolong   record, ttl                                     2, 1 if the reservation was open
--   any                                                          7, length, policy whose additional data is needed
--   any                                                          8, length, error message

local verbs = {}

verbs[1] = function(i)
  local n, from = unpack('>I2', questions, i)
  return '\1' .. table.concat((decide(from, n)))
end

verbs[2] = function(i)
  local n, from = unpack('>I2', questions, i)
  return '\1' .. table.concat(look(from, n))
end

verbs[3] = function(i)
  local at, atWall, n, from = unpack('>I7i6I2', questions, i)
  for j = 1, n do
    local k, number = unpack(CHARGE, questions, from + 20 * (j - 1))
    load(k, policies[number])
  end
  for j = 1, n do
    local k, number, cost, left, seen = unpack('>I2I2I7I7I2', questions, from + 20 * (j - 1))
    adjust(k, policies[number], -cost, { at = at, wall = atWall, left = left, seen = seen })
  end
  return '\2\1'
end

verbs[4] = function(i)
  local n = unpack('>I2', questions, i)
  for j = 1, n do
    reset((unpack('>I2', questions, i + 2 * j)))
  end
  return '\2\1'
end

-- Decides a run on a bucket at once: the caller computes the readings from the deficit before the run.
verbs[12] = function(i)
  local n, k, number, cost = unpack('>I2I2I2I7', questions, i)
  local p = policies[number]
  local b = find(k, p)
  if p.kind < 2 and resetsSeen(k) == 0 then
    local before, admitted = b.deficit, max(0, min(n, floor(b.op.available(b) / cost)))
    if admitted > 0 then
      b.op.spend(b, admitted * cost)
      touch(k, b)
    end
    return pack('>BI7I2', 9, before, admitted)
  end
  local readings = {}
  for j = 1, n do
    readings[j] = decide(i + 2, 1)[1]
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

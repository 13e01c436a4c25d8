-- One call: any number of questions, each decided all or nothing, in their order, at one moment.
--
-- The files of this folder are one script; Script.java tells in which order. Redis runs all of it for every call, so that what
-- few calls need is made when it is first needed.
--
-- KEYS[1]     the clock: last, ahead (7 bytes each), see below
-- KEYS[2...]  every key that the questions name, each once; questions name them by number. What a reservation or a lease
--             holds is found in its record: keys of the same hash tag.
-- ARGV[1]     how many policies the questions name (2 bytes), each with its length (2 bytes), by number from 1, see
--             policy.lua; then the questions, see answer.lua
-- ARGV[2]     a test's clock: "now wall", both in microseconds; absent otherwise
-- Result      one string: what was written (1 byte, 0 for nothing), now (7 bytes), wall (6 bytes), then the answers in
--             the order of the questions, see answer.lua
--
-- Units: times and durations are microseconds, but for the wall's, by which calendars go: milliseconds. All integers are
-- unsigned and big-endian. All arithmetic stays below 2^53, where doubles are exact.
--
-- Nothing is written before every question is answered; then every key is written once. Slots are the exception: they
-- are written with their question.

local pack, unpack, sub, byte, match = struct.pack, struct.unpack, string.sub, string.byte, string.match
local floor, min, max = math.floor, math.min, math.max
local call = redis.call
local questions = ARGV[1]

local names = KEYS
local raws = call('MGET', _G.unpack(KEYS))

-- The store's time never goes back: `ahead` is what Redis's clock was set back by so far, and `last` is when the store
-- last wrote its clock down, which it does once a second while it writes at all. A step that happens unseen within that
-- second gives back later what it would have, and nothing earlier. The wall is what Redis's clock shows.
local now, wall, last, ahead
local given = ARGV[2]
if given then
  local store, shown = match(given, '^(-?%d+) (-?%d+)$')
  now, wall = tonumber(store), floor(shown / 1000)
else
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  wall = floor(now / 1000)
end
if raws[1] then
  if #raws[1] ~= 14 then
    return redis.error_reply('WEIR the value of ' .. KEYS[1] .. ' is no clock of Weir')
  end
  last, ahead = unpack('>I7I7', raws[1])
  now = now + ahead
else
  last, ahead = 0, 0
end
local stepped = now < last
if stepped then
  ahead = ahead + last - now
  now = last
end

-- SET's words for a time to live: at least a minute, and a millisecond more than it takes, as Redis counts in whole ones.
-- A test's clock is far from Redis's own, so that its keys are given the time at which they would end, far in the future,
-- where the test can read it.
local function expiry(micros)
  local millis = max(60000, -floor(-micros / 1000) + 1)
  if given then
    return 'PXAT', string.format('%.0f', floor(now / 1000) + millis + 4e13)
  end
  return 'PX', millis == 60000 and '60000' or string.format('%.0f', millis)
end

-- The value comes third where it can: Redis would make a second argument of what MGET left there, the name of a key, and keep
-- all of its longer piece of memory for the value.
local function write(name, value, micros)
  local how, millis = 'PX', '60000'
  if given or micros > 59999000 then
    how, millis = expiry(micros)
  end
  if how == 'PX' then
    call('PSETEX', name, millis, value)
  else
    call('SET', name, value, how, millis)
  end
end

-- Writes the clock down, if it is time.
local function writeClock(wrote)
  if stepped or now > last and given or wrote == 1 and now - last > 1000000 then
    call('SET', KEYS[1], pack('>I7I7', now, ahead))
  end
end

-- The decision script: decides a batch of requests in their order, at one time; each request spends all charges or none.
--
-- KEYS[1]     the store's clock: last, ahead (7 bytes each), see below
-- KEYS[2...]  every key that the requests name, each once; requests refer to keys by their index in KEYS. A record of a
--             reservation or a lease names further keys; they have the same hash tag.
-- ARGV[1]     number of policies (2 bytes), then each policy after its length (2 bytes), numbered from 1, see policy.lua;
--             then the requests, see answer.lua
-- ARGV[2]     the clock of a test: "now wall", both in microseconds; absent in production
-- Result      one string: whether anything was written (1 byte, 0 for nothing), now (7 bytes), wall (6 bytes), then the
--             replies in the order of the requests, see answer.lua
--
-- Units: times and durations are in microseconds; wall-clock times, which calendar windows use, are in milliseconds. All
-- integers are unsigned and big-endian, except signed wall-clock times. All arithmetic stays below 2^53, where doubles are
-- exact.
--
-- The script writes nothing before it has decided every request; then it writes every changed key once. Slots are the
-- exception: they are written while their request is decided.
--
-- The files of this folder are concatenated to one script; Script.java has their order. Redis runs all of it for every
-- call. Functions that few calls need are therefore created on first use.

local pack, unpack, sub, byte, match = struct.pack, struct.unpack, string.sub, string.byte, string.match
local floor, min, max = math.floor, math.min, math.max
local call = redis.call
local questions = ARGV[1]

local names = KEYS
local raws = call('MGET', _G.unpack(KEYS))

-- `now` is the store's time, which never goes back. `ahead` is the sum of all backward steps of Redis's clock so far.
-- `last` is the store's time when its clock was last written, which happens at most once a second and only if something
-- else is written. A backward step within that second may go unnoticed; it delays refills and never advances them.
-- `wall` is the time of Redis's clock.
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

-- The options of SET for a time to live in microseconds: at least a minute, rounded up to milliseconds, plus one. The clock
-- of a test differs from Redis's clock, so its keys get an absolute expiry far in the future, which the test can read.
local function expiry(micros)
  local millis = max(60000, -floor(-micros / 1000) + 1)
  if given then
    return 'PXAT', string.format('%.0f', floor(now / 1000) + millis + 4e13)
  end
  return 'PX', millis == 60000 and '60000' or string.format('%.0f', millis)
end

-- Writes a value with a time to live in microseconds. Uses PSETEX where possible, because its value is the third argument.
-- As the second argument the value would reuse the memory of the key name that MGET left there, and keep all of it.
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

-- Writes the clock if it stepped back, or if something was written and the last write is more than a second ago.
local function writeClock(wrote)
  if stepped or now > last and given or wrote == 1 and now - last > 1000000 then
    call('SET', KEYS[1], pack('>I7I7', now, ahead))
  end
end

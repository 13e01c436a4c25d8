-- The settings script: replaces the settings document if its version is still the expected one (compare-and-set).
--
-- KEYS[1]  the settings, one document
-- KEYS[2]  their version, a decimal number; absent means 0
-- KEYS[3]  the latest changes, a list of documents, newest first
-- ARGV[1]  the version that the change is based on, 0 for none
-- ARGV[2]  the next document
-- ARGV[3]  the change
-- ARGV[4]  how many changes are kept
-- ARGV[5]  the channel on which new versions are published
-- Result   1 if the document was replaced, 0 if its version is another one

local version = tonumber(redis.call('GET', KEYS[2]) or '0')
if version ~= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], string.format('%.0f', version + 1))
redis.call('LPUSH', KEYS[3], ARGV[3])
redis.call('LTRIM', KEYS[3], 0, ARGV[4] - 1)
redis.call('PUBLISH', ARGV[5], string.format('%.0f', version + 1))
return 1

-- Moves the end of a running lease to a time from now, sooner or later. What others have added to the record stays.
--
-- KEYS: lock, index. ARGV: lock id, rest in ms. Answers {1} if this lock id has a running lease, {0} if not, {-2, name}.
local now = millis()
local lock, strange = read(KEYS[1])
if strange then
  return { -2, KEYS[1] }
elseif not isLive(lock, now) or lock.lockId ~= ARGV[1] then
  return { 0 }
end
lock.expiresAtMs = now + ARGV[2]
redis.call('PEXPIRE', KEYS[1], ARGV[2]) -- first: not refused when memory is full, and then nothing is
keep(KEYS[1], KEYS[2], lock, ARGV[2])
return { 1 }

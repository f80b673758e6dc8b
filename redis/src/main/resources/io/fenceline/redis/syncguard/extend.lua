-- Moves the end of a running lease to a time from now, unless it ends later already. What others have added to the record stays.
--
-- KEYS: lock, index. ARGV: lock id, ttl in ms. Answers {1, end}, {0} if this lock id has no running lease, {-2, name}.
local now = millis()
local lock, strange = read(KEYS[1])
if strange then
  return { -2, KEYS[1] }
elseif not isLive(lock, now) or lock.lockId ~= ARGV[1] then
  return { 0 }
end
lock.expiresAtMs = math.max(lock.expiresAtMs, now + ARGV[2])
local ttl = text(lock.expiresAtMs - now)
redis.call('PEXPIRE', KEYS[1], ttl) -- first: not refused when memory is full, and then nothing is
keep(KEYS[1], KEYS[2], lock, ttl)
return { 1, text(lock.expiresAtMs) }

-- Moves the end of a running lease to a time from now, unless it ends later already. Works also when memory is full, since keep
-- comes first.
--
-- KEYS: the lock. ARGV: lock id, ttl in ms. Returns the end, 0 if this lock id has no running lease.
local key, now = KEYS[1], clock()
local lock = redis.call('HMGET', key, 'id', 'until', 'last')
if lock[1] ~= ARGV[1] or tonumber(lock[2]) <= now then
  return 0
end
local ends = math.max(tonumber(lock[2]), now + ARGV[2] * 1000)
keep(key, ends, tonumber(lock[3]))
redis.call('HSET', key, 'until', ends)
return ends

-- Moves the end of a running lease to a time from now, sooner or later. If it is sooner, tells the first waiter, who would sleep until
-- the old end. Works also when memory is full, since keep comes first.
--
-- KEYS: the lock. ARGV: lock id, rest in ms. Returns 1 if this lock id has a running lease, else 0.
local key, now = KEYS[1], clock()
local lock = redis.call('HMGET', key, 'id', 'until', 'last', 'head')
if lock[1] ~= ARGV[1] or tonumber(lock[2]) <= now then
  return 0
end
local ends = now + ARGV[2] * 1000
keep(key, ends, tonumber(lock[3]))
redis.call('HSET', key, 'until', ends)
if lock[4] and ends < tonumber(lock[2]) then
  wakeFirst(key, now)
end
return 1

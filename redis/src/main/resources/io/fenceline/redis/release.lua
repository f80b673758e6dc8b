-- Ends a running lease and grants the lock to the first waiter in the same step. A lock id that waits leaves the queue.
--
-- KEYS: the lock. ARGV: lock id. Returns 1 if a running lease was ended, else 0.
local key, id, now = KEYS[1], ARGV[1], clock()
local lock = redis.call('HMGET', key, 'id', 'until', 'last', 'turn')
local ends, queue = tonumber(lock[2] or 0), lock[4]
if lock[1] == id and ends > now then
  local last = tonumber(lock[3])
  if not (queue and handOver(key, last, now)) then
    redis.call('HDEL', key, 'id')
    if ends - now > RETENTION_MILLIS * 1000 then
      keep(key, now, last)
    end
  end
  return 1
end
if queue then
  redis.call('HDEL', key, 'w:' .. id)
end
return 0

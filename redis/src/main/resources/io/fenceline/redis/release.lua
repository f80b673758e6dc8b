-- Ends a running lease and grants the lock to the first waiter in the same step. A lock id that waits leaves the queue.
--
-- KEYS: the lock. ARGV: lock id. Returns 1 if a running lease was ended, else 0.
local key, id, queue, last = KEYS[1], ARGV[1], lock[3], tonumber(lock[4])
if held then
  if not (queue and handOver(key, last, now)) then
    redis.call('HDEL', key, 'id')
    if ends - now > RETENTION_MILLIS * 1000 then
      keep(key, now, last)
    end
  end
  return 1
end
if redis.call('HEXISTS', key, 'w:' .. id) == 1 then
  leave(key, id)
end
return 0

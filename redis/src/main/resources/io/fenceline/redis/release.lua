-- Ends a running lease and gives the lock to the first in line in the same step. A lock id that waits loses its place.
--
-- KEYS: the lock. ARGV: lock id. Answers 1 if a running lease was ended, else 0.
local key, id, now = KEYS[1], ARGV[1], clock()
local lock = redis.call('HMGET', key, 'id', 'until', 'last', 'turn')
local ends, line = tonumber(lock[2] or 0), lock[4]
if lock[1] == id and ends > now then
  local last = tonumber(lock[3])
  if not (line and handOver(key, last, now)) then
    redis.call('HDEL', key, 'id')
    if ends - now > RETENTION_MILLIS * 1000 then
      keep(key, now, last)
    end
  end
  return 1
end
if line then
  redis.call('HDEL', key, 'w:' .. id)
end
return 0

-- The uncontended case, decided before the functions of all others are made: there are no waiters and the record expires soon enough.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local lock = redis.call('HMGET', KEYS[1], 'id', 'until', 'head', 'last')
local ends = tonumber(lock[2] or 0)
local held = lock[1] == ARGV[1] and ends > now
if not lock[3] and not (held and ends - now > RETENTION_MILLIS * 1000) then
  return held and redis.call('HDEL', KEYS[1], 'id') or 0
end

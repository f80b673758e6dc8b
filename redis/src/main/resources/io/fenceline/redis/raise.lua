-- Raises a lock's counter. A running lease stays as it is.
--
-- KEYS: the lock, its audit record. ARGV: the token, by whom. Returns the counter.
local key, now, token = KEYS[1], clock(), tonumber(ARGV[1])
local lock = redis.call('HMGET', key, 'last', 'until')
local last = tonumber(lock[1] or 0)
if last >= token then
  return last
end
ensureRecordable(KEYS[2])
redis.call('HSET', key, 'last', token)
keep(key, math.max(now, tonumber(lock[2] or 0)), token)
record(KEYS[2], now, ARGV[2], 'raise', text(last), text(token))
return token

-- Ends a running lease whoever holds it, spends a token, and grants the lock to the first waiter.
--
-- KEYS: the lock, its audit record. ARGV: by whom. Returns what lookup returns, {-1, last token} if no token is left.
local key, now = KEYS[1], clock()
local lease = redis.call('HMGET', key, 'id', 'until', 'grant')
local lock = redis.call('HMGET', key, 'last', 'head')
local left, last = tonumber(lease[2] or 0) - now, tonumber(lock[1] or 0)
if not lease[1] or left <= 0 then
  return {}
elseif last >= MAX_TOKEN then
  return { -1, last }
end
ensureRecordable(KEYS[2])
redis.call('HDEL', key, 'id')
redis.call('HSET', key, 'last', last + 1)
record(KEYS[2], now, ARGV[1], 'release', text(last), text(last + 1))
if lock[2] then
  handOver(key, last + 1, now)
end
return { left, unpack(lease) }

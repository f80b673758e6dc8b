-- Reads a running lease.
--
-- KEYS: the lock. Returns {microseconds left, lock id, holder, token, tokens, from, until}, or nothing.
local lease = redis.call('HMGET', KEYS[1], 'id', 'holder', 'fence', 'tokens', 'at', 'until')
local left = tonumber(lease[6] or 0) - clock()
if not lease[1] or left <= 0 then
  return {}
end
return { left, unpack(lease) }

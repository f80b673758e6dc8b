-- Reads a running lease.
--
-- KEYS: the lock. Returns {microseconds left, lock id, until, first token and number of tokens and from and holder}, or nothing.
local lease = redis.call('HMGET', KEYS[1], 'id', 'until', 'grant')
local left = tonumber(lease[2] or 0) - clock()
if not lease[1] or left <= 0 then
  return {}
end
return { left, unpack(lease) }

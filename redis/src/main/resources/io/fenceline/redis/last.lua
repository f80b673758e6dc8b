-- Reads a lock's counter. KEYS: the lock. Returns the greatest token, 0 if none is known.
return tonumber(redis.call('HGET', KEYS[1], 'last') or 0)

-- Reads a hash. KEYS: the hash. Answers its fields and values in turn.
return redis.call('HGETALL', KEYS[1])

-- Reads a value. KEYS: the value. Answers {it}.
return { redis.call('GET', KEYS[1]) }

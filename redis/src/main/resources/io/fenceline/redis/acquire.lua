-- Attempts to acquire the lock.
--
-- KEYS: the lock. ARGV: lock id, ttl in ms, holder; for a waiter or several tokens also the wait in ms and the channel,
-- then the number of tokens. Returns what attempt returns; or, if the token is the time in steps, only the time in microseconds.
return attempt(KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4] or 0), ARGV[5], tonumber(ARGV[6] or 1), now, lock)

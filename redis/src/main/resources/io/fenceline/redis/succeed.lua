-- Ends a running lease and attempts to acquire the lock, in one step. Waiters in the queue go first.
--
-- KEYS: the lock. ARGV: the lock id whose lease is to end; then as acquire.
-- Returns {1 if a running lease was ended, else 0; what attempt returns}.
local now = clock()
local lock = redis.call('HMGET', KEYS[1], 'id', 'until', 'last', 'head')
local ended = lock[1] == ARGV[1] and tonumber(lock[2]) > now
return { ended and 1 or 0,
  attempt(KEYS[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5] or 0), ARGV[6], tonumber(ARGV[7] or 1), now,
    lock, ended and ARGV[1]) }

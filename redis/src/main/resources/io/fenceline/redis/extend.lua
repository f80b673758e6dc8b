-- Moves the ends of running leases to a time from now, except those that end later already. Works also when memory is full, since
-- the expiry of the record comes first.
--
-- KEYS: the locks. ARGV: for each lock the lock id and the ttl in ms. Returns for each lock the end, 0 if this lock id has no running
-- lease. What is not a lock has none.
local time, ends = redis.call('TIME'), {}
local now = time[1] * 1000000 + time[2]
for i, key in ipairs(KEYS) do
  local lock = redis.pcall('HMGET', key, 'id', 'until', 'last')
  if lock.err and not string.find(lock.err, '^WRONGTYPE') then
    return lock
  elseif lock[1] == ARGV[2 * i - 1] and tonumber(lock[2]) > now then
    ends[i] = math.max(tonumber(lock[2]), now + ARGV[2 * i] * 1000)
    if CLOCK_FLOOR then
      redis.call('PEXPIREAT', key, math.ceil(math.max(ends[i], lock[3] * MICROS_PER_STEP) / 1000) + RETENTION_MILLIS)
    else
      redis.call('PERSIST', key)
    end
    redis.call('HSET', key, 'until', ends[i])
  else
    ends[i] = 0
  end
end
return ends

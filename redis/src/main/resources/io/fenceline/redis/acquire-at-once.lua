-- The uncontended case, decided before the functions of all others are made, which would cost as much as the rest of it: one token
-- of a lock that is free and has no waiters.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local lock = redis.call('HMGET', KEYS[1], 'id', 'until', 'last', 'head')
if not (lock[1] and tonumber(lock[2]) > now) and not lock[4] and not ARGV[6] then
  local step = math.floor(now / MICROS_PER_STEP)
  local token = (lock[3] or 0) + 1
  if CLOCK_FLOOR and token < step then
    token = step
  end
  if token <= MAX_TOKEN then
    local ends = now + ARGV[2] * 1000
    redis.call('HSET', KEYS[1], 'id', ARGV[1], 'until', ends, 'last', token,
      'grant', string.format('%.0f 1 %.0f %s', token, now, ARGV[3]))
    if CLOCK_FLOOR then
      redis.call('PEXPIREAT', KEYS[1], math.ceil(math.max(ends, token * MICROS_PER_STEP) / 1000) + RETENTION_MILLIS)
    else
      redis.call('PERSIST', KEYS[1])
    end
    return token == step and now or { token, now, 1 }
  end
end

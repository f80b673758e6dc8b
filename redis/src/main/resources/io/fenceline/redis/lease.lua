-- Sets the expiry of the lock's record: after an idle time, and once the clock has passed its last token. In counter mode
-- it never expires. Both commands are allowed when memory is full.
local function keep(key, ends, last)
  if CLOCK_FLOOR then
    redis.call('PEXPIREAT', key, math.ceil(math.max(ends, last * MICROS_PER_STEP) / 1000) + RETENTION_MILLIS)
  else
    redis.call('PERSIST', key)
  end
end

-- Writes a lease that starts now.
local function grant(key, id, ttlMillis, tokens, holder, token, now)
  local ends, last = now + ttlMillis * 1000, token + tokens - 1
  redis.call('HSET', key, 'id', id, 'holder', holder, 'fence', token, 'tokens', tokens, 'last', last, 'at', now,
    'until', ends)
  keep(key, ends, last)
  return ends
end

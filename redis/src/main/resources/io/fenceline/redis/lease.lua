-- Sets the expiry of the lock's record: after an idle time, and once the clock has passed its last token. In counter mode
-- it never expires. Both commands are allowed when memory is full.
local function keep(key, ends, last)
  if CLOCK_FLOOR then
    redis.call('PEXPIREAT', key, math.ceil(math.max(ends, last * MICROS_PER_STEP) / 1000) + RETENTION_MILLIS)
  else
    redis.call('PERSIST', key)
  end
end

-- Writes a lease that starts now. Its field 'grant' holds the first token, the number of tokens, the time and the holder; 'last' is the
-- counter, which an operator may raise meanwhile.
local function grant(key, id, ttlMillis, token, tokens, holder, now)
  local ends, last = now + ttlMillis * 1000, token + tokens - 1
  redis.call('HSET', key, 'id', id, 'until', ends, 'last', last,
    'grant', string.format('%.0f %d %.0f %s', token, tokens, now, holder))
  keep(key, ends, last)
  return ends
end

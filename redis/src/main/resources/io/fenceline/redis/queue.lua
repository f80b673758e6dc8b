-- The wait queue is kept in the lock's own hash. The field 'w:' plus the lock id holds the turn, the time when the place
-- expires, ttl, tokens, channel and holder. The field 'turn' counts turns; it exists while the queue may have waiters.

-- Returns the waiters in arrival order, and removes those whose place has expired.
local function waiters(key, now)
  local fields, waiting = redis.call('HGETALL', key), {}
  for i = 1, #fields, 2 do
    local id = string.match(fields[i], '^w:(.*)$')
    if id then
      local turn, lost, ttl, tokens, channel, holder =
        string.match(fields[i + 1], '^(%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
      if tonumber(lost) > now then
        waiting[#waiting + 1] = { id = id, turn = tonumber(turn), ttl = tonumber(ttl), tokens = tonumber(tokens),
          channel = channel, holder = holder }
      else
        redis.call('HDEL', key, fields[i])
      end
    end
  end
  table.sort(waiting, function(a, b) return a.turn < b.turn end)
  return waiting
end

-- Enters the queue, or extends the place of a waiter that is in it.
local function enqueue(key, id, placeMillis, ttlMillis, tokens, channel, holder, now)
  local field = 'w:' .. id
  local known = redis.call('HGET', key, field)
  local turn = known and string.match(known, '^%d+') or redis.call('HINCRBY', key, 'turn', 1)
  redis.call('HSET', key, field,
    table.concat({ turn, text(now + placeMillis * 1000), ttlMillis, tokens, channel, holder }, ' '))
end

-- Notifies a waiter's process that the lock is the waiter's. Returns false if the process is known to be gone. An error,
-- which only a missing permission can cause, counts as notified: the waiter polls anyway.
local function notify(waiter, token, now, ends)
  local heard = redis.pcall('PUBLISH', CHANNELS .. waiter.channel,
    table.concat({ waiter.id, text(token), waiter.tokens, text(now), text(ends) }, ' '))
  return heard ~= 0 or not COUNTS_LISTENERS
end

-- Tells the first waiter whose process is not known to be gone that the running lease ends sooner than it knows.
local function wakeFirst(key, now)
  for _, waiter in ipairs(waiters(key, now)) do
    if redis.pcall('PUBLISH', CHANNELS .. waiter.channel, waiter.id .. ' sooner') ~= 0 or not COUNTS_LISTENERS then
      return
    end
  end
end

-- Grants a free lock to the first waiter, in the same step. Returns that waiter, the end of the lease and the token, or
-- nothing if the queue is empty. The waiter 'asking' needs no notification.
--
-- Each round starts with HDEL: it is allowed when memory is full, and so is every write of the script after it.
local function handOver(key, last, now, asking)
  for _, waiter in ipairs(waiters(key, now)) do
    redis.call('HDEL', key, 'w:' .. waiter.id)
    local token = nextToken(last, now)
    if token + waiter.tokens - 1 <= MAX_TOKEN then
      local ends = grant(key, waiter.id, waiter.ttl, waiter.tokens, waiter.holder, token, now)
      if waiter.id == asking or notify(waiter, token, now, ends) then
        return waiter, ends, token
      end
    end
  end
  redis.call('HDEL', key, 'turn', 'id')
end

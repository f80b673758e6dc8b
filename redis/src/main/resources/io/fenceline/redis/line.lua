-- Waiters stand in line in the lock's own hash: the field 'w:' and the lock id has the turn, the time when the place is
-- lost, ttl, tokens, channel and holder. The field 'turn' counts turns; it is there as long as anybody may be in line.

-- Those in line who still wait, in the order in which they came. Takes the others out.
local function inLine(key, now)
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

-- Takes a place in line, or keeps the one that is held already for longer.
local function standInLine(key, id, placeMillis, ttlMillis, tokens, channel, holder, now)
  local field = 'w:' .. id
  local known = redis.call('HGET', key, field)
  local turn = known and string.match(known, '^%d+') or redis.call('HINCRBY', key, 'turn', 1)
  redis.call('HSET', key, field,
    table.concat({ turn, text(now + placeMillis * 1000), ttlMillis, tokens, channel, holder }, ' '))
end

-- Tells a waiter's process that the lock is the waiter's. False if the process is known to be gone. An error, which only a
-- missing right can cause, leaves that open: the waiter asks again by itself.
local function tell(waiter, token, now, ends)
  local heard = redis.pcall('PUBLISH', CHANNELS .. waiter.channel,
    table.concat({ waiter.id, text(token), waiter.tokens, text(now), text(ends) }, ' '))
  return heard ~= 0 or not COUNTS_LISTENERS
end

-- Gives a lock that is free to the first in line, in the same step, and answers who that is and when the lease ends.
-- 'asking' is there without having to be told. Answers nothing if nobody was in line.
--
-- Each round begins by taking somebody out, which is not refused when memory is full, and after which nothing is.
local function handOver(key, last, now, asking)
  for _, waiter in ipairs(inLine(key, now)) do
    redis.call('HDEL', key, 'w:' .. waiter.id)
    local token = nextToken(last, now)
    if token + waiter.tokens - 1 <= MAX_TOKEN then
      local ends = grant(key, waiter.id, waiter.ttl, waiter.tokens, waiter.holder, token, now)
      if waiter.id == asking or tell(waiter, token, now, ends) then
        return waiter, ends, token
      end
    end
  end
  redis.call('HDEL', key, 'turn', 'id')
end

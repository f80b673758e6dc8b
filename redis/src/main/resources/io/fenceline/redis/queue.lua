-- The wait queue is a linked list in the lock's own hash: to enter, to leave and to be served take the same time however many wait.
-- 'head' and 'tail' hold the first and the last lock id, and exist while the queue may have waiters. For each waiter 'w:' plus its
-- lock id holds the time when its place expires, ttl, tokens, channel and holder; 'n:' and 'p:' hold the next and the previous id.

-- Enters the queue, or extends the place of a waiter that is in it.
local function enqueue(key, id, placeMillis, ttlMillis, tokens, channel, holder, now)
  local place = table.concat({ text(now + placeMillis * 1000), ttlMillis, tokens, channel, holder }, ' ')
  local known = redis.call('HMGET', key, 'w:' .. id, 'tail')
  if known[1] then
    redis.call('HSET', key, 'w:' .. id, place)
  elseif known[2] then
    redis.call('HSET', key, 'w:' .. id, place, 'p:' .. id, known[2], 'n:' .. known[2], id, 'tail', id)
  else
    redis.call('HSET', key, 'w:' .. id, place, 'head', id, 'tail', id)
  end
end

-- Removes a waiter that is in the queue. Starts with HDEL: it is allowed when memory is full, and so is every write of the script
-- after it.
local function leave(key, id)
  local before, after = unpack(redis.call('HMGET', key, 'p:' .. id, 'n:' .. id))
  local function set(field, neighbour)
    return neighbour and redis.call('HSET', key, field, neighbour) or redis.call('HDEL', key, field)
  end
  redis.call('HDEL', key, 'w:' .. id, 'p:' .. id, 'n:' .. id)
  set(before and 'n:' .. before or 'head', after)
  set(after and 'p:' .. after or 'tail', before)
end

-- Returns the first waiter, and removes those before it whose place has expired.
local function firstWaiter(key, now)
  local id = redis.call('HGET', key, 'head')
  while id do
    local lost, ttl, tokens, channel, holder =
      string.match(redis.call('HGET', key, 'w:' .. id) or '', '^(%d+) (%d+) (%d+) (%S+) (.*)$')
    if tonumber(lost or 0) > now then
      return { id = id, ttl = tonumber(ttl), tokens = tonumber(tokens), channel = channel, holder = holder }
    end
    leave(key, id)
    id = redis.call('HGET', key, 'head')
  end
end

-- Sends words about a waiter to its process. Returns false if the process is known to be gone. An error, which only a missing
-- permission can cause, counts as notified: the waiter polls anyway.
local function notify(waiter, ...)
  local heard = redis.pcall('PUBLISH', CHANNELS .. waiter.channel, table.concat({ waiter.id, ... }, ' '))
  return heard ~= 0 or not COUNTS_LISTENERS
end

-- Tells the first waiter whose process is not known to be gone that the running lease ends sooner than it knows. Removes those
-- before it.
local function wakeFirst(key, now)
  local waiter = firstWaiter(key, now)
  while waiter and not notify(waiter, 'sooner') do
    leave(key, waiter.id)
    waiter = firstWaiter(key, now)
  end
end

-- Grants a free lock to the first waiter whose process is not known to be gone, in the same step. Returns that waiter, the end of
-- the lease, the first token and their number, or nothing if the queue is empty. The waiter 'asking' needs no notification.
local function handOver(key, last, now, asking)
  local waiter = firstWaiter(key, now)
  while waiter do
    leave(key, waiter.id)
    local token, count = nextTokens(last, waiter.tokens, now)
    if token + waiter.tokens - 1 <= MAX_TOKEN then
      local ends = grant(key, waiter.id, waiter.ttl, token, count, waiter.holder, now)
      if waiter.id == asking or notify(waiter, text(token), count, text(now), text(ends)) then
        return waiter, ends, token, count
      end
    end
    waiter = firstWaiter(key, now)
  end
  redis.call('HDEL', key, 'id')
end

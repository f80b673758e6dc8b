-- Grants the lock to a lock id if it is free and no waiter is before it in the queue; otherwise grants it to that waiter.
-- Decision, token, record and place in the queue are one step. A refusal without a wait changes nothing. A lease of
-- 'ending' counts as over.
--
-- Returns {token, from} if granted, {token, from, until, tokens, holder} if granted before, {0, microseconds that the
-- running lease has left, its holder, 1 if queued} if refused, {-1, last token} if no token is left.
local function attempt(key, id, ttl, holder, maxWait, channel, tokens, now, lock, ending)
  local ends, last, queue = tonumber(lock[2] or 0), tonumber(lock[3] or 0), lock[4]

  local function refused(ends, holderNow)
    if maxWait > 0 then
      enqueue(key, id, math.min(maxWait, PLACE_MILLIS), ttl, tokens, channel, holder, now)
    end
    local queued = maxWait > 0 or queue and redis.call('HEXISTS', key, 'w:' .. id) == 1
    return { 0, ends - now, holderNow, queued and 1 or 0 }
  end

  if lock[1] and ends > now and lock[1] ~= ending then
    if lock[1] ~= id then
      return refused(ends, redis.call('HGET', key, 'holder'))
    end
    local lease = redis.call('HMGET', key, 'fence', 'at', 'tokens', 'holder')
    keep(key, ends, last) -- a write, so that an acknowledgement by replicas covers all earlier ones
    return { tonumber(lease[1]), tonumber(lease[2]), ends, tonumber(lease[3]), lease[4] }
  end

  local token = nextToken(last, now)
  if token + tokens - 1 > MAX_TOKEN then
    return { -1, last }
  end

  if queue then
    local first, itsEnd, itsToken = handOver(key, last, now, id)
    if first and first.id == id then
      return { itsToken, now, itsEnd, first.tokens, first.holder }
    elseif first then
      return refused(itsEnd, first.holder)
    end
  end
  grant(key, id, ttl, tokens, holder, token, now)
  return { token, now }
end

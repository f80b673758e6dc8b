-- Grants the lock to a lock id if it is free and no waiter is before it in the queue; otherwise grants it to that waiter.
-- Decision, token, record and place in the queue are one step. A refusal without a wait changes nothing. A lease of
-- 'ending' counts as over. The lock is its fields id, until, last and head.
--
-- Returns {token, from, tokens} if granted, {token, from, tokens, until, holder} if granted before, {0, microseconds that the
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
    local token, count, from, holderNow = string.match(redis.call('HGET', key, 'grant'), GRANT)
    if lock[1] ~= id then
      return refused(ends, holderNow)
    end
    keep(key, ends, last) -- a write, so that an acknowledgement by replicas covers all earlier ones
    return { token, from, count, ends, holderNow }
  end

  local token, count = nextTokens(last, tokens, now)
  if token + tokens - 1 > MAX_TOKEN then
    return { -1, last }
  end

  if queue then
    local first, itsEnd, itsToken, itsCount = handOver(key, last, now, id)
    if first and first.id == id then
      return { itsToken, now, itsCount, itsEnd, first.holder }
    elseif first then
      return refused(itsEnd, first.holder)
    end
  end
  grant(key, id, ttl, token, count, holder, now)
  return { token, now, count }
end

-- Grants the lock to a lock id if it is free and nobody is before it in line; else gives it to who is. Decision, token,
-- record and place in line are one step; who is refused and will not wait changes nothing. A lease of 'ending' is over.
--
-- Answers {token, from} if granted, {token, from, until, tokens, holder} if granted before, {0, microseconds that the
-- running lease has left, its holder, 1 if in line} if refused, {-1, last token} if the tokens are used up.
local function attempt(key, id, ttl, holder, patience, channel, tokens, now, lock, ending)
  local ends, last, line = tonumber(lock[2] or 0), tonumber(lock[3] or 0), lock[4]

  local function refused(ends, holderNow)
    if patience > 0 then
      standInLine(key, id, math.min(patience, PLACE_MILLIS), ttl, tokens, channel, holder, now)
    end
    local inLine = patience > 0 or line and redis.call('HEXISTS', key, 'w:' .. id) == 1
    return { 0, ends - now, holderNow, inLine and 1 or 0 }
  end

  if lock[1] and ends > now and lock[1] ~= ending then
    if lock[1] ~= id then
      return refused(ends, redis.call('HGET', key, 'holder'))
    end
    local lease = redis.call('HMGET', key, 'fence', 'at', 'tokens', 'holder')
    keep(key, ends, last) -- a write, which replicas can acknowledge as having all that came before
    return { tonumber(lease[1]), tonumber(lease[2]), ends, tonumber(lease[3]), lease[4] }
  end

  local token = nextToken(last, now)
  if token + tokens - 1 > MAX_TOKEN then
    return { -1, last }
  end

  if line then
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

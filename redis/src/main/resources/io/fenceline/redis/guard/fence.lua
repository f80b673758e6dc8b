-- A fence is a hash beside what it guards, in the same slot and without a ttl: 'lock_key', 'highest', the greatest token that
-- wrote or claimed, and 'written', the greatest that wrote. What was never fenced has none.

-- Answers nothing if a token is admitted, {0, highest} if it is stale, {-1, owner} if the fence is another lock's.
local function refusal(fence, lock, token, once)
  local known = redis.call('HMGET', fence, 'lock_key', 'highest', 'written')
  if known[1] and known[1] ~= lock then
    return { -1, known[1] }
  end
  local number = tonumber(token) -- exact: a double holds every token
  if number < tonumber(known[2] or 0) or once and number <= tonumber(known[3] or 0) then
    return { 0, known[2] }
  end
end

-- Shuts out smaller tokens. Tokens are kept as the texts that came, since Lua's own have 14 digits.
local function seen(fence, lock, token)
  redis.call('HSET', fence, 'lock_key', lock, 'highest', token)
end

-- Counts a write.
local function written(fence, token)
  redis.call('HSET', fence, 'written', token)
end

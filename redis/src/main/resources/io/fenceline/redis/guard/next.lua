-- Takes the next number of a clock. A clock has no ttl.
--
-- KEYS: the clock. Answers {1, the number}, {-1, the last} if the numbers are used up.
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local number = nextTokens(last, 1, clock())
if number > MAX_TOKEN then
  return { -1, last }
end
redis.call('SET', KEYS[1], text(number))
return { 1, number }

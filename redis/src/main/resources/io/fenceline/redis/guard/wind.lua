-- Raises a clock; lowers nothing. It is written in any case, so that replicas can acknowledge it.
--
-- KEYS: the clock. ARGV: the number that later ones exceed. Answers {1}.
local last, wanted = tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[1])
redis.call('SET', KEYS[1], text(math.max(last, wanted)))
return { 1 }

-- Shuts out smaller tokens and writes nothing else.
--
-- KEYS: the fence. ARGV: lock key, token. Answers {1} or the refusal.
local refused = refusal(KEYS[1], ARGV[1], ARGV[2], false)
if refused then
  return refused
end
redis.call('PERSIST', KEYS[1]) -- a write that is not refused when memory is full, and after it nothing is
seen(KEYS[1], ARGV[1], ARGV[2])
return { 1 }

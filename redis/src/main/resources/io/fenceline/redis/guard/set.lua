-- Sets a value if the token is admitted.
--
-- KEYS: the fence, the value. ARGV: lock key, token, value, for one that ends also ttl in ms. Answers {1} or the refusal.
local refused = refusal(KEYS[1], ARGV[1], ARGV[2], ONCE)
if refused then
  return refused
end
seen(KEYS[1], ARGV[1], ARGV[2])
if ARGV[4] then
  redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
else
  redis.call('SET', KEYS[2], ARGV[3])
end
written(KEYS[1], ARGV[2])
return { 1 }

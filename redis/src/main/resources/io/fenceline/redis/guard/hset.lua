-- Sets fields of a hash if the token is admitted. Where the key holds something else, the token counts as seen only.
--
-- KEYS: the fence, the hash. ARGV: lock key, token, then fields and their values. Answers {1} or the refusal.
local refused = refusal(KEYS[1], ARGV[1], ARGV[2], ONCE)
if refused then
  return refused
end
seen(KEYS[1], ARGV[1], ARGV[2])
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
written(KEYS[1], ARGV[2])
return { 1 }

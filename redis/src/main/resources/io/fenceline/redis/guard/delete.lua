-- Deletes whatever a key holds if the token is admitted. The fence stays.
--
-- KEYS: the fence, the key. ARGV: lock key, token. Answers {1, how many were there} or the refusal.
local refused = refusal(KEYS[1], ARGV[1], ARGV[2], ONCE)
if refused then
  return refused
end
local there = redis.call('UNLINK', KEYS[2]) -- first: not refused when memory is full, and then nothing is
seen(KEYS[1], ARGV[1], ARGV[2])
written(KEYS[1], ARGV[2])
return { 1, there }

-- Ends a running lease. Goes by the lock's own name, so it needs no index.
--
-- KEYS: lock, index. ARGV: lock id. Answers {1} if a running lease was ended, {0} if not, {-2, name}.
local lock, strange = read(KEYS[1])
if strange then
  return { -2, KEYS[1] }
elseif not isLive(lock, millis()) or lock.lockId ~= ARGV[1] then
  return { 0 }
end
redis.call('DEL', KEYS[1], KEYS[2])
return { 1 }

-- Reads the running lease of a lock id. KEYS: index. ARGV: lock id. Answers as lookup.
local name, now = redis.call('GET', KEYS[1]), millis()
if not name then
  return { 0 }
end
local lock, strange = read(name)
if strange then
  return { -2, name }
elseif not isLive(lock, now) or lock.lockId ~= ARGV[1] then
  return { 0 }
end
return { 1, unpack(described(lock, now)) }

-- Reads the running lease of a lock id. KEYS: index. ARGV: lock id. Answers as lookup.
local now = millis()
local name, odd = get(KEYS[1])
if odd then
  return { -2, KEYS[1] }
elseif not name then
  return { 0 }
end
local lock, strange = read(name)
if strange then
  return { -2, name }
elseif not isLive(lock, now) or lock.lockId ~= ARGV[1] then
  return { 0 }
end
return { 1, unpack(described(lock, now)) }

-- Reads a running lease. KEYS: lock. Answers {1, then as described}, {0} if there is none, {-2, name}.
local now = millis()
local lock, strange = read(KEYS[1])
if strange then
  return { -2, KEYS[1] }
elseif not isLive(lock, now) then
  return { 0 }
end
return { 1, unpack(described(lock, now)) }

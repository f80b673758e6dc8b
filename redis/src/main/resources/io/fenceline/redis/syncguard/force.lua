-- Ends a running lease of anybody and spends a token.
--
-- KEYS: lock, counter, audit record. ARGV: by whom, what names of indexes start with. Answers as lookup, {-1, last token} if no token is left.
local now = millis()
local lock, strange = read(KEYS[1])
local last, odd = counted(KEYS[2])
if strange or odd then
  return { -2, strange and KEYS[1] or KEYS[2] }
elseif not isLive(lock, now) then
  return { 0 }
elseif last >= MAX_TOKEN then
  return { -1, text(last) }
end
ensureRecordable(KEYS[3])
redis.call('DEL', KEYS[1], ARGV[2] .. lock.lockId)
redis.call('INCR', KEYS[2])
record(KEYS[3], clock(), ARGV[1], 'release', text(last), text(last + 1))
return { 1, unpack(described(lock, now)) }

-- Takes the lock if it is free. Decision, token, record and index are one step; who is refused changes nothing. The index of the
-- lock id before is left to its own end, as SyncGuard does.
--
-- KEYS: lock, index, counter. ARGV: lock id, ttl in ms, key, holder, number of tokens.
-- Answers {1, token, from, until} if granted, {2, then as described} if granted before, {0, ms that the lock has left, holder} if
-- refused, {-1, last token} if the tokens are used up, {-2, name} if a name holds something strange.
local now = millis()
local lock, strange = read(KEYS[1])
if strange then
  return { -2, KEYS[1] }
elseif isLive(lock, now) and lock.lockId ~= ARGV[1] then
  return { 0, text(left(lock, now)), extra(lock.holder) }
elseif isLive(lock, now) then
  return { 2, unpack(described(lock, now)) }
end

local last, odd = counted(KEYS[3])
if odd then
  return { -2, KEYS[3] }
elseif last + ARGV[5] > MAX_TOKEN then
  return { -1, text(last) }
end
local token = redis.call('INCRBY', KEYS[3], ARGV[5]) - ARGV[5] + 1
local ends = now + ARGV[2]
keep(KEYS[1], KEYS[2], { lockId = ARGV[1], expiresAtMs = ends, acquiredAtMs = now, key = ARGV[3],
  fence = string.format('%015.0f', token), holder = ARGV[4], tokens = ARGV[5] ~= '1' and ARGV[5] or nil }, ARGV[2])
return { 1, text(token), text(now), text(ends) }

-- Raises a fence by hand; lowers nothing.
--
-- KEYS: the fence, its audit record. ARGV: lock key, token, by whom. Answers {-1, owner} if the fence is another lock's,
-- else {1, lock key, highest, written} as they are now.
local refused = refusal(KEYS[1], ARGV[1], ARGV[2], false)
if refused and refused[1] < 0 then
  return refused
end
local before = redis.call('HGET', KEYS[1], 'highest')
if not refused and before ~= ARGV[2] then
  ensureRecordable(KEYS[2])
  seen(KEYS[1], ARGV[1], ARGV[2])
  record(KEYS[2], clock(), ARGV[3], 'raise', before or '0', ARGV[2])
end
return { 1, unpack(read(KEYS[1])) }

-- Raises a counter and leaves a running lease as it is.
--
-- KEYS: counter, audit record. ARGV: token, by whom. Answers {1, the counter}, {-2, name}.
local last, odd = counted(KEYS[1])
if odd then
  return { -2, KEYS[1] }
elseif last >= tonumber(ARGV[1]) then
  return { 1, text(last) }
end
ensureRecordable(KEYS[2])
redis.call('SET', KEYS[1], ARGV[1])
record(KEYS[2], clock(), ARGV[2], 'raise', text(last), ARGV[1])
return { 1, ARGV[1] }

-- Gives a fence to another lock, whose smallest token may then write.
--
-- KEYS: the fence, its audit record. ARGV: from, to, by whom, and from and to as the record shows them.
-- Answers {1} if it was done, {0} if the fence is not 'from''s.
if redis.call('HGET', KEYS[1], 'lock_key') ~= ARGV[1] then
  return { 0 }
end
ensureRecordable(KEYS[2])
redis.call('HSET', KEYS[1], 'lock_key', ARGV[2], 'highest', 1, 'written', 0)
record(KEYS[2], clock(), ARGV[3], 'rebind', ARGV[4], ARGV[5])
return { 1 }

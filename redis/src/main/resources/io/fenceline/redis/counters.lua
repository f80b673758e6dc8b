-- Reads some of a server's counters: one step of a SCAN over all keys. It never blocks the server for long, and may return a
-- counter twice.
--
-- ARGV: cursor, pattern of keys, number of keys to scan. Returns {next cursor, a list for each counter: its key, greatest token}.
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
local found = { scan[1] }
for _, key in ipairs(scan[2]) do
  local last = tonumber(redis.call('HGET', key, 'last') or 0) or 0 -- a hash that is not ours may hold no number
  if last > 0 then
    found[#found + 1] = { key, last }
  end
end
return found

-- Reads some of a server's running leases. One step of a walk over all keys, for people: it never holds the server up for
-- long, and may show a lease twice.
--
-- ARGV: cursor, pattern of keys, how many keys to look at, lock id or '' for all.
-- Answers {next cursor, a list for each lease: its key and what lookup answers}.
local now = clock()
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
local found = { scan[1] }
for _, key in ipairs(scan[2]) do
  local lease = redis.call('HMGET', key, 'id', 'holder', 'fence', 'tokens', 'at', 'until')
  local left = tonumber(lease[6] or 0) - now
  if lease[1] and left > 0 and (ARGV[4] == '' or ARGV[4] == lease[1]) then
    found[#found + 1] = { key, left, unpack(lease) }
  end
end
return found

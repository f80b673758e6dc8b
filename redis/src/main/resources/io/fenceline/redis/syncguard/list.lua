-- Reads some of a server's running leases. One step of a walk over all keys, for people: it never holds the server up for
-- long, and may show a lease twice. Counters, indexes and what is not SyncGuard's are passed over.
--
-- ARGV: cursor, pattern of names, how many to look at. Answers {next cursor, for each lease {its name, then as described}}.
local now = millis()
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'string')
local found = { scan[1] }
for _, name in ipairs(scan[2]) do
  local lock = read(name)
  if isLive(lock, now) then
    found[#found + 1] = { name, unpack(described(lock, now)) }
  end
end
return found

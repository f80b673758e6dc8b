-- Reads some of a server's running leases: one step of a SCAN over all keys. It never blocks the server for long, and may
-- return a lease twice.
--
-- ARGV: cursor, pattern of keys, number of keys to scan, lock id or '' for all.
-- Returns {next cursor, a list for each lease: its key and what lookup returns}.
local now = clock()
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
local found = { scan[1] }
for _, key in ipairs(scan[2]) do
  local lease = redis.call('HMGET', key, 'id', 'until', 'grant')
  local left = (tonumber(lease[2] or 0) or 0) - now -- a hash that is not ours may hold no number
  if lease[1] and left > 0 and (ARGV[4] == '' or ARGV[4] == lease[1]) then
    found[#found + 1] = { key, left, unpack(lease) }
  end
end
return found

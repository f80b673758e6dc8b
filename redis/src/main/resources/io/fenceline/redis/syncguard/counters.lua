-- Reads some of a server's counters. One step of a walk over all keys, for people: it never holds the server up for long, and
-- may show a counter twice.
--
-- ARGV: cursor, pattern of names, how many to look at. Answers {next cursor, for each counter {its name, greatest token}}.
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'string')
local found = { scan[1] }
for _, name in ipairs(scan[2]) do
  local last, odd = counted(name)
  if not odd then
    found[#found + 1] = { name, text(last) }
  end
end
return found

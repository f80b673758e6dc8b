-- Reads some of a server's fences. One step of a walk over all keys, for people: it never holds the server up for long, and
-- may show a fence twice.
--
-- ARGV: cursor, pattern of keys, how many keys to look at, what comes before a fence's tag, what the name starts with.
-- Answers {next cursor, a list for each fence: its key, lock key, highest, written}.
local scan = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
local found = { scan[1] }
for _, key in ipairs(scan[2]) do
  local tag, name = string.match(string.sub(key, #ARGV[4] + 1), '^([^}]*)}:?(.*)$')
  if tag and name == '' then
    name = tag
  end
  if tag and string.sub(name, 1, #ARGV[5]) == ARGV[5] then
    found[#found + 1] = { key, unpack(read(key)) }
  end
end
return found

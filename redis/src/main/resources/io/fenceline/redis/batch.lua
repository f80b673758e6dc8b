-- Runs calls of the scripts, one after the other.
--
-- KEYS: the key of each call. ARGV: for each call the number of its script, the number of its arguments, and these. Returns the reply
-- of each call, or a text if it failed.
local replies, at = {}, 1
for i, key in ipairs(KEYS) do
  local last = at + 1 + ARGV[at + 1]
  local done, reply = pcall(scripts[tonumber(ARGV[at])], { key }, { unpack(ARGV, at + 2, last) })
  replies[i] = done and reply or type(reply) == 'table' and reply.err or tostring(reply)
  at = last + 1
end
return replies

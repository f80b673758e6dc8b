-- Answers {lock key, highest, written}, or nothing if there is no such fence.
local function read(fence)
  local known = redis.call('HMGET', fence, 'lock_key', 'highest', 'written')
  return known[1] and { known[1], known[2], known[3] or '0' } or {}
end

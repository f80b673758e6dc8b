-- What SyncGuard keeps of a lock: JSON of lockId, expiresAtMs, acquiredAtMs, key and fence, in any order, and what others add.
-- Of us that is holder and, if there are several, tokens; as texts, since SyncGuard's cjson keeps 14 digits of a number.

local function millis()
  return math.floor(clock() / 1000)
end

-- A number, also if somebody wrote it as a text. Nothing if it is none.
local function number(value)
  local found = tonumber(value)
  return found and math.abs(found) < 1e18 and found
end

-- Reads a text; nothing if there is none. Second is true if the name holds a hash, a list or another thing that is no text.
local function get(name)
  local found = redis.pcall('GET', name)
  if type(found) ~= 'table' then
    return found, false
  elseif string.find(found.err, 'WRONGTYPE', 1, true) then
    return nil, true
  end
  return redis.call('GET', name), false -- fails as it did
end

-- Reads a record; nothing if there is none. Second is true if the name holds something else, which is nobody's to overwrite.
local function read(name)
  local json, strange = get(name)
  if not json then
    return nil, strange
  end
  local sound, lock = pcall(cjson.decode, json)
  if not (sound and type(lock) == 'table' and type(lock.lockId) == 'string' and type(lock.key) == 'string'
      and type(lock.fence) == 'string' and number(lock.expiresAtMs) and number(lock.acquiredAtMs)) then
    return nil, true
  end
  lock.expiresAtMs, lock.acquiredAtMs = number(lock.expiresAtMs), number(lock.acquiredAtMs)
  return lock, false
end

-- Tells whether others must be refused, by the rule of SyncGuard. Redis removes a lock at its end, so the tolerance has no
-- effect unless somebody has taken the record's expiry away.
local function isLive(lock, now)
  return lock and lock.expiresAtMs > now - TOLERANCE_MILLIS
end

-- How long a live lock is so at the most.
local function left(lock, now)
  local untilEnd = lock.expiresAtMs - now
  if untilEnd >= 0 then
    return math.max(untilEnd, 1) -- Redis removes a lock when its last millisecond is over
  end
  return untilEnd + TOLERANCE_MILLIS
end

-- A text that others added, '' if they did not.
local function extra(value)
  return type(value) == 'string' and value or ''
end

-- What an answer says of a lock.
local function described(lock, now)
  return { text(left(lock, now)), lock.lockId, lock.fence, text(lock.acquiredAtMs), text(lock.expiresAtMs),
    lock.key, extra(lock.holder), extra(lock.tokens) }
end

-- Writes a record and its index, which end together.
local function keep(name, index, lock, ttlMillis)
  redis.call('SET', name, cjson.encode(lock), 'PX', ttlMillis)
  redis.call('SET', index, name, 'PX', ttlMillis)
end

-- Reads a counter of tokens, 0 if there is none. Second is true if the name holds something else, also a number with zeros in
-- front, to which Redis adds nothing.
local function counted(name)
  local count, strange = get(name)
  if not count then
    return 0, strange
  end
  local value = (count == '0' or string.match(count, '^[1-9]%d*$')) and tonumber(count)
  return value or 0, not value
end

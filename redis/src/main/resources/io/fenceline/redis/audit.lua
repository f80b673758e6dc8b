-- Records an operator's act on a lock or a fence, newest first. Before and after are texts without blanks.
local function record(key, now, by, act, before, after)
  redis.call('LPUSH', key, table.concat({ text(math.floor(now / 1000)), act, before, after, by }, ' '))
  redis.call('LTRIM', key, 0, AUDIT_LENGTH - 1)
  redis.call('PEXPIRE', key, AUDIT_MILLIS)
end

-- Fails for a user who may not write records, before anything is changed. Allowed when memory is full, and so are the writes after it.
local function ensureRecordable(key)
  redis.call('LTRIM', key, 0, AUDIT_LENGTH - 1)
end

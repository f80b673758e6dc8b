-- The server's time in microseconds since 1970, which a double holds exactly.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Formats a number exactly; Lua's own conversion has 14 digits.
local function text(number)
  return string.format('%.0f', number)
end

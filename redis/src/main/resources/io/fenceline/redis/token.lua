-- Returns the first of the next tokens. With a clock floor it is at least the time in steps, so tokens grow even if the
-- counter was lost.
local function nextToken(last, now)
  return CLOCK_FLOOR and math.max(last + 1, math.floor(now / MICROS_PER_STEP)) or last + 1
end

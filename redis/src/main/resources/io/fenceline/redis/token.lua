-- Returns the first of the next tokens and their number. With a clock floor the first is at least the time in steps, so tokens grow
-- even if the counter was lost.
local function nextTokens(last, tokens, now)
  return CLOCK_FLOOR and math.max(last + 1, math.floor(now / MICROS_PER_STEP)) or last + 1, tokens
end

-- Returns the first of the next tokens and their number, at most what is asked for. With a clock floor the first is at least the
-- time in steps, so tokens grow even if the counter was lost. A block ends at that time for the same reason: one that ran ahead of
-- the clock would be repeated. Without a counter there may be tokens up to now that are not known.
local function nextTokens(last, tokens, now)
  if not CLOCK_FLOOR then
    return last + 1, tokens
  end
  local step = math.floor(now / MICROS_PER_STEP)
  local first = math.max(last + 1, last == 0 and step or step - tokens + 1)
  return first, math.max(1, math.min(tokens, step - first + 1))
end

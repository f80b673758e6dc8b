end

-- Runs the caller's script if the token is admitted to every key. If the script fails, the token counts as seen only.
--
-- KEYS: the fences, then as many keys. ARGV: lock key, token, then the script's own.
-- Answers {1, what the script returned}, {2, the error that it raised or returned}, or the refusal with the number of the key that refused.
local lock, token, count = ARGV[1], ARGV[2], #KEYS / 2
local keys, arguments = {}, {}
for i = 1, count do
  local refused = refusal(KEYS[i], lock, token, ONCE)
  if refused then
    return { refused[1], refused[2], i }
  end
  keys[i] = KEYS[count + i]
end
for i = 3, #ARGV do
  arguments[i - 2] = ARGV[i]
end
for i = 1, count do
  seen(KEYS[i], lock, token)
end
local function failure(value)
  if type(value) ~= 'table' then
    return nil
  elseif value.err then
    return tostring(value.err)
  end
  for _, each in ipairs(value) do
    local found = failure(each)
    if found then
      return found
    end
  end
end
local done, result = pcall(effect, keys, arguments)
local failed = failure(result) or not done and tostring(result)
if failed then
  return { 2, failed }
end
for i = 1, count do
  written(KEYS[i], token)
end
return { 1, result }

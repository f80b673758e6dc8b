-- Reads a counter. KEYS: counter. Answers {1, greatest token}, {-2, name}.
local last, odd = counted(KEYS[1])
if odd then
  return { -2, KEYS[1] }
end
return { 1, text(last) }

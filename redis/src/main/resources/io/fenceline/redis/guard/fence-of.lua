-- Reads a fence. KEYS: the fence. Answers {lock key, highest, written}, or nothing.
return read(KEYS[1])

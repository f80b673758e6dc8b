-- The caller's script becomes the body of this function, so it sees its own keys and arguments.
local function effect(KEYS, ARGV)

-- Tells what a write would be answered.
--
-- KEYS: the fence. ARGV: lock key, token. Answers {1} or the refusal.
return refusal(KEYS[1], ARGV[1], ARGV[2], ONCE) or { 1 }

-- Fences on SQLite.

-- :name now
CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)

-- :name now_of_write
{now}

-- :name objects
SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL

-- Fences on products with INSERT … ON CONFLICT. A product's own file has {now}, and {now_of_write} for the time of a write.

-- :name into
INSERT INTO fenceline_fences AS fence (resource, lock_key, highest, written, updated_at)

-- :name write
{into} VALUES (?1, ?2, ?3, ?3, {now_of_write})
{or_raise}

-- :name or_raise
ON CONFLICT (resource) DO UPDATE
   SET highest = excluded.highest, written = excluded.highest, updated_at = excluded.updated_at
 WHERE fence.lock_key = excluded.lock_key AND fence.highest <= excluded.highest

-- :name write_once
{write} AND fence.written < excluded.highest

-- :name claim
-- A claim that raises nothing only locks the row: to change it would be a write for a trigger that asks who changed it last.
{into} VALUES (?1, ?2, ?3, 0, {now})
ON CONFLICT (resource) DO UPDATE
   SET highest = excluded.highest, written = fence.written, updated_at = excluded.updated_at
 WHERE fence.lock_key = excluded.lock_key AND fence.highest < excluded.highest

-- :name next_number
INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, 1)
ON CONFLICT (name) DO UPDATE SET last_number = clock.last_number + 1 WHERE clock.last_number < ?2
RETURNING last_number

-- :name raise_clock
INSERT INTO fenceline_fences_clock AS clock (name, last_number) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET last_number = excluded.last_number
 WHERE clock.last_number < excluded.last_number

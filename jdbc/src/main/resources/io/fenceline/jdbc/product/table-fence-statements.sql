-- Fences where names are bytes. A product's own file has {now}.

-- :name raise_written
UPDATE fenceline_fences
   SET highest = ?3, written = ?3, updated_at = {now}
 WHERE resource = ?1 AND lock_key = ?2 AND highest <= ?3

-- :name raise_written_once
{raise_written} AND written < ?3

-- :name raise_claimed
UPDATE fenceline_fences
   SET highest = ?3, updated_at = {now}
 WHERE resource = ?1 AND lock_key = ?2 AND highest <= ?3

-- :name make_written
INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
SELECT ?1, ?2, ?3, ?3, {now}
  FROM (VALUES (0))
 WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences WHERE resource = ?1)

-- :name make_claimed
INSERT INTO fenceline_fences (resource, lock_key, highest, written, updated_at)
SELECT ?1, ?2, ?3, 0, {now}
  FROM (VALUES (0))
 WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences WHERE resource = ?1)

-- :name raise_clock
UPDATE fenceline_fences_clock
   SET last_number = ?2
 WHERE name = ?1 AND last_number < ?2

-- :name make_clock
INSERT INTO fenceline_fences_clock (name, last_number)
SELECT ?1, ?2
  FROM (VALUES (0))
 WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock WHERE name = ?1)

-- Fences on HSQLDB.

-- :name now
UNIX_MILLIS()

-- :name count
UPDATE fenceline_fences_clock SET last_number = last_number + 1 WHERE name = ?1 AND last_number < ?2
GENERATED KEYS (LAST_NUMBER)

-- :name count_first
INSERT INTO fenceline_fences_clock (name, last_number) VALUES (?1, 1)
GENERATED KEYS (LAST_NUMBER)

-- :name transaction
VALUES TRANSACTION_ID()

-- Fences on H2.

-- :name now
CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)

-- :name count
SELECT last_number FROM FINAL TABLE (
  UPDATE fenceline_fences_clock SET last_number = last_number + 1 WHERE name = ?1 AND last_number < ?2)

-- :name count_first
SELECT last_number FROM FINAL TABLE (
  INSERT INTO fenceline_fences_clock (name, last_number)
  SELECT ?1, 1 WHERE NOT EXISTS (SELECT 1 FROM fenceline_fences_clock WHERE name = ?1))

-- :name transaction
-- Its number; none before the first change.
SELECT TRANSACTION_ID()

-- :name column
-- In a schema, or in all for an empty one.
SELECT DATA_TYPE, COLLATION_NAME FROM INFORMATION_SCHEMA.COLUMNS
 WHERE (?1 = '' OR UPPER(TABLE_SCHEMA) = UPPER(?1)) AND UPPER(TABLE_NAME) = UPPER(?2) AND UPPER(COLUMN_NAME) = UPPER(?3)

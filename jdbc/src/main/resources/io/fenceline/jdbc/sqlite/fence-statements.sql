-- Fences on SQLite.

-- :name now
CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)

-- :name now_of_write
{now}

-- :name objects
SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL

-- :name meant_table
-- The table that a quoted name means: a temporary one before that of a file.
meant AS (
  SELECT found.name AS name, found.schema AS schema, found.type AS type
    FROM pragma_table_list AS found JOIN pragma_database_list AS file ON file.name = found.schema
   WHERE lower(?1) IN (lower(printf('"%w"', found.name)), lower(printf('"%w"."%w"', found.schema, found.name)))
   ORDER BY found.schema <> 'temp', file.seq LIMIT 1)

-- :name is_unique
-- Whether a column is unique by itself. No row for a view. The key INTEGER PRIMARY KEY has no index.
WITH {meant_table}
SELECT (SELECT count(*) = 1 AND max(lower(name) = lower(?2))
          FROM pragma_table_xinfo(meant.name, meant.schema) WHERE pk > 0)
    OR EXISTS (SELECT 1
                 FROM pragma_index_list(meant.name, meant.schema) AS list,
                      pragma_index_xinfo(list.name, meant.schema) AS part
                WHERE list."unique" AND NOT list.partial AND part.key
                GROUP BY list.name HAVING count(*) = 1 AND max(lower(part.name) = lower(?2)))
  FROM meant WHERE type <> 'view'

-- :name primary_key
WITH {meant_table}
SELECT part.name FROM meant, pragma_table_xinfo(meant.name, meant.schema) AS part WHERE pk > 0 ORDER BY pk

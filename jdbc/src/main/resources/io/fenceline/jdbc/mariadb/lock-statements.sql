-- Locks in a table on MariaDB and MySQL.

-- :name now
-- The server's time in microseconds, as the schema explains it.
(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))
 + MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000)

-- :name acquire
CALL fenceline_lock_acquire(?1, ?2, ?3, ?4, ?5, ?6)

-- :name extend
CALL fenceline_lock_extend(?1, ?2, ?3, ?4)

-- :name release
CALL fenceline_lock_release(?1, ?2, ?3)

-- :name release_after
CALL fenceline_lock_release_after(?1, ?2, ?3, ?4)

-- :name runs
-- The clock counts microseconds: a lease is over at its end.
held.lock_id IS NOT NULL AND held.expires_at > {now}

-- :name next_prefix
CONCAT(?1, X'FF')

-- :name raise
CALL fenceline_lock_raise(?1, ?2, ?3, ?4)

-- :name force_release
CALL fenceline_lock_end(?1, ?2, ?3)

-- :name columns
-- Widths of whole numbers differ between versions and mean nothing. How a text compares is told only where it is asked
-- for. Without backslashes, which NO_BACKSLASH_ESCAPES reads otherwise.
SELECT LOWER(column_name) AS what,
       CONCAT(UPPER(REGEXP_REPLACE(column_type, '(?<=^bigint|^int)[(][0-9]+[)]', '')),
              CASE WHEN character_set_name IS NULL THEN '' ELSE CONCAT(' CHARACTER SET ', character_set_name) END,
              CASE WHEN RIGHT(collation_name, 4) = '_bin' THEN CONCAT(' COLLATE ', collation_name) ELSE '' END,
              CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) AS definition,
       column_key = 'PRI' AS keyed
  FROM information_schema.columns
 WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name = ?2

-- :name other_engine
SELECT engine
  FROM information_schema.tables
 WHERE table_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND table_name = ?2 AND UPPER(engine) <> 'INNODB'

-- :name procedures
-- Where ?1 is empty, the connection's own database is meant.
SELECT routine_name AS what, routine_comment AS definition
  FROM information_schema.routines
 WHERE routine_schema = COALESCE(NULLIF(?1, ''), DATABASE()) AND routine_type = 'PROCEDURE'
   AND LEFT(routine_name, CHAR_LENGTH(?2) + 1) = CONCAT(?2, '_')

-- :name settings
-- What a version does not have is not listed.
SHOW VARIABLES WHERE variable_name IN ('version', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog',
  'binlog_format', 'read_only', 'tx_read_only', 'transaction_read_only', 'transaction_isolation', 'tx_isolation',
  'max_connections', 'wsrep_on')

-- :name connections
SHOW STATUS LIKE 'Threads_connected'

-- :name clock
SELECT {now} AS now

-- :name clock_runs
-- Later than the statement's beginning, unless the server was told to take one for the other.
SELECT SLEEP(0.002), SYSDATE(6) > NOW(6)

-- Triggers on PostgreSQL: their stamp, their tables, their counts.

-- :name set_stamp
-- The setting names its transaction, so that it admits no other one if it stays.
SELECT set_config('fenceline.stamp', pg_current_xact_id()::text || ':' || (?1)::bigint || ' ' || (?2)::text, true)

-- :name clear_stamp
SELECT set_config('fenceline.stamp', '', true)

-- :name schema
-- Where the fences are, or would be made.
SELECT coalesce((SELECT nspname FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid WHERE pg_class.oid = to_regclass(?1)),
                current_schema())

-- :name table_exists
SELECT to_regclass(?1) IS NOT NULL

-- :name missing_columns
SELECT wanted FROM unnest(?2::text[]) AS wanted
 WHERE NOT EXISTS (SELECT FROM pg_attribute
                    WHERE attrelid = to_regclass(?1) AND attname = wanted AND attnum > 0 AND NOT attisdropped)

-- :name observed
SELECT table_name, operation, reason,
       (array_agg(presented ORDER BY last_at DESC))[1], (array_agg(highest ORDER BY last_at DESC))[1],
       sum(seen)::bigint, (extract(epoch FROM min(first_at)) * 1000)::bigint,
       (extract(epoch FROM max(last_at)) * 1000)::bigint
  FROM fenceline_observed GROUP BY table_name, operation, reason
 ORDER BY table_name, operation, reason

-- Ends the guarding of a table, its partitions and the tables that inherit from it. The function's triggers elsewhere are left: those of its
-- parent, where a partition was detached, or of a table that no longer inherits. Another function stays: a trigger's name says nothing.
DO $$
DECLARE
  guarded  regclass := to_regclass(guarded_table);
  family   oid[];
  guarding regprocedure;
  own      record;
BEGIN
  IF EXISTS (SELECT FROM pg_settings WHERE name = 'lock_timeout'
                AND (setting = '0' OR setting::bigint > 5000 AND source NOT IN ('session', 'client'))) THEN
    PERFORM set_config('lock_timeout', '5s', true);
  END IF;
  WITH RECURSIVE part (member) AS (
    SELECT guarded::oid UNION SELECT inhrelid FROM part JOIN pg_inherits ON inhparent = member)
  SELECT array_agg(member) INTO family FROM part;
  FOR guarding IN SELECT DISTINCT tgfoid FROM pg_trigger
                   WHERE tgrelid = guarded AND tgname IN ('fenceline_guard', 'fenceline_guard_truncate')
                     AND tgfoid IS DISTINCT FROM function_that_stays LOOP
    -- A part of two guarded tables is guarded as that of one, and would lose that.
    WITH RECURSIVE ancestor (member, relation, distance) AS (
      SELECT inhrelid, inhparent, 1 FROM pg_inherits JOIN pg_trigger ON tgrelid = inhrelid
       WHERE inhrelid = ANY (family) AND tgfoid = guarding
      UNION
      SELECT member, inhparent, distance + 1 FROM ancestor JOIN pg_inherits ON inhrelid = relation)
    SELECT member::regclass AS part, relation::regclass AS whole INTO own FROM ancestor JOIN pg_trigger ON tgrelid = relation
     WHERE tgname = 'fenceline_guard' AND relation <> ALL (family) ORDER BY distance DESC LIMIT 1;
    IF found THEN
      RAISE 'fenceline: % is a part of %, which is guarded; run guard remove for %, or detach the part first', own.part, own.whole, own.whole
        USING ERRCODE = 'ZF006';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_proc WHERE oid = guarding AND starts_with(proname, 'fenceline_guard_'))
       OR EXISTS (SELECT FROM pg_trigger
                   WHERE tgfoid = guarding AND tgname = 'fenceline_guard' AND tgrelid <> ALL (family)) THEN
      FOR own IN SELECT tgrelid::regclass AS relation, tgname FROM pg_trigger
                  WHERE tgfoid = guarding AND tgname IN ('fenceline_guard', 'fenceline_guard_truncate')
                    AND tgrelid = ANY (family) AND tgparentid = 0 LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', own.tgname, own.relation);
      END LOOP;
    ELSE
      EXECUTE format('DROP FUNCTION %s CASCADE', guarding);
    END IF;
  END LOOP;
END $$;

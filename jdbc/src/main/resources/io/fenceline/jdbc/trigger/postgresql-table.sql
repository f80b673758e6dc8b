-- Stops here if there is no such table or column: a function finds out only when it runs.
DO $$ BEGIN PERFORM key_columns FROM guarded_table LIMIT 0; END $$;

-- Names the rows of a guarded table and has their writes checked. It runs with its owner's rights, so that writers need none
-- on the tables above, and with settings that give a key the same text in every session.
CREATE OR REPLACE FUNCTION guarding_function() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO, YMD' SET IntervalStyle = 'postgres'
SET bytea_output = 'hex' SET extra_float_digits = 1 AS $$
DECLARE
  before text;
  after  text;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    refuse_truncate;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    before := name_of(OLD);
    check_write(before);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    after := name_of(NEW);
    IF after IS DISTINCT FROM before OR TG_OP = 'INSERT' THEN
      check_write(after);
    END IF;
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION guarding_function() FROM PUBLIC;

-- After each row, when its values are final: what is refused undoes the whole statement.
DROP TRIGGER IF EXISTS fenceline_guard ON guarded_table;
CREATE TRIGGER fenceline_guard AFTER INSERT OR UPDATE OR DELETE ON guarded_table
  FOR EACH ROW EXECUTE FUNCTION guarding_function();

DROP TRIGGER IF EXISTS fenceline_guard_truncate ON guarded_table;
CREATE TRIGGER fenceline_guard_truncate BEFORE TRUNCATE ON guarded_table
  FOR EACH STATEMENT EXECUTE FUNCTION guarding_function();

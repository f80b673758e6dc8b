-- Drops the function, and with it the triggers of the table, its partitions and the tables that inherit from it.
DO $$
DECLARE
  guarding regprocedure;
BEGIN
  FOR guarding IN SELECT DISTINCT tgfoid FROM pg_trigger
                   WHERE tgrelid = to_regclass(guarded_table) AND tgname IN ('fenceline_guard', 'fenceline_guard_truncate') LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', guarding);
  END LOOP;
END $$;

-- Guards of programs keep other fences where they find these first by their search path, which need not be that of this role: triggers
-- would let stale writes pass. A schema for each tenant is no such case, with its tables and fences in it.
DO $$
DECLARE
  others record;
BEGIN
  SELECT quote_ident(nspname) || '.fences_name' AS name INTO others
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
   WHERE relname = 'fences_name' AND relkind IN ('r', 'p') AND relpersistence <> 't'
     AND nspname <> 'fences_schema'
     AND ('fences_schema' = 'public' OR to_regclass('fences_schema.fences_name') IS NULL
          OR (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(guarded_table)) <> to_regnamespace('fences_schema'))
   ORDER BY pg_class.oid = to_regclass('fences_name') DESC NULLS LAST LIMIT 1;
  IF found THEN
    RAISE 'fenceline: these triggers are for fences in the schema fences_schema, and this database has %', others.name
      USING ERRCODE = 'ZF006', HINT = format('Run guard ddl with --fences %s, or with --fences fences_schema.fences_name.', others.name);
  END IF;
END $$;

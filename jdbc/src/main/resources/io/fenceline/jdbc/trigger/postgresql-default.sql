-- Guards of programs keep other fences where their search path does not begin with public: triggers would let stale writes pass. Fences in
-- public too say nothing of that path, which need not be this role's.
DO $$
DECLARE
  others record;
BEGIN
  SELECT quote_ident(nspname) || '.fenceline_fences' AS name INTO others
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
   WHERE relname = 'fenceline_fences' AND relkind IN ('r', 'p')
     AND nspname <> 'public'
   ORDER BY pg_class.oid = to_regclass('fenceline_fences') DESC NULLS LAST LIMIT 1;
  IF found THEN
    RAISE 'fenceline: these triggers are for fences in the schema public, and this database has %', others.name
      USING ERRCODE = 'ZF006', HINT = format('Run guard ddl with --fences %s, or with --fences public.fenceline_fences.', others.name);
  END IF;
END $$;

-- A role's programs find their fences along its search path. Triggers that look at other ones would accept what those refuse.
DO $$
DECLARE
  found text := (SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                  WHERE pg_class.oid = to_regclass('fenceline_fences'));
BEGIN
  IF found <> 'public.fenceline_fences' THEN
    RAISE 'fenceline: the search path leads to the fences %, not to public.fenceline_fences', found
      USING ERRCODE = 'ZF006', HINT = 'Name those that your programs use: fenceline guard ddl --fences ' || found;
  END IF;
END $$;

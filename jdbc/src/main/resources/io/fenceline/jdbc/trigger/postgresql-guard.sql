-- What an installation calls, and the event trigger.

-- A table and all tables whose rows are its rows: its partitions and those that inherit from it.
CREATE OR REPLACE FUNCTION public.fenceline_fences_family(guarded regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE family (member, depth) AS (
    SELECT guarded::oid, 0
    UNION
    SELECT inhrelid, depth + 1 FROM family JOIN pg_inherits ON inhparent = member)
  SELECT member::regclass FROM family GROUP BY member ORDER BY min(depth), member
$$;

-- The function of a table's own triggers, if it has one beside these: not one of another guarded table, whose child it was. A child that it had
-- keeps the function, until it is guarded by itself: the first time, with a function that other tables have too, it gets one of its own.
CREATE OR REPLACE FUNCTION public.fenceline_fences_function(guarded regclass) RETURNS regprocedure
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT tgfoid FROM pg_trigger AS own JOIN pg_proc ON pg_proc.oid = tgfoid
   WHERE tgrelid = guarded AND tgname = 'fenceline_guard'
     AND pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'public.fenceline_fences'::regclass)
     AND NOT EXISTS (SELECT FROM pg_trigger AS other
                      WHERE other.tgfoid = own.tgfoid AND other.tgname = 'fenceline_guard'
                        AND (other.tgrelid IN (SELECT relation FROM public.fenceline_guarded)
                             OR guarded NOT IN (SELECT relation FROM public.fenceline_guarded WHERE NOT public.fenceline_fences_own(xmin)))
                        AND other.tgrelid NOT IN (SELECT public.fenceline_fences_family(guarded)))
$$;

-- Makes the triggers that are missing on a table and its family, and enables those that are disabled. A partition has its row trigger from its parent.
-- Foreign tables can have one for TRUNCATE from PostgreSQL 16 on.
-- After each row, when its values are final: what is refused undoes the whole statement.
CREATE OR REPLACE FUNCTION public.fenceline_fences_cover(guarded regclass, guarding regprocedure) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  member  regclass;
  owner   regrole;
  part    record;
  present oid;
  enabled "char";
BEGIN
  FOR member IN SELECT * FROM public.fenceline_fences_family(guarded) LOOP
    -- Whoever makes a partition makes its trigger, and needs the right. To grant it again would wait for others that do.
    owner := (SELECT relowner FROM pg_class WHERE oid = member);
    IF NOT has_function_privilege(owner, guarding, 'EXECUTE') THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', guarding, owner);
    END IF;
    FOR part IN SELECT * FROM (VALUES ('fenceline_guard', 'AFTER INSERT OR UPDATE OR DELETE', 'ROW'),
                                      ('fenceline_guard_truncate', 'BEFORE TRUNCATE', 'STATEMENT')) AS parts (name, act, level)
                 WHERE level = 'ROW' OR (SELECT relkind FROM pg_class WHERE oid = member) <> 'f'
                       OR current_setting('server_version_num')::integer >= 160000 LOOP
      SELECT tgfoid, tgenabled INTO present, enabled FROM pg_trigger WHERE tgrelid = member AND tgname = part.name;
      IF present <> guarding AND part.level = 'STATEMENT' THEN -- of the table that it was detached from
        EXECUTE format('DROP TRIGGER %I ON %s', part.name, member);
      END IF;
      IF present IS DISTINCT FROM guarding THEN
        EXECUTE format('CREATE TRIGGER %I %s ON %s FOR EACH %s EXECUTE FUNCTION %s', part.name, part.act, member, part.level, guarding);
      ELSIF enabled NOT IN ('O', 'A') THEN
        EXECUTE format('ALTER TABLE %s ENABLE TRIGGER %I', member, part.name);
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- The names of a table's rows: those that it has already, or else these, which are kept for as long as the table
-- is there: a backup would give them to the table that gets its number elsewhere.
CREATE OR REPLACE FUNCTION public.fenceline_fences_names(
  guarded regclass, INOUT prefix text, INOUT key text[], OUT known boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM public.fenceline_guarded AS gone WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = gone.relation);
  INSERT INTO public.fenceline_guarded VALUES (guarded, prefix, key) ON CONFLICT (relation) DO NOTHING;
  known := NOT found;
  SELECT kept.prefix, kept.key INTO prefix, key FROM public.fenceline_guarded AS kept WHERE kept.relation = guarded;
END $$;
REVOKE ALL ON FUNCTION public.fenceline_fences_names(regclass, text, text[]) FROM PUBLIC;

-- Fails if the rows of a table cannot have the names that are asked for.
CREATE OR REPLACE FUNCTION public.fenceline_fences_require(guarded regclass, named text, keys text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  key_column text;
  unfit      text;
  other      regclass;
  names      record;
BEGIN
  FOREACH key_column IN ARRAY keys LOOP
    WITH RECURSIVE base (type, collated, generated, domain) AS (
      SELECT atttypid, attcollation, attgenerated, NULL::oid FROM pg_attribute
       WHERE attrelid = guarded AND attname = key_column AND attnum > 0 AND NOT attisdropped
      UNION ALL
      SELECT typbasetype, collated, generated, type FROM base JOIN pg_type ON oid = type WHERE typtype = 'd')
    SELECT CASE
             WHEN type IS NULL THEN 'does not exist'
             WHEN generated = 'v' THEN 'is generated when it is read, which triggers do not see; make it STORED'
             WHEN NOT (typtype = 'e' OR type = ANY (ARRAY['int2', 'int4', 'int8', 'numeric', 'text', 'varchar', 'bpchar', 'bool',
                       'uuid', 'bytea', 'date', 'time', 'timestamp', 'timestamptz']::regtype[]::oid[]))
               THEN format('is of type %s, whose equal values have no text in common', format_type(type, NULL))
             WHEN typtype = 'e' AND domain IS NOT NULL
               THEN format('is of type %s, a domain over an enum, which no function takes for one; use the enum', format_type(domain, NULL))
             WHEN NOT collisdeterministic THEN format('has the collation %I, which takes different texts for equal', collname)
           END
      INTO unfit
      FROM (SELECT 1) AS always LEFT JOIN base ON NOT EXISTS (SELECT FROM pg_type WHERE oid = type AND typtype = 'd')
      LEFT JOIN pg_type ON pg_type.oid = type LEFT JOIN pg_collation ON pg_collation.oid = collated;
    IF unfit IS NOT NULL THEN
      RAISE 'fenceline: column % of % cannot name rows: it %', quote_ident(key_column), guarded, unfit
        USING ERRCODE = 'ZF006',
              HINT = 'Name the rows by columns that are numbers, texts, booleans, UUIDs, bytes, enums or times.';
    END IF;
  END LOOP;

  SELECT coalesce(substring(prosrc FROM '([a-z0-9_]+[.][a-z0-9_]+)_key[(]'), pronamespace::regnamespace::text) AS fences
    INTO names FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
   WHERE tgrelid = guarded AND tgname = 'fenceline_guard'
     AND (pronamespace <> (SELECT relnamespace FROM pg_class WHERE oid = 'public.fenceline_fences'::regclass)
          OR position('public.fenceline_fences_key(' IN prosrc) = 0);
  IF found THEN
    RAISE 'fenceline: % is guarded with other fences already, %', guarded, names.fences
      USING ERRCODE = 'ZF006', HINT = 'Run guard remove first. What the other fences have seen is forgotten.';
  END IF;

  WITH RECURSIVE ancestor (relation) AS (
    SELECT inhparent FROM pg_inherits WHERE inhrelid = guarded
    UNION
    SELECT inhparent FROM ancestor JOIN pg_inherits ON inhrelid = relation)
  SELECT tgrelid INTO other FROM pg_trigger
   WHERE tgname = 'fenceline_guard'
     AND (tgrelid IN (SELECT relation FROM ancestor)
          OR tgrelid IN (SELECT public.fenceline_fences_family(guarded))
             AND tgfoid NOT IN (SELECT tgfoid FROM pg_trigger WHERE tgrelid = guarded AND tgname = 'fenceline_guard'))
   LIMIT 1;
  IF found THEN
    RAISE 'fenceline: % has rows in common with %, which is guarded already', guarded, other
      USING ERRCODE = 'ZF006', HINT = 'A row has one name. Guard the topmost table, and remove the triggers of the others first.';
  END IF;

  -- Former children of a guarded table, and tables that were guarded before names were kept, have them in their function.
  SELECT * INTO names FROM public.fenceline_fences_names(guarded, named, keys);
  IF names.known AND (names.prefix, names.key) IS DISTINCT FROM (named, keys)
     OR NOT names.known AND EXISTS (SELECT FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
                               WHERE tgrelid = guarded AND tgname = 'fenceline_guard'
                                 AND position('before := ' || public.fenceline_fences_expression(guarded, named, keys, 'OLD') || ';' IN prosrc) = 0) THEN
    RAISE 'fenceline: the rows of % have other names already: %', guarded,
          CASE WHEN names.known THEN quote_literal(names.prefix) || ' and ' || array_to_string(names.key, ', ')
               ELSE 'those of an earlier version, or of its former parent' END
      USING ERRCODE = 'ZF006',
            HINT = 'Give the same key and --prefix. Other names forget all fences; if that is meant, first delete the table from'
                   ' public.fenceline_guarded and remove its triggers.';
  END IF;
END $$;

-- Guards a table: makes the function that names its rows and has their writes checked, and the triggers. The function runs with the rights of
-- the fences' owner, so that writers need none on the tables above, and with settings that give a key the same text in every session. Where
-- the table has a function, that is replaced, and the triggers stay: nobody who uses the table is waited for.
CREATE OR REPLACE FUNCTION public.fenceline_fences_guard(
  guarded regclass, named text, keys text[], once boolean, observed boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  checking text;
  guarding text;
  attempt  integer := 0;
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN -- elsewhere normalize() fails, and each write with it
    RAISE 'fenceline: % cannot be guarded: triggers need a database in UTF8, and this one is in %', guarded, current_setting('server_encoding');
  END IF;
  checking := CASE WHEN observed THEN 'public.fenceline_fences_observe(%s, %L, TG_RELID, TG_OP)'
                   ELSE 'public.fenceline_fences_enforce(%s, %L)' END;
  SELECT proname INTO guarding FROM pg_proc WHERE oid = public.fenceline_fences_function(guarded);
  WHILE guarding IS NULL LOOP
    -- The number comes first: PostgreSQL cuts a name after 63 bytes.
    SELECT 'fenceline_guard_' || CASE attempt WHEN 0 THEN '' ELSE attempt || '_' END || left(relname::text, 30)
      INTO guarding FROM pg_class WHERE oid = guarded;
    IF to_regproc('public.' || quote_ident(guarding)) IS NOT NULL THEN
      guarding := NULL;
      attempt := attempt + 1;
    END IF;
  END LOOP;
  guarding := 'public.' || quote_ident(guarding) || '()';
  EXECUTE format($f$
CREATE OR REPLACE FUNCTION %s RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' SET DateStyle = 'ISO, YMD' AS %L $f$,
    guarding,
    format($f$
DECLARE
  before text;
  after  text;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM public.%s(TG_RELID);
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    before := %s;
    PERFORM %s;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    after := %s;
    IF after IS DISTINCT FROM before OR TG_OP = 'INSERT' THEN
      PERFORM %s;
    END IF;
  END IF;
  RETURN NULL;
END $f$,
      CASE WHEN observed THEN 'fenceline_fences_observe_truncate' ELSE 'fenceline_fences_refuse_truncate' END,
      public.fenceline_fences_expression(guarded, named, keys, 'OLD'), format(checking, 'before', once),
      public.fenceline_fences_expression(guarded, named, keys, 'NEW'), format(checking, 'after', once)));
  EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', guarding);
  EXECUTE format('ALTER FUNCTION %s OWNER TO %s', guarding,
                 (SELECT relowner::regrole FROM pg_class WHERE oid = 'public.fenceline_fences'::regclass));
  -- Twice: the first waits for those who are making a child, and does not see it.
  PERFORM public.fenceline_fences_cover(guarded, guarding::regprocedure);
  PERFORM public.fenceline_fences_cover(guarded, guarding::regprocedure);
END $$;

-- All this belongs to the owner of the fences, whoever installs it: what runs with that role's rights calls no function that another role can
-- replace, and touches no table that another role can put a trigger on. Given to it is what this transaction or a superuser has made; what a
-- third role has made would run with other rights than its author's.
DO $$
DECLARE
  fences record;
  part   record;
BEGIN
  SELECT relowner::regrole AS owner, relnamespace AS schema, relname || '_' AS start INTO fences
    FROM pg_class WHERE oid = 'public.fenceline_fences'::regclass;
  FOR part IN
    SELECT 'ROUTINE' AS kind, oid::regprocedure::text AS name, proowner::regrole AS owner,
           public.fenceline_fences_own(xmin) AS made, prorettype = 'trigger'::regtype AS of_table
      FROM pg_proc
     WHERE pronamespace = fences.schema AND proowner <> fences.owner
       AND (proname = 'fenceline_stamp' OR starts_with(proname, 'fenceline_guard_') AND prorettype = 'trigger'::regtype
            OR starts_with(proname, fences.start) AND substr(proname, length(fences.start) + 1) = ANY (ARRAY[
               'key', 'text', 'digits', 'part', 'own', 'take', 'enforce', 'observe', 'count', 'family', 'function', 'cover', 'expression', 'names',
               'require', 'guard', 'refuse_truncate', 'observe_truncate']))
    UNION ALL
    SELECT 'TABLE', oid::regclass::text, relowner::regrole, public.fenceline_fences_own(xmin), false
      FROM pg_class
     WHERE oid IN ('public.fenceline_observed'::regclass, 'public.fenceline_guarded'::regclass) AND relowner <> fences.owner
  LOOP
    IF part.made OR (SELECT rolsuper FROM pg_roles WHERE oid = part.owner) THEN
      IF pg_has_role(part.owner, 'USAGE') THEN
        EXECUTE format('ALTER %s %s OWNER TO %s', part.kind, part.name, fences.owner);
      END IF;
    ELSIF NOT part.of_table THEN
      RAISE 'fenceline: % belongs to %, and the fences to %', part.name, part.owner, fences.owner
        USING ERRCODE = 'ZF006', HINT = 'Drop it, or give it to the owner of the fences if you know what it does.';
    END IF;
  END LOOP;
  -- PostgreSQL refuses updates of a published table that has neither a key nor this. It comes after the loop, which takes what this transaction
  -- has altered for what it has made.
  IF (SELECT relreplident <> 'f' AND pg_has_role(relowner, 'USAGE')
        FROM pg_class WHERE oid = 'public.fenceline_observed'::regclass) THEN
    ALTER TABLE public.fenceline_observed REPLICA IDENTITY FULL;
  END IF;
END $$;

-- Only a superuser may follow what others make. Without, partitions that are attached later refuse no TRUNCATE, and tables that inherit later
-- are not guarded, until the table is guarded again.
DO $$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    IF NOT EXISTS (SELECT FROM pg_event_trigger
                    WHERE evtfoid = to_regproc('public.fenceline_fences_follow') AND evtenabled IN ('O', 'A')) THEN
      RAISE NOTICE 'fenceline: % is not a superuser: run guard install again after partitions or children are added', current_user;
    END IF;
    RETURN;
  END IF;

  -- Covers partitions and children that come later. It runs with a superuser's rights, so it reads catalogs only and calls nothing of the above,
  -- and looks at no triggers but those of guards: others may have their names.
  CREATE OR REPLACE FUNCTION public.fenceline_fences_follow() RETURNS event_trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
  DECLARE
    guards   oid[];
    detached regclass;
    part     record;
    outdated regprocedure;
  BEGIN
    guards := ARRAY(SELECT pg_proc.oid FROM pg_proc JOIN pg_class ON relowner = proowner AND relnamespace = pronamespace
                     WHERE pg_class.oid = to_regclass('public.fenceline_fences') AND starts_with(proname, 'fenceline_guard_'));
    -- A partition that is detached loses its row trigger by itself, and the other one here.
    FOR detached IN
      SELECT DISTINCT leftover.tgrelid
        FROM pg_event_trigger_ddl_commands() JOIN pg_trigger AS own ON own.tgrelid = objid AND own.tgname = 'fenceline_guard'
        JOIN pg_trigger AS leftover ON leftover.tgfoid = own.tgfoid AND leftover.tgname = 'fenceline_guard_truncate'
       WHERE own.tgfoid = ANY (guards)
         AND NOT EXISTS (SELECT FROM pg_trigger AS other WHERE other.tgrelid = leftover.tgrelid
                            AND other.tgfoid = own.tgfoid AND other.tgname = 'fenceline_guard')
    LOOP
      EXECUTE format('DROP TRIGGER fenceline_guard_truncate ON %s', detached);
    END LOOP;
    FOR part IN
      WITH RECURSIVE changed (member) AS (
        SELECT objid FROM pg_event_trigger_ddl_commands()
        UNION
        SELECT inhrelid FROM changed JOIN pg_inherits ON inhparent = member),
      ancestor (member, whole) AS (
        SELECT member, inhparent FROM changed JOIN pg_inherits ON inhrelid = member
        UNION
        SELECT member, inhparent FROM ancestor JOIN pg_inherits ON inhrelid = whole),
      part AS (
        SELECT member, whole, tgfoid AS guarding FROM ancestor JOIN pg_trigger ON tgrelid = whole
         WHERE tgname = 'fenceline_guard' AND tgfoid = ANY (guards)),
      covered AS (
        SELECT member::regclass, min(whole)::regclass AS whole, guarding::regprocedure, relowner::regrole AS owner,
               has_function_privilege(relowner, guarding, 'EXECUTE') AS executable,
               EXISTS (SELECT FROM pg_trigger WHERE tgrelid = member AND tgfoid = guarding
                                                AND tgname = 'fenceline_guard') AS by_row,
               EXISTS (SELECT FROM pg_trigger WHERE tgrelid = member AND tgfoid = guarding
                                                AND tgname = 'fenceline_guard_truncate')
                 OR relkind = 'f' AND current_setting('server_version_num')::integer < 160000 AS by_truncate,
               EXISTS (SELECT FROM pg_trigger WHERE tgrelid = member AND tgfoid <> guarding
                                                AND tgname = 'fenceline_guard') AS taken
          FROM part JOIN pg_class ON pg_class.oid = member GROUP BY member, guarding, relowner, relkind)
      -- To try what is guarded as another's part would wait for those who write it, and change nothing.
      SELECT * FROM covered
       WHERE NOT (by_row AND by_truncate)
         AND NOT (taken AND member NOT IN (SELECT objid FROM pg_event_trigger_ddl_commands()))
    LOOP
      BEGIN
        -- Whoever may use a guard's function can give it to a table of its own, and so would give it to other owners' children.
        IF NOT part.executable THEN
          RAISE 'its owner % may not use %', part.owner, part.guarding;
        END IF;
        IF NOT part.by_row THEN
          EXECUTE format('CREATE TRIGGER fenceline_guard AFTER INSERT OR UPDATE OR DELETE ON %s '
                         'FOR EACH ROW EXECUTE FUNCTION %s', part.member, part.guarding);
        END IF;
        IF NOT part.by_truncate THEN
          EXECUTE format('CREATE TRIGGER fenceline_guard_truncate BEFORE TRUNCATE ON %s '
                         'FOR EACH STATEMENT EXECUTE FUNCTION %s', part.member, part.guarding);
        END IF;
      EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'fenceline: % is not guarded as a part of %: %', part.member, part.whole, sqlerrm
          USING HINT = 'Run fenceline guard install for the whole table.';
      END;
    END LOOP;
    -- Sessions keep the types of columns in a function until it changes. It changes with the topmost table that it guards, which only one
    -- transaction at a time alters, and not with each part that is made.
    FOR outdated IN
      WITH RECURSIVE changed (relation) AS (
        SELECT objid FROM pg_event_trigger_ddl_commands()
        UNION
        SELECT inhrelid FROM changed JOIN pg_inherits ON inhparent = relation)
      SELECT DISTINCT tgfoid FROM changed JOIN pg_trigger AS own ON tgrelid = relation
       WHERE tgname = 'fenceline_guard' AND tgfoid = ANY (guards)
         AND NOT EXISTS (SELECT FROM pg_inherits JOIN pg_trigger AS whole ON whole.tgrelid = inhparent
                          WHERE inhrelid = relation AND whole.tgfoid = own.tgfoid)
    LOOP
      EXECUTE format('ALTER FUNCTION %s COST 100', outdated);
    END LOOP;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'fenceline: guards do not follow this change: %; run fenceline guard install', sqlerrm;
  END $f$;
  ALTER FUNCTION public.fenceline_fences_follow() OWNER TO CURRENT_USER;

  IF NOT EXISTS (SELECT FROM pg_event_trigger
                  WHERE evtfoid = 'public.fenceline_fences_follow'::regproc AND 'CREATE SCHEMA' = ANY (evttags)
                    AND evtenabled IN ('O', 'A')) THEN
    DROP EVENT TRIGGER IF EXISTS following_trigger; -- one of an earlier version, or disabled
    CREATE EVENT TRIGGER following_trigger ON ddl_command_end
      WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE SCHEMA')
      EXECUTE FUNCTION public.fenceline_fences_follow();
  END IF;
END $$;

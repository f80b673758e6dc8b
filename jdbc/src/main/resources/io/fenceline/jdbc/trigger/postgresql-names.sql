-- The names of rows, which are those of their fences.

-- A value of any type as its type writes it. A cast would be that of the type's owner, and run with the rights of whoever owns the fences.
CREATE OR REPLACE FUNCTION public.fenceline_fences_text(value anyelement) RETURNS text
LANGUAGE sql STABLE AS $$ SELECT CASE WHEN value IS NOT NULL THEN format('%s', value) END $$;

-- A key's canonical text by its type: the same for equal keys, and the same as in Java (ResourceKey). No text here has a backslash, which
-- sessions read in two ways.
DROP FUNCTION IF EXISTS public.fenceline_fences_key(anyelement), public.fenceline_fences_unguard(regclass); -- of earlier versions
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE AS 'SELECT normalize(value, NFC)';
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value numeric) RETURNS text
LANGUAGE sql IMMUTABLE AS 'SELECT trim_scale(value)::text';
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value boolean) RETURNS text
LANGUAGE sql IMMUTABLE AS 'SELECT value::text';
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value uuid) RETURNS text
LANGUAGE sql IMMUTABLE AS 'SELECT value::text';
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value bytea) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT '0x' || encode(value, 'hex') $$;

-- Times as ISO 8601, with no digits of a second or three or six. They need the settings of the functions that name rows.
CREATE OR REPLACE FUNCTION public.fenceline_fences_digits(moment text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN fraction IS NULL THEN moment
              ELSE replace(moment, fraction, rpad(fraction, CASE WHEN length(fraction) <= 4 THEN 4 ELSE 7 END, '0'))
         END
    FROM substring(moment FROM '[.][0-9]+') AS fraction
$$;
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value date) RETURNS text
LANGUAGE sql STABLE AS 'SELECT value::text';
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value time) RETURNS text
LANGUAGE sql STABLE AS $$ SELECT regexp_replace(public.fenceline_fences_digits(value::text), '(:[0-9]+):00$', E'\\1') $$;
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value timestamp) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT regexp_replace(replace(public.fenceline_fences_digits(value::text), ' ', 'T'), '(T[0-9]+:[0-9]+):00$', E'\\1')
$$;
CREATE OR REPLACE FUNCTION public.fenceline_fences_key(value timestamptz) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT replace(public.fenceline_fences_digits((value AT TIME ZONE 'UTC')::text), ' ', 'T') || 'Z'
$$;

-- The part of a row's name, where a row has several keys: a slash inside a key separates nothing.
CREATE OR REPLACE FUNCTION public.fenceline_fences_part(key text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(replace(key, '%', '%25'), '/', '%2F')
$$;

-- The expression for the name of a row. Domains are told by the type that they are made of, integers and decimal numbers alike.
CREATE OR REPLACE FUNCTION public.fenceline_fences_expression(guarded regclass, named text, keys text[], row_alias text) RETURNS text
LANGUAGE sql STABLE AS $$
  WITH RECURSIVE base (place, wanted, type) AS (
    SELECT place, wanted, atttypid
      FROM unnest(keys) WITH ORDINALITY AS key_columns (wanted, place) JOIN pg_attribute ON attrelid = guarded AND attname = wanted
    UNION ALL
    SELECT place, wanted, typbasetype FROM base JOIN pg_type ON oid = type WHERE typtype = 'd')
  SELECT quote_literal(named) || ' || '
         || string_agg(format(CASE WHEN cardinality(keys) = 1 THEN 'public.fenceline_fences_key(public.fenceline_fences_text(%s."%s")::%s)'
                                   ELSE 'public.fenceline_fences_part(public.fenceline_fences_key(public.fenceline_fences_text(%s."%s")::%s))' END,
                              row_alias, replace(wanted, '"', '""'),
                              CASE WHEN typcategory = 'N' THEN 'numeric' WHEN typtype = 'e' OR typname = 'varchar' THEN 'text'
                                   ELSE typname END),
                       ' || ''/'' || ' ORDER BY place)
    FROM base JOIN pg_type ON oid = type WHERE typtype <> 'd'
$$;

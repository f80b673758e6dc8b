-- Triggers follow a table to its new name and keep their own names: stops where these here would replace those of another table.
SELECT json_extract('{}', 'fenceline: ' || tbl_name || ' was renamed and keeps triggers of its former name; run '
                          || group_concat('DROP TRIGGER "' || name || '"', '; ')
                          || ', and guard it under its new name with the prefix that it had')
  FROM sqlite_schema
 WHERE type = 'trigger' AND name LIKE 'fenceline\_guard\_%' ESCAPE '\'
   AND (name IN (trigger_names)) <> (lower(tbl_name) = lower(written_table))
 GROUP BY tbl_name;

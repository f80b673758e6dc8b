-- Stops here if there is no such table or column: a trigger finds out only when it runs.
SELECT key_columns FROM guarded_table WHERE 0;
renamed_table_check
key_checks
-- Rows keep their names. Tables that were guarded before names were kept have them in their triggers.
SELECT json_extract('{}', 'fenceline: the rows of ' || written_table || ' have other names already: ' || prefix || ' and ' || key
                          || '; give these, since other names forget all fences')
  FROM fenceline_guarded
 WHERE table_name = written_table AND (prefix <> row_prefix OR key <> row_key);
SELECT json_extract('{}', 'fenceline: the rows of ' || written_table || ' have other names already, those of an earlier version;'
                          || ' give the same prefix and key, since other names forget all fences')
  FROM sqlite_schema
 WHERE type = 'trigger' AND name = insert_trigger_text AND instr(sql, name_text) = 0
   AND NOT EXISTS (SELECT 1 FROM fenceline_guarded WHERE table_name = written_table);
INSERT OR IGNORE INTO fenceline_guarded VALUES (written_table, row_prefix, row_key);

-- Each row's write, checked when its values are final. What is refused undoes the whole statement.
DROP TRIGGER IF EXISTS insert_trigger;
CREATE TRIGGER insert_trigger AFTER INSERT ON guarded_table
BEGIN
  INSERT INTO checked_write VALUES (name_of(NEW), once, written_table, 'INSERT');
END;

DROP TRIGGER IF EXISTS update_trigger;
CREATE TRIGGER update_trigger AFTER UPDATE ON guarded_table
BEGIN
  INSERT INTO checked_write VALUES (name_of(OLD), once, written_table, 'UPDATE');
  INSERT INTO checked_write SELECT name_of(NEW), once, written_table, 'UPDATE'
   WHERE name_of(NEW) IS NOT name_of(OLD);
END;

DROP TRIGGER IF EXISTS delete_trigger;
CREATE TRIGGER delete_trigger AFTER DELETE ON guarded_table
BEGIN
  INSERT INTO checked_write VALUES (name_of(OLD), once, written_table, 'DELETE');
END;

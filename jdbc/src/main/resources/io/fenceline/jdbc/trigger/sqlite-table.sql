-- Stops here if there is no such table or column: a trigger finds out only when it runs.
SELECT key_columns FROM guarded_table WHERE 0;

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

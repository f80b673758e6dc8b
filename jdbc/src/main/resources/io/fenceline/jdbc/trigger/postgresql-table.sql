DO $$ BEGIN
  PERFORM fenceline_fences_require(guarded_table::regclass, row_prefix, key_columns);
END $$;

ending_other_guards
DO $$ BEGIN
  PERFORM fenceline_fences_guard(guarded_table::regclass, row_prefix, key_columns, changes_once, observed_only);
END $$;

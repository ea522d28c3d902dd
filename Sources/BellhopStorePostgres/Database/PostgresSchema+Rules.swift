#if BELLHOP_POSTGRES

extension PostgresSchema {
  /// The effect of rules on items, and an index of the items that they move to another app.
  static let effects = """
    ALTER TABLE item_state
      ADD COLUMN applied text COLLATE "C", -- JSON; NULL: no rule has acted
      ADD COLUMN applied_previous text COLLATE "C",
      ADD COLUMN applied_at bigint,
      ADD COLUMN applied_by text COLLATE "C",
      ADD COLUMN applied_operation bytea,
      ADD COLUMN moved_app text COLLATE "C"; -- the effective app, if a rule has set one
    CREATE INDEX item_moved ON item_state (user_id) WHERE moved_app IS NOT NULL;
    """
}
#endif

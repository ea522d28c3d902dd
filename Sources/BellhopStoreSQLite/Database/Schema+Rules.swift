extension Schema {
  /// The effect of rules on items, and an index of the items that they move to another app.
  static let effects = """
    ALTER TABLE item ADD COLUMN applied TEXT;            -- JSON; NULL: no rule has acted
    ALTER TABLE item ADD COLUMN applied_previous TEXT;
    ALTER TABLE item ADD COLUMN applied_at INTEGER;
    ALTER TABLE item ADD COLUMN applied_by TEXT;
    ALTER TABLE item ADD COLUMN applied_operation BLOB;
    ALTER TABLE item ADD COLUMN moved_app TEXT;          -- the effective app, if a rule has set one
    CREATE INDEX item_moved ON item (user) WHERE moved_app IS NOT NULL;
    """
}

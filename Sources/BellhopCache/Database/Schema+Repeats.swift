extension Schema {
  /// The occurrences of items whose repeats collapse into them, and resolved alerts.
  static let repeats = Migration(
    name: "repeats",
    sql: """
      -- The content sequence of the last publication that was not a repeat; NULL: content_sequence.
      ALTER TABLE item ADD COLUMN meaning_sequence INTEGER;
      ALTER TABLE item ADD COLUMN resolved INTEGER;
      ALTER TABLE item ADD COLUMN repeats TEXT;  -- JSON as it is received
      ALTER TABLE item ADD COLUMN repeat_count INTEGER NOT NULL DEFAULT 0;
      -- The last threshold of repeats that the count has reached, and the last one that any process
      -- has announced.
      ALTER TABLE item ADD COLUMN ring_step INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE item ADD COLUMN announced_step INTEGER NOT NULL DEFAULT 0;
      DROP INDEX item_unannounced;
      CREATE INDEX item_unannounced ON item (placement) WHERE placement = 1
        AND (announced < content_sequence OR announced_occurrence IS NOT occurrence
          OR announced_step < ring_step);
      """)
}

import GRDB

@testable import BellhopCache

/// The tables and indexes of a cache, without the search index.
private struct CacheShape {
  /// The names of the columns, by the name of their table.
  var columns: [String: Set<String>] = [:]
  /// The statements that create the indexes, by the name of the index.
  var indexes: [String: String] = [:]

  init(_ db: Database) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    for row in rows { indexes[row["name"] as String] = row["sql"] as String }
    let tables = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE %'")
    for table in tables { columns[table] = Set(try db.columns(in: table).map(\.name)) }
  }
}

/// Takes a cache back to its state after the first `count` migrations.
///
/// The rows keep the values of the columns that they had then.
func takeBack(_ path: String, toMigrations count: Int) throws {
  let earlier = try DatabaseQueue(configuration: CacheFixture.tokenizing).write { db in
    for migration in Schema.migrations.prefix(count) { try db.execute(sql: migration.sql) }
    return try CacheShape(db)
  }
  try DatabaseQueue(path: path).write { db in
    let today = try CacheShape(db)
    for (index, sql) in today.indexes where earlier.indexes[index] != sql {
      try db.execute(sql: "DROP INDEX \(index)")
    }
    for (table, columns) in today.columns {
      guard let kept = earlier.columns[table] else {
        try db.execute(sql: "DROP TABLE \(table)")
        continue
      }
      for column in columns.subtracting(kept) {
        try db.execute(sql: "ALTER TABLE \(table) DROP COLUMN \(column)")
      }
    }
    for (index, sql) in earlier.indexes where today.indexes[index] != sql {
      try db.execute(sql: sql)
    }
    try db.execute(
      sql: "DELETE FROM migration WHERE number > \(count); PRAGMA user_version = \(count)")
  }
}

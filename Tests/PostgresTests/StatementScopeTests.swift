#if BELLHOP_POSTGRES
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopStorePostgres

/// A check that statements about the rows of users name the user, so that the tables can be distributed.
@Suite("The user in statements")
struct StatementScopeTests {
  /// The tables whose rows belong to no user, with the reasons.
  private static let tablesWithoutUser = [
    "schema_migration": "the version of the schema",
    "metadata": "facts about the store",
    "start": "the lives of the data",
    "users": "the users themselves, whose key is the user",
    "commit_mark": "transactions of several users or of none",
    "heartbeat": "commits of a process that were confirmed",
    "process": "the processes that serve the database",
    "lease": "the tasks that one process does for all",
    "loose_file": "hashes of bytes that several users may have",
    "blob_hold": "uploads of bytes that several users may have",
    "blob": "bytes that several users may have",
    "blob_chunk": "bytes that several users may have",
    "blob_draft": "bytes whose hash is not known yet",
    "device_grant": "requests of devices before a user decides on them",
    "attempt": "limits of sign-in, before a user is known",
  ]

  /// The beginnings of the statements that find rows of any user, with the reasons.
  private static let statementsWithoutUser = [
    #"SELECT \(AccessToken.columns), hash FROM access_token WHERE substring"#:
      "only the token names its user",
    #"SELECT \(StoredFile.columns) FROM file WHERE id = "#: "only the id of a file names its user",
    "SELECT FROM file WHERE hash = ": "a hash is in use by any user",
    "NOT EXISTS (SELECT FROM file WHERE file.hash = ": "a hash is in use by any user",
    "SELECT hash, max(size) AS size FROM file ": "administration checks all files",
    "SELECT DISTINCT hash FROM file ": "administration checks all files",
    #"SELECT \(BulkWorkColumn.list) FROM bulk_work ORDER BY "#: "a sweep",
    #"SELECT \(StoredFile.columns) FROM file WHERE expires "#: "a sweep",
    "DELETE FROM operation WHERE at < ": "a sweep",
    "DELETE FROM publication WHERE at < ": "a sweep",
    "DELETE FROM awaited_response WHERE expires < ": "a sweep",
  ]

  private static let user = "user_id"

  @Test("every table names the user, except the listed ones")
  func tables() {
    let scripts = PostgresSchema.migrations.flatMap(\.statements).joined(separator: "\n")
      .replacingOccurrences(of: "CREATE UNLOGGED TABLE", with: "CREATE TABLE")
    var names: Set<String> = ["schema_migration"]
    var namesWithoutUser: Set<String> = ["schema_migration"]
    for part in scripts.components(separatedBy: "CREATE TABLE ").dropFirst() {
      let name = String(part.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      let columns = part.components(separatedBy: ";")[0]
      names.insert(name)
      if !columns.contains(Self.user) { namesWithoutUser.insert(name) }
    }
    // A grant names the user who decided on it, and belongs to none before.
    namesWithoutUser.insert("device_grant")
    #expect(names.count > 30)
    #expect(namesWithoutUser == Set(Self.tablesWithoutUser.keys))
  }

  @Test("every statement about rows of users names the user, except the listed ones")
  func statements() throws {
    let tables = Set(UserTable.allCases.map(\.rawValue)).subtracting(Self.tablesWithoutUser.keys)
    var used: Set<String> = []
    var count = 0
    for file in try SourceTree.swiftFiles(below: "Sources/BellhopStorePostgres") {
      let isSchema = file.path.contains("PostgresSchema")
      for statement in Self.texts(in: file.text) where !isSchema {
        guard Self.tables(in: statement).contains(where: tables.contains) else { continue }
        count += 1
        // The columns of an insertion are in a text of their own, which begins with the key.
        let namesColumns = statement.contains("INSERT INTO") && statement.contains(".columns)")
        if statement.contains(Self.user) || namesColumns { continue }
        let known = Self.statementsWithoutUser.keys.first { statement.hasPrefix($0) }
        if let known {
          used.insert(known)
        } else {
          Issue.record("\(file.path): \(statement)")
        }
      }
    }
    #expect(count > 60)
    #expect(used == Set(Self.statementsWithoutUser.keys))
  }

  /// Returns the literal texts of a source file, with single spaces.
  private static func texts(in source: String) -> [String] {
    var texts: [String] = []
    for (place, part) in source.components(separatedBy: "\"\"\"").enumerated() {
      if place.isMultiple(of: 2) {
        for match in part.matches(of: /"((?:[^"\\\n]|\\.)*)"/) { texts.append(String(match.1)) }
      } else {
        texts.append(part)
      }
    }
    return texts.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
  }

  /// Returns the words of a statement where a table is named.
  private static func tables(in statement: String) -> [String] {
    statement.matches(of: /\b(?:FROM|JOIN|INTO|UPDATE|USING) (\w+)/).map { String($0.1) }
  }
}
#endif

import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

@Suite("Expiry of files")
struct FileUpkeepTests {
  @Test(
    "an item that is pinned past its end keeps its file until the file's own expiry",
    arguments: BackendKind.allCases)
  func pinned(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let file = try await store.upload("a", [1])
    let item = try await store.publish("short", attaching: [file]) {
      $0.expiration = store.clock.now.advanced(by: FileTests.day)
    }.item
    let end = try #require(item.content.extras.attachments?.first?.expires)
    #expect(end == store.clock.now.advanced(by: FileTests.day * 30))
    _ = try await store.change(item, StateChange(pinned: true))
    store.clock.advance(by: FileTests.day * 2)
    try await store.service.sweep()
    #expect(try await store.bytes(file) == [1])
    store.clock.advance(by: FileTests.day * 28 - .seconds(1))
    try await store.service.sweep()
    #expect(try await store.bytes(file) == [1])
    store.clock.advance(by: .seconds(1))
    #expect(try await store.bytes(file) == nil, "before any sweep")
    try await store.service.sweep()
    #expect(try await store.shelved() == 0)
    #expect(try await store.service.item(item.id, of: store.user).content == item.content)
  }

  @Test(
    "queries of files use an index, whatever their number",
    arguments: [
      ("SELECT * FROM file WHERE id = 'a'", "file_id (id=?)"),
      ("SELECT 1 FROM file WHERE hash = 'a' LIMIT 1", "file_hash (hash=?)"),
      (
        "SELECT * FROM file WHERE expires <= 5 ORDER BY expires LIMIT 5",
        "file_expires (expires<?)"
      ),
      (
        "UPDATE file SET app = 'a', expires = 5, item = NULL WHERE user = 1 AND id = 'a'",
        "file_id (id=?)"
      ),
      ("DELETE FROM file WHERE user = 1 AND id = 'a'", "file_id (id=?)"),
      ("SELECT coalesce(sum(bytes), 0) FROM file_use WHERE user = 1", "PRIMARY KEY (user=?)"),
      (
        "SELECT bytes FROM file_use WHERE user = 1 AND app = 'a'",
        "PRIMARY KEY (user=? AND app=?)"
      ),
      (
        "UPDATE file_use SET bytes = bytes - 5 WHERE user = 1 AND app = 'a'",
        "PRIMARY KEY (user=? AND app=?)"
      ),
      ("DELETE FROM loose_file WHERE hash = 'a'", "PRIMARY KEY (hash=?)"),
    ])
  func plans(sql: String, index: String) async throws {
    let plan = try await plan(sql)
    #expect(plan.contains("SEARCH"), "\(plan)")
    #expect(plan.contains(index), "\(plan)")
    #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
  }

  @Test("the bytes to remove come first in their table")
  func looseFiles() async throws {
    let plan = try await plan("SELECT hash FROM loose_file ORDER BY hash LIMIT 5")
    #expect(plan.contains("loose_file") && !plan.contains("TEMP B-TREE"), "\(plan)")
  }

  private func plan(_ sql: String) async throws -> String {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try #require(store.backend as? SQLiteBackend)
    return try await backend.inspect("EXPLAIN QUERY PLAN " + sql).joined().joined(separator: " ")
  }
}

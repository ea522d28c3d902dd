import BellhopModel
import BellhopTestSupport
import GRDB
import Testing

@testable import BellhopCache

@Suite("Conditions in the cache")
struct ConditionTests {
  @Test(
    "random conditions find in the database the items that they match",
    arguments: 1...10 as ClosedRange<UInt64>)
  func sameFinds(seed: UInt64) throws {
    let generator = ConditionGenerator(seed: seed)
    let cache = try CacheFixture(.sqlite)
    try cache.pull(
      (1...60).map { number in
        .item(
          makeItem(number) { item in
            item.content = generator.content()
            let change = generator.change()
            item.state.readState = Register(change.readState ?? .unread)
            item.state.userActionState = Register(change.userActionState ?? .noInteraction)
            item.state.pinned = Register(change.pinned ?? false)
          })
      })
    let database = try DatabaseQueue(path: cache.path, configuration: CacheFixture.tokenizing)
    let ids: [NotificationID] = try database.read { database in
      try SQLStatement(database, "SELECT id FROM item").all { try $0.id(0) }
    }
    let items = try ids.compactMap { try cache.reader.item($0)?.notification }
    #expect(items.count > 40)
    var hits = 0
    for _ in 0..<150 {
      let condition = generator.condition(depth: 4)
      let sql = condition.sql(\.sql)
      let found: [NotificationID] = try database.read { database in
        let rows = try SQLStatement(database, "SELECT id FROM item WHERE 1 AND \(sql.text)")
        return try sql.bind(to: rows).all { try $0.id(0) }
      }
      let unknown: Int? = try database.read { database in
        let rows = try SQLStatement(
          database, "SELECT count(*) FROM item WHERE (\(sql.text)) IS NULL")
        return try sql.bind(to: rows).first { $0.count(0) }
      }
      let expected = items.filter { condition.matches($0) }.map(\.id)
      #expect(Set(found) == Set(expected), "seed \(seed): \(condition)")
      #expect(unknown == 0, "seed \(seed): \(condition)")
      hits += expected.count
    }
    #expect(hits > 500, "the conditions find too little to say anything")
  }
}

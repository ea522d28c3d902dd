import BellhopModel
import BellhopStore
import Testing

@Suite("Several ids of an item")
struct ItemAliasTests {
  @Test("a further id changes and withdraws the item", arguments: BackendKind.allCases)
  func aliases(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.collapseRepeats()
    func publish(_ title: String, _ id: String?) async throws -> UserNotification {
      try await store.publish(title, appID: id).item
    }
    let item = try await publish("disk full", nil)
    // The item takes the first id, and the next one is an alias.
    #expect(try await publish("disk full", "h1").content.appNotificationID == "h1")
    #expect(try await store.aliases(of: item).isEmpty)
    let second = try await publish("disk full", "h2")
    #expect(second.id == item.id && second.content.appNotificationID == "h1")
    #expect(second.repeats?.count == 3)
    #expect(try await store.aliases(of: item).map(\.appNotificationID) == ["h1", "h2"])
    #expect(try await store.aliases(of: item).allSatisfy { !$0.isResolved })
    let changed = try await publish("disk 99 %", "h2")
    #expect(changed.id == item.id && changed.content.appNotificationID == "h1")
    #expect(changed.repeats?.count == 3)
    let user = store.user
    let found = try await store.service.item(app: "backups", appNotificationID: "h2", of: user)
    #expect(found == changed)
    let revised = try await store.service.revise(
      app: "backups", appNotificationID: "h2", isQuiet: true, for: user
    ) { content throws(StoreError) in
      var content = content
      content.visual?.body = "soon"
      return content
    }
    #expect(revised.item.id == item.id && revised.item.content.appNotificationID == "h1")
    #expect(revised.item.content.visual?.body == "soon")
    // An edit without changes writes nothing.
    let same = try await store.service.revise(
      app: "backups", appNotificationID: "h2", isQuiet: true, for: user
    ) { content throws(StoreError) in content }
    #expect(same.item == revised.item)
    #expect(try await store.service.withdraw(app: "backups", appNotificationID: "h2", for: user))
    #expect(try await store.titles().isEmpty)
    #expect(try await store.aliases(of: item).isEmpty)
    #expect(try await publish("disk full", "h2").id != item.id)
  }

  @Test("the ids of an item are bounded", arguments: BackendKind.allCases)
  func aliasLimit(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.collapseRepeats()
    var item = try await store.publish("disk full", appID: "h0").item
    for number in 1...ItemAlias.countMax {
      item = try await store.publish("disk full", appID: "h\(number)").item
    }
    let names = try await store.aliases(of: item).map(\.appNotificationID)
    #expect(names.count == ItemAlias.countMax)
    // The item's own id stays, and the others are forgotten in their order.
    #expect(names.first == "h0" && names[1] == "h2" && names.last == "h\(ItemAlias.countMax)")
    // A forgotten id is a further one again.
    #expect(try await store.publish("disk full", appID: "h1").item.id == item.id)
  }
}

import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

@Suite("Registers in the store")
struct RegisterColumnTests {
  @Test(
    "each value of each register is read as it was written", arguments: BackendKind.allCases)
  func values(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let user = store.user
    for state in RegisterSamples.states(item.state.sequence, at: item.arrival) {
      var changed = item
      changed.state = state
      let expected = changed
      try await store.backend.write(
        in: .user(user),
        { transaction in
          try transaction.put(expected, leaves: nil, of: user)
        }, committed: {})
      #expect(try await store.backend.read { try $0.row(item.id, of: user) } == .live(expected))
    }
  }

  @Test("a register without a value in a row of an earlier version has that of publication")
  func earlierRow() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("a").item
    let user = store.user
    let backend = try #require(store.backend as? SQLiteBackend)
    // The column as a migration of today would add it.
    _ = try await backend.inspect("ALTER TABLE item DROP COLUMN cancelled")
    _ = try await backend.inspect("ALTER TABLE item ADD COLUMN cancelled INTEGER")
    #expect(try await backend.read { try $0.row(item.id, of: user) } == .live(item))
  }

  @Test(
    "an operation's effect is found by its id in every register, and undone at once",
    arguments: BackendKind.allCases)
  func setBy(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for (number, register) in ItemRegister.all.enumerated() {
      let item = try await store.publish("item \(number)") {
        $0.trigger = try? Trigger(.interval(seconds: 3600), repeats: true)
      }.item
      var change = StateChange()
      let value = RegisterSamples.value(1, of: register, end: .distantFuture)
      #expect(register.want(value, &change))
      var operation = store.operation(.read, item)
      operation.mutation = .set(change)
      let first = Int64(number * 2 + 1)
      #expect(try await store.send([operation], from: first).results == [.applied])
      let set = try await store.service.item(item.id, of: store.user)
      #expect(register.value(set.state.registers).code == 1)
      let back = BellhopModel.Operation(
        id: store.newID(), target: .setBy(operation.id), mutation: .restorePrevious)
      #expect(try await store.send([back], from: first + 1).results == [.applied])
      let restored = try await store.service.item(item.id, of: store.user)
      #expect(restored.state.registers.haveSameValues(as: item.state.registers))
    }
  }
}

import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import Testing

@Suite("The size of the store's file")
struct RoomTests {
  private func bytes(_ store: StoreUnderTest) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: store.directory.file("store.sqlite"))
    return try #require(attributes[.size] as? NSNumber).intValue
  }

  private func logBytes(_ store: StoreUnderTest) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(
      atPath: store.directory.file("store.sqlite-wal"))
    return try #require(attributes[.size] as? NSNumber).intValue
  }

  /// Publishes some 8 MiB of items that expire together.
  private func fill(_ store: StoreUnderTest) async throws {
    let expiration = store.clock.now.advanced(by: .seconds(3600))
    for number in 0..<1000 {
      try await store.publish("\(number)") {
        $0.raw = String(repeating: "x", count: 8000)
        $0.expiration = expiration
      }
    }
  }

  @Test("sweeping a full store frees disk space, and the store works as before")
  func shrinking() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try #require(store.backend as? SQLiteBackend)
    #expect(try await backend.inspect("PRAGMA auto_vacuum") == [["2"]])
    try await fill(store)
    let stays = try await store.publish("stays", appID: "x").item
    // Moves everything from the log to the database file.
    try await store.service.sweep()
    try await store.service.sweep()
    let full = try bytes(store)
    #expect(full > 8_000_000)
    store.clock.advance(by: .seconds(3600))
    #expect(try await store.service.sweep().expired == 1000)
    let expired = try bytes(store)
    #expect(expired < full * 3 / 4, "\(full) bytes became \(expired)")
    // Tombstones stay in pages that are nearly empty, until their own lifetime is over.
    store.clock.advance(by: StoreLimits().tombstoneLife + .seconds(1))
    #expect(try await store.service.sweep().tombstonesDropped == 1000)
    let swept = try bytes(store)
    #expect(swept < full / 4, "\(full) bytes became \(swept)")
    #expect(try logBytes(store) == 0)
    #expect(try await store.titles() == ["stays"])
    #expect(try await store.service.item(stays.id, of: store.user) == stays)
    #expect(try await store.service.problems() == [])
    let figures = try await store.service.storageFigures()
    #expect(try #require(figures.returnedBytes) > 6_000_000)
    #expect(try #require(figures.unusedBytes) <= 1 << 20)
    #expect(try await store.publish("after").outcome == .created)
  }

  @Test("a file that cannot shrink yet is rewritten once, unless it is too large")
  func oldFiles() async throws {
    var limits = StoreLimits()
    limits.compactionBytesMax = 1 << 20
    let store = try await StoreUnderTest(.sqlite, limits: limits)
    let backend = try #require(store.backend as? SQLiteBackend)
    _ = try await backend.inspect("PRAGMA auto_vacuum = NONE")
    _ = try await backend.inspect("VACUUM")
    #expect(try await backend.inspect("PRAGMA auto_vacuum") == [["0"]])
    try await fill(store)
    let item = try await store.publish("stays", appID: "x").item
    store.clock.advance(by: .seconds(3600))
    try await store.service.sweep()
    try await store.service.sweep()
    let full = try bytes(store)
    #expect(full > 8_000_000)
    #expect(try await backend.inspect("PRAGMA auto_vacuum") == [["0"]])
    let restarted = try await StoreService.open(
      .starting, on: backend, environment: store.environment)
    while try await restarted.catchUp() != .done {}
    let search = ListRequest(search: "stays", rows: 10)
    #expect(try await restarted.list(search, for: store.user).items == [item])
    try await restarted.sweep()
    #expect(try await backend.inspect("PRAGMA auto_vacuum") == [["2"]])
    #expect(try bytes(store) < full / 3)
    #expect(try await restarted.item(item.id, of: store.user) == item)
    #expect(try await restarted.list(rows: 10, for: store.user).items == [item])
    #expect(try await backend.inspect("PRAGMA integrity_check") == [["ok"]])
  }

  @Test("the log is emptied when there are no writes, and not before")
  func log() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.service.sweep()
    try await store.publish("a")
    try await store.service.sweep()
    #expect(try logBytes(store) > 0)
    try await store.service.sweep()
    #expect(try logBytes(store) == 0)
  }
}

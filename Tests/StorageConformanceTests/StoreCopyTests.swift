import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopStoreSQLite
import BellhopTestSupport
import Foundation
import Testing

/// A storage that does not confirm the last step of a copy, which takes effect all the same.
private final class UnconfirmedBackend: StorageBackend {
  private let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    try await inner.read(body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    let value = try await inner.write(in: scope, body, committed: committed)
    if scope == .users { throw StoreError.outcomeUnknown }
    return value
  }

  func catchUp() async throws -> CatchUp { try await inner.catchUp() }

  func close() async { await inner.close() }
}

@Suite("Moving a store")
struct StoreCopyTests {
  /// Tables that belong to one storage, and are made again in another.
  private static let omittedTables: Set<String> = [
    "search_entry", "search_progress", "search_index", "search_index_config", "search_index_data",
    "search_index_idx", "search_index_docsize", "search_index_content", "file_use", "loose_file",
    "device_grant", "attempt", "grdb_migrations", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4",
  ]

  @Test("each table and column of the database moves, or is listed here")
  func tables() async throws {
    let moved = try await CopiedStore()
    let names = try await moved.source.inspect(
      "SELECT name FROM sqlite_master WHERE type = 'table'"
    ).map { $0[0] }
    #expect(
      Set(names).subtracting(Self.omittedTables).sorted()
        == CopiedTable.allCases.map(\.name).sorted())
    for table in CopiedTable.allCases {
      let columns = try await moved.source.inspect(
        "SELECT name FROM pragma_table_info('\(table.name)')"
      ).map { $0[0] }
      // The part of the hash that the index contains.
      #expect(
        columns.filter { $0 != "hash_head" }.sorted() == table.columns.map(\.name).sorted(),
        "\(table.name)")
    }
  }

  @Test("a move keeps everything, and clients continue as after a restart")
  func move() async throws {
    let moved = try await CopiedStore()
    let (_, token) = try await moved.store.pull(from: .beginning)
    let target = try moved.target()
    let report = try await moved.move(to: target)
    #expect(report.users == 2)
    #expect(report.blobs == 1)
    #expect(report.missingBlobs == [])
    #expect(report.damagedBlobs == [])
    #expect(report.rows["item"] == 7)
    try await moved.expectSameRows(in: target)
    let service = try await moved.open(target)
    #expect(service.epoch == moved.store.service.epoch)
    try await moved.expectSameContent(in: service)
    let page = try await service.delta(from: .since(token), rows: 100, for: moved.store.user)
    #expect(page.changes.isEmpty)
    #expect(try await service.addUser(named: "dora").id.rawValue == 4)
  }

  @Test(
    "a move to each storage and back keeps everything, and their backups are the same file",
    arguments: BackendKind.allCases.filter { $0 != .memory })
  func thereAndBack(kind: BackendKind) async throws {
    let moved = try await CopiedStore()
    let middle = try await moved.target("middle", of: kind)
    _ = try await moved.copy(to: middle, rows: 3)
      .run(environment: moved.store.environment, targetName: "elsewhere")
    var backups: [Data] = []
    for (name, backend, files) in [
      ("source", moved.source, moved.store.shelf), ("middle", middle.backend, middle.files),
    ] as [(String, any StorageBackend, any BlobStore)] {
      let path = moved.store.directory.file(name + ".bellhop")
      try await PortableBackup.write(
        from: backend, files: files, to: path, at: moved.store.clock.now)
      backups.append(try #require(FileManager.default.contents(atPath: path)))
    }
    #expect(backups[0] == backups[1])
    let target = try moved.target()
    let back = StoreCopy(
      from: middle.backend, files: middle.files, to: target.backend, files: target.files)
    let report = try await back.run(environment: moved.store.environment, targetName: "back")
    #expect(report.users == 2)
    #expect(report.blobs == 1)
    // The mark of a storage for several processes comes with a start.
    try await moved.expectSameRows(in: target, furtherStarts: kind == .sqlite ? 0 : 1)
    try await moved.expectSameContent(in: try await moved.open(target))
  }

  @Test(
    "a full outbox is applied exactly once after a move",
    arguments: BackendKind.allCases.filter { $0 != .memory })
  func outbox(kind: BackendKind) async throws {
    let moved = try await CopiedStore()
    let target = try await moved.target(of: kind)
    _ = try await moved.move(to: target)
    let service = try await moved.open(target)
    let operations = moved.operations + [moved.store.operation(.unread, moved.first)]
    let answer = try await service.apply(
      OperationBatch(
        device: moved.store.device.id, lineage: Lineage("l1"),
        operations: operations.enumerated().map {
          NumberedOperation(number: Int64($0.offset) + 1, operation: $0.element)
        }), for: moved.store.user)
    #expect(answer.results == [.alreadyApplied, .alreadyApplied, .applied])
    let item = try await service.item(moved.first.id, of: moved.store.user)
    #expect(item.state.readState.value == .unread)
  }

  @Test("a search finds items that were moved")
  func search() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    _ = try await moved.move(to: target)
    let service = try await moved.open(target)
    while try await service.catchUp() != .done {}
    #expect(try await target.backend.problems() == [])
    #expect(try await target.inspect("SELECT count(*) FROM search_entry") == [["6"]])
  }

  @Test("a move that is interrupted after each row continues where it was")
  func interrupted() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    let copy = moved.copy(to: target, rows: 1)
    let environment = moved.store.environment
    var interruptions = 0
    while interruptions < 1000 {
      let result = await Task {
        try await copy.run(environment: environment, targetName: "elsewhere") { step in
          if case .rows = step.phase { CopiedStore.cancelTask() }
        }
      }.result
      if case .success = result { break }
      interruptions += 1
      #expect(try await storeError { _ = try await moved.open(target) } == .unfinishedCopy)
    }
    #expect((20..<1000).contains(interruptions))
    try await moved.expectSameRows(in: target)
    try await moved.expectSameContent(in: try await moved.open(target))
  }

  @Test("a moved store does not open, and names the target")
  func marked() async throws {
    let moved = try await CopiedStore()
    let environment = moved.store.environment
    #expect(try await StoreService.movedTarget(of: moved.source) == nil)
    _ = try await moved.move(to: try moved.target())
    let refusal = StoreError.moved(target: "elsewhere")
    for mode in [StoreLogic.StartMode.starting, .joining] {
      let error = try await storeError {
        _ = try await StoreService.open(mode, on: moved.source, environment: environment)
      }
      #expect(error == refusal)
    }
    #expect(refusal.description.contains("elsewhere"))
    #expect(try await StoreService.movedTarget(of: moved.source) == "elsewhere")
    let again = try await storeError { _ = try await moved.move(to: try moved.target("another")) }
    #expect(again == refusal)
  }

  @Test("a revived store opens in another epoch, and a move of it begins from the start")
  func revived() async throws {
    let moved = try await CopiedStore()
    let environment = moved.store.environment
    let epoch = moved.store.service.epoch
    #expect(try await !StoreService.revive(on: moved.source, environment: environment))
    _ = try await moved.move(to: try moved.target())
    #expect(try await StoreService.revive(on: moved.source, environment: environment))
    let service = try await moved.store.restarted()
    #expect(service.epoch != epoch)
    let next = try await service.publish(
      PublishRequest(Content(app: "ci", visual: VisualContent(title: "next"))),
      for: moved.store.user)
    #expect(next.item.state.sequence.rawValue > StoreLogic.restoreGap)
    let target = try moved.target("another")
    _ = try await moved.move(to: target)
    try await moved.expectSameRows(in: target)
  }

  @Test("a copy is not continued after its source was revived")
  func revivedMeanwhile() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    let copy = moved.copy(to: target, rows: 1)
    let environment = moved.store.environment
    let result = await Task {
      try await copy.run(environment: environment, targetName: "elsewhere") { _ in
        CopiedStore.cancelTask()
      }
    }.result
    #expect(throws: (any Error).self) { try result.get() }
    let epoch = moved.store.service.epoch
    #expect(try await StoreService.revive(on: moved.source, environment: environment))
    #expect(try await moved.store.restarted().epoch == epoch)
    guard
      case .unavailable? = try await storeError({
        _ = try await copy.run(environment: environment, targetName: "elsewhere")
      })
    else {
      Issue.record("The copy continued.")
      return
    }
    #expect(try await StoreService.movedTarget(of: moved.source) == nil)
  }

  @Test("a store whose move may be finished begins another epoch when it is revived")
  func revivedInTheLastStep() async throws {
    let moved = try await CopiedStore()
    let environment = moved.store.environment
    let target = try moved.target()
    let copy = StoreCopy(
      from: moved.source, files: moved.store.shelf, to: UnconfirmedBackend(target.backend),
      files: target.files)
    let error = try await storeError {
      _ = try await copy.run(environment: environment, targetName: "elsewhere")
    }
    #expect(error == .outcomeUnknown)
    // The target is complete, although the move does not know it.
    _ = try await moved.open(target)
    let other = try moved.target("other")
    let refusal = try await storeError {
      _ = try await moved.copy(to: other).run(environment: environment, targetName: "other")
    }
    #expect(refusal == .moved(target: "elsewhere"))
    let epoch = moved.store.service.epoch
    #expect(try await StoreService.revive(on: moved.source, environment: environment))
    #expect(try await moved.store.restarted().epoch != epoch)
  }

  @Test("a move whose last step was not confirmed is finished when it runs again")
  func unconfirmed() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    let copy = StoreCopy(
      from: moved.source, files: moved.store.shelf, to: UnconfirmedBackend(target.backend),
      files: target.files)
    let environment = moved.store.environment
    _ = try await storeError {
      _ = try await copy.run(environment: environment, targetName: "elsewhere")
    }
    #expect(try await moved.move(to: target).users == 2)
    try await moved.expectSameContent(in: try await moved.open(target))
    let again = try await storeError { _ = try await moved.move(to: target) }
    #expect(again == .moved(target: "elsewhere"))
  }

  @Test("an interrupted move may continue to another target, which the source then names")
  func anotherTarget() async throws {
    let moved = try await CopiedStore()
    let (first, second) = (try moved.target("first"), try moved.target("second"))
    let environment = moved.store.environment
    let copy = moved.copy(to: first, rows: 1)
    let result = await Task {
      try await copy.run(environment: environment, targetName: "first") { _ in
        CopiedStore.cancelTask()
      }
    }.result
    #expect(throws: (any Error).self) { try result.get() }
    _ = try await moved.copy(to: second).run(environment: environment, targetName: "second")
    #expect(try await StoreService.movedTarget(of: moved.source) == "second")
    try await moved.expectSameContent(in: try await moved.open(second))
    #expect(try await storeError { _ = try await moved.open(first) } == .unfinishedCopy)
  }

  @Test("a process that was suspended during the move reads and writes nothing afterwards")
  func suspendedProcess() async throws {
    let moved = try await CopiedStore()
    let environment = moved.store.environment
    let backend = MemoryBackend(lifeKey: LifeKey("1"))
    let service = try await StoreService.open(.starting, on: backend, environment: environment)
    let user = try await service.addUser(named: "ada").id
    let request = PublishRequest(Content(app: "ci", visual: VisualContent(title: "late")))
    _ = try await service.publish(request, for: user)
    // The move marks the storage in memory, and then cannot read its rows.
    let copy = StoreCopy(from: backend, files: nil, to: try moved.target().backend, files: nil)
    _ = try await storeError {
      _ = try await copy.run(environment: environment, targetName: "elsewhere")
    }
    let refusal = StoreError.moved(target: "elsewhere")
    #expect(
      try await storeError { _ = try await service.publish(request, for: user) } == refusal)
    #expect(try await storeError { _ = try await service.list(rows: 1, for: user) } == refusal)
    #expect(try await storeError { _ = try await service.addUser(named: "bob") } == refusal)
    #expect(try await StoreService.revive(on: backend, environment: environment))
    _ = try await service.publish(request, for: user)
    #expect(try await service.list(rows: 10, for: user).items.count == 2)
  }

  @Test("an attachment that several rows name is copied and counted once")
  func sharedAttachment() async throws {
    let moved = try await CopiedStore()
    _ = try await moved.store.upload("b.txt", Array("attached".utf8))
    let report = try await moved.move(to: try moved.target())
    #expect(report.rows["file"] == 2)
    #expect(report.blobs == 1)
  }

  @Test("a target with a store is refused, and the source stays as it is")
  func occupied() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    _ = try await moved.open(target)
    let error = try await storeError { _ = try await moved.move(to: target) }
    #expect(error == .alreadyExists(what: "a store in the target"))
    #expect(try await StoreService.movedTarget(of: moved.source) == nil)
  }

  @Test("a source that processes serve is refused, and stays as it is")
  func served() async throws {
    let moved = try await CopiedStore()
    let environment = moved.store.environment
    let source = MemoryBackend(lifeKey: LifeKey("1"))
    var services: [StoreService] = []
    for host in ["first", "second"] {
      let service = try await StoreService.open(.joining, on: source, environment: environment)
      try await service.join(host: host, version: "1.0")
      services.append(service)
    }
    let target = try moved.target()
    let copy = StoreCopy(from: source, files: nil, to: target.backend, files: nil)
    while let last = services.popLast() {
      let error = try await storeError {
        _ = try await copy.run(environment: environment, targetName: "elsewhere")
      }
      #expect(error == .inUse(processes: services.count + 1))
      #expect(try await StoreService.movedTarget(of: source) == nil)
      await last.close()
    }
  }

  @Test("a damaged attachment is reported, and not copied")
  func damagedAttachment() async throws {
    let moved = try await CopiedStore()
    let shelf = MemoryShelf()
    let draft = shelf.makeDraft(named: "a")
    try await draft.write(Array("altered!".utf8))
    try await draft.place(as: moved.file.hash)
    let target = try moved.target()
    let copy = StoreCopy(
      from: moved.source, files: shelf, to: target.backend, files: target.files)
    let report = try await copy.run(environment: moved.store.environment, targetName: "elsewhere")
    #expect(report.damagedBlobs == [moved.file.hash])
    #expect(target.files.open(moved.file.hash) == nil)
  }

  @Test("a storage in memory takes no part in moves")
  func memory() async throws {
    let moved = try await CopiedStore()
    let copy = StoreCopy(from: moved.source, files: nil, to: MemoryBackend(), files: nil)
    let environment = moved.store.environment
    guard
      case .notSupported? = try await storeError({
        _ = try await copy.run(environment: environment, targetName: "memory")
      })
    else {
      Issue.record("The copy began.")
      return
    }
    #expect(try await StoreService.movedTarget(of: moved.source) == nil)
  }
}
